// SPDX-License-Identifier: Apache-2.0
// Tests of the flags that many commands share: each has the same text everywhere.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "host/fake_host.h"
#include "kubeadm/root.h"

namespace kubeadm {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Calls `visit` for the command and all commands below it.
void Visit(const cli::Command& command, const std::string& path,
           const std::function<void(const cli::Command& command, const std::string& path)>& visit) {
  visit(command, path);
  for (const cli::Command& child :
       command.children ? command.children() : std::vector<cli::Command>()) {
    Visit(child, path.empty() ? child.name : path + " " + child.name, visit);
  }
}

// Returns the commands whose flag of this name has another text than `text`.
std::vector<std::string> OthersThan(const std::string& text, const std::string& flag) {
  host::FakeHost host;
  std::vector<std::string> others;
  Visit(Root(host.host), "", [&](const cli::Command& command, const std::string& path) {
    const auto found = std::ranges::find(command.flags, flag, &cli::Flag::name);
    if (found != command.flags.end() && found->help != text) {
      others.push_back(path);
    }
  });
  return others;
}

TEST(Flags, HaveOneTextPerName) {
  EXPECT_THAT(OthersThan("Show what would be done, and change nothing", "dry-run"),
              ElementsAre("drift"));  // the flag affects only --adopt
  EXPECT_THAT(OthersThan("Do not ask for confirmation", "yes"), IsEmpty());
  EXPECT_THAT(
      OthersThan("Draw the phases against time into this file, FILE.svg or FILE.html", "timeline"),
      IsEmpty());
  EXPECT_THAT(
      OthersThan("How long to wait for another command that is changing this node", "lock-timeout"),
      IsEmpty());
}

TEST(Flags, EachRollbackAsksForConfirmation) {
  host::FakeHost host;
  std::vector<std::string> commands;
  Visit(Root(host.host), "", [&](const cli::Command& command, const std::string& path) {
    if ((command.name == "undo" || command.name == "rollback") &&
        std::ranges::contains(command.flags, std::string("yes"), &cli::Flag::name)) {
      commands.push_back(path);
    }
  });
  EXPECT_THAT(commands, ElementsAre("config undo", "node undo", "upgrade rollback"));
}

}  // namespace
}  // namespace kubeadm
