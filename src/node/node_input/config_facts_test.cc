// SPDX-License-Identifier: Apache-2.0
#include "node_input/config_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/fake_error.h"
#include "host/fake_host.h"

namespace node_input {
namespace {

using ::testing::HasSubstr;

TEST(CollectFacts, ReadsEachFactOnDemand) {
  host::FakeHost fake;
  const config::Facts facts = CollectFacts(fake.host);
  EXPECT_FALSE(facts.file_exists("/etc/resolv.conf"));
  fake.files.Write("/etc/resolv.conf", "", {});
  EXPECT_TRUE(facts.file_exists("/etc/resolv.conf"));
  EXPECT_EQ(facts.random(4).size(), 4U);
}

TEST(ReadSource, NamesTheFileThatIsNotThere) {
  host::FakeHost fake;
  fake.files.Write("/init.yaml", "kind: x", {});
  EXPECT_EQ(ReadSource(fake.host, "/init.yaml").text, "kind: x");
  EXPECT_EQ(ReadSource(fake.host, "/init.yaml").name, "/init.yaml");
  const base::Error error = base::Thrown([&] { ReadSource(fake.host, "/none.yaml"); });
  EXPECT_THAT(error.message(), HasSubstr("couldn't read the configuration"));
  EXPECT_THAT(error.message(), HasSubstr("/none.yaml"));
}

}  // namespace
}  // namespace node_input
