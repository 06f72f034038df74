// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "host/fake_host.h"
#include "kubeadm/documented.h"

namespace kubeadm {
namespace {

using testing::ElementsAre;

std::vector<std::string> NamesOf(const std::vector<cli::Flag>& flags) {
  std::vector<std::string> names;
  for (const cli::Flag& flag : flags) {
    names.push_back(flag.name);
  }
  return names;
}

TEST(CommonFlags, HaveTheOrderOfTheGivenNames) {
  EXPECT_THAT(NamesOf(CommonFlags({"patches", "config"})), ElementsAre("patches", "config"));
  EXPECT_THROW(CommonFlags({"nonsense"}), std::logic_error);
}

TEST(ByName, SortsJoinedElements) {
  EXPECT_THAT(NamesOf(ByName(Joined(CommonFlags({"yes", "config"}), {Switch("force", "Go on")}))),
              ElementsAre("config", "force", "yes"));
}

TEST(WorldBy, PrintsWithDryRunAndExecutesWithout) {
  host::FakeHost fake;
  std::string done;
  for (const char* dry_run : {"true", "false"}) {
    cli::Parsed flags(CommonFlags({"dry-run"}));
    flags.Set("dry-run", dry_run);
    WorldBy(flags, fake.host)
        ->Do({.on_machine = [&] { done += "acted "; }, .in_dry_run = [&] { done += "shown "; }});
  }
  EXPECT_EQ(done, "shown acted ");
}

TEST(Made, BuildsACommandFromItsRow) {
  host::FakeHost fake;
  const host::Host* seen = nullptr;
  const cli::Command command =
      Made({.name = "list",
            .summary = "List",
            .text = "token-list",
            .flags = CommonFlags({"config"}),
            .usage_args = "FILE",
            .max_args = 1,
            .beyond_upstream = true,
            .run = [&](cli::Invocation&, host::Host& host) { seen = &host; }},
           fake.host);
  EXPECT_EQ(command.name, "list");
  EXPECT_EQ(command.usage_args, "FILE");
  EXPECT_EQ(command.max_args, 1);
  EXPECT_TRUE(command.beyond_upstream);
  EXPECT_FALSE(command.long_text.empty());
  EXPECT_THAT(NamesOf(command.flags), ElementsAre("config"));
  EXPECT_EQ(seen, nullptr);
}

}  // namespace
}  // namespace kubeadm
