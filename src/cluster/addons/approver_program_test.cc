// SPDX-License-Identifier: Apache-2.0
#include "addons/approver_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fake_error.h"
#include "host/fake_host.h"

namespace addons {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string ErrorOf(const config::KubeletServingCerts& serving, const host::Host& host) {
  return base::MessageOf([&] { ChooseApprover(serving, host); });
}

TEST(ChooseApprover, FindsTheProgramOnThisNode) {
  host::FakeHost fake;
  EXPECT_THAT(ErrorOf({}, fake.host), HasSubstr("cluster-machine-approver in PATH"));
  fake.processes.AddExecutable("cluster-machine-approver");
  const ApproverProgram program = ChooseApprover({}, fake.host);
  EXPECT_THAT(program.path, HasSubstr("cluster-machine-approver"));
  EXPECT_EQ(program.image, std::nullopt);
}

TEST(ChooseApprover, UsesTheGivenPath) {
  host::FakeHost fake;
  const config::KubeletServingCerts serving{.enabled = true, .image = "", .program = "/opt/a"};
  EXPECT_THAT(ErrorOf(serving, fake.host), HasSubstr("/opt/a is not there"));
  fake.files.Write("/opt/a", "", {});
  EXPECT_EQ(ChooseApprover(serving, fake.host).path, "/opt/a");
}

TEST(ChooseApprover, AnImageNeedsNoFileOnTheNode) {
  host::FakeHost fake;
  const auto program = ChooseApprover({.enabled = true, .image = "a", .program = ""}, fake.host);
  EXPECT_EQ(program.image, "a");
  EXPECT_THAT(ChooseApprover(
                  {.enabled = true, .image = "a", .program = "", .allowed_cidrs = {"10.0.0.0/8"}},
                  fake.host)
                  .allowed_cidrs,
              ElementsAre("10.0.0.0/8"));
  EXPECT_EQ(program.path, "");
}

}  // namespace
}  // namespace addons
