// SPDX-License-Identifier: Apache-2.0
#include "steps/join/tpm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fake_error.h"
#include "host/fake_host.h"

namespace join_steps {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// tests/cluster/test_tpm.py has a TPM.
class TpmTest : public testing::Test {
 protected:
  std::string Failure() {
    return base::MessageOf([&] { Tpm(fake_.host, {}); });
  }
  host::FakeHost fake_;
};

TEST_F(TpmTest, NamesThePackageOfItsPrograms) {
  EXPECT_THAT(Failure(), HasSubstr("Install the package tpm2-tools"));
}

TEST_F(TpmTest, KeepsTheObjectsOfOtherPrograms) {
  fake_.processes.On("tpm2_getcap", {.out = "- 0x80000000\n"});
  for (const char* program : {"tpm2_createek", "tpm2_createak", "tpm2_flushcontext"}) {
    fake_.processes.AddExecutable(program);
  }
  EXPECT_THAT(Failure(), HasSubstr("ek.pem")) << "the fake programs write no files";
  EXPECT_THAT(fake_.processes.calls(), Not(Contains(StartsWith("tpm2_flushcontext"))));
}

TEST_F(TpmTest, QuotesTheProgramThatFails) {
  fake_.processes.AddExecutable("tpm2_getcap");
  fake_.processes.On("tpm2_createek", {.exit_code = 1, .err = "no TPM\033[31m\n"});
  const std::string failure = Failure();
  EXPECT_THAT(failure, HasSubstr("tpm2_createek failed: no TPM"));
  EXPECT_EQ(failure.find('\033'), std::string::npos);
  EXPECT_FALSE(fake_.files.Exists("/run/kubeadm-tpm"));
}

}  // namespace
}  // namespace join_steps
