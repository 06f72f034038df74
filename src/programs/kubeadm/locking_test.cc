// SPDX-License-Identifier: Apache-2.0
// Which commands take the node's lock: all but those that are named here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "host/fake_host.h"
#include "kubeadm/node_lock.h"
#include "kubeadm/root.h"

namespace kubeadm {
namespace {

using ::testing::ElementsAre;

// Add lists the commands at and below `command` that can be run and do not offer --lock-timeout.
void AddWithoutLock(const cli::Command& command, const std::string& path,
                    std::vector<std::string>& names) {
  const bool offers = std::ranges::find(command.flags, std::string(kLockTimeout),
                                        &cli::Flag::name) != command.flags.end();
  const std::vector<cli::Command> children =
      command.children ? command.children() : std::vector<cli::Command>();
  if (command.run && children.empty() && !offers) {
    names.push_back(path);
  }
  for (const cli::Command& child : children) {
    AddWithoutLock(child, path.empty() ? child.name : path + " " + child.name, names);
  }
}

TEST(Locking, EveryCommandTakesTheLockButThoseThatOnlyLook) {
  host::FakeHost host;
  std::vector<std::string> names;
  AddWithoutLock(Root(host.host), "", names);
  EXPECT_THAT(
      names,
      ElementsAre("certs auto-renew status", "certs certificate-key", "certs check-expiration",
                  "config diff", "config explain", "config images list", "config images pull",
                  "config migrate", "config print init-defaults", "config print join-defaults",
                  "config print reset-defaults", "config print upgrade-defaults", "config schema",
                  "config validate", "doctor", "events render", "init phase preflight",
                  "init phase wait-control-plane", "init phase show-join-command",
                  "join phase preflight", "join phase wait-control-plane", "kubeconfig user",
                  "reset phase preflight", "token create", "token delete", "token generate",
                  "token list", "upgrade apply phase preflight", "upgrade diff",
                  "upgrade node phase preflight", "upgrade plan", "version"));
}

TEST(Locking, WhatOnlyLooksTakesNone) {
  host::FakeHost host;
  cli::Command command;
  std::istringstream in;
  std::ostringstream out;
  cli::Streams streams{in, out, out};
  const auto lock = [&](cli::Parsed flags) {
    const cli::Invocation invocation{.command = command,
                                     .path = "kubeadm init",
                                     .flags = std::move(flags),
                                     .streams = streams,
                                     .print_help = {},
                                     .root = command};
    return LockNode(invocation, host.host, {.say = [](const std::string&) {}});
  };
  const NodeLock held = lock(cli::Parsed({LockTimeoutFlag(kStepPatience)}));
  EXPECT_EQ(held.size(), 1U);
  EXPECT_TRUE(lock(cli::Parsed()).empty());
}

}  // namespace
}  // namespace kubeadm
