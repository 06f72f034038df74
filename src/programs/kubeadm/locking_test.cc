// SPDX-License-Identifier: Apache-2.0
// Tests of the commands that take the node's lock. All commands take it except those listed here.
// The commands of `fleet` start other commands, which take the lock.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "host/fake_host.h"
#include "kubeadm/node_lock.h"
#include "kubeadm/root.h"

namespace kubeadm {
namespace {

using ::testing::ElementsAre;

// Adds the paths of `command` and the commands below it that can be run and lack --lock-timeout.
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

TEST(Locking, EveryCommandThatWritesTakesTheLock) {
  host::FakeHost host;
  std::vector<std::string> names;
  AddWithoutLock(Root(host.host), "", names);
  EXPECT_THAT(
      names,
      ElementsAre("backup inspect", "backup list", "backup schedule status", "backup verify",
                  "certs auto-renew status", "certs certificate-key", "certs check-expiration",
                  "config diff", "config explain", "config images list", "config images pull",
                  "config migrate", "config print init-defaults", "config print join-defaults",
                  "config print reset-defaults", "config print upgrade-defaults", "config schema",
                  "config validate", "doctor", "etcd members", "etcd snapshot", "etcd status",
                  "events render", "fleet abort", "fleet apply", "fleet host-exec", "fleet logs",
                  "fleet pause", "fleet resume", "fleet run", "fleet status", "fleet timeline",
                  "fleet watch", "init phase preflight", "init phase wait-control-plane",
                  "init phase show-join-command", "join phase preflight",
                  "join phase wait-control-plane", "kubeconfig user", "reset phase preflight",
                  "token create", "token delete", "token generate", "token list",
                  "upgrade apply phase preflight", "upgrade diff", "upgrade node phase preflight",
                  "upgrade plan", "version"));
}

// Returns how long a command waits for the lock, according to docs/timeouts.md.
std::string WaitOf(const std::string& path) {
  if (path == "certs auto-renew run" || path == "backup schedule run" || path == "config keep" ||
      path == "node keep") {
    return kTimerPatience;
  }
  const bool is_step = path.contains(" phase ") || path.starts_with("certs renew ") ||
                       path.starts_with("certs auto-renew ") || path == "certs generate-csr" ||
                       path.starts_with("backup schedule ") || path == "backup create" ||
                       path == "etcd compact" || path == "etcd defrag";
  return is_step ? kStepPatience : kRunPatience;
}

void CheckWaits(const cli::Command& command, const std::string& path) {
  const auto flag = std::ranges::find(command.flags, std::string(kLockTimeout), &cli::Flag::name);
  const std::vector<cli::Command> children =
      command.children ? command.children() : std::vector<cli::Command>();
  if (command.run && flag != command.flags.end()) {
    EXPECT_EQ(flag->default_text, WaitOf(path)) << path;
  }
  for (const cli::Command& child : children) {
    CheckWaits(child, path.empty() ? child.name : path + " " + child.name);
  }
}

TEST(Locking, WaitsAsThePageAboutTimeoutsSays) {
  host::FakeHost host;
  CheckWaits(Root(host.host), "");
}

class TakenTest : public testing::Test {
 protected:
  using Take = NodeLock(const cli::Invocation&, host::Host&, const LockRequest&);
  NodeLock Lock(Take take, cli::Parsed flags) {
    const cli::Invocation invocation{.command = command_,
                                     .path = "kubeadm init",
                                     .flags = std::move(flags),
                                     .streams = streams_,
                                     .print_help = {},
                                     .root = command_};
    return take(invocation, host_.host, {.say = [](const std::string&) {}});
  }

  host::FakeHost host_;
  cli::Command command_;
  std::istringstream in_;
  std::ostringstream out_;
  cli::Streams streams_{in_, out_, out_};
};

TEST_F(TakenTest, ReadOnlyCommandsTakeNoLock) {
  const NodeLock held = Lock(LockNode, cli::Parsed({LockTimeoutFlag(kStepPatience)}));
  EXPECT_EQ(held.size(), 1U);
  EXPECT_TRUE(Lock(LockNode, cli::Parsed()).empty());
}

TEST_F(TakenTest, ADryRunTakesNoLock) {
  for (const bool dry_run : {false, true}) {
    cli::Parsed flags(
        {LockTimeoutFlag(kStepPatience), {.name = "dry-run", .type = cli::FlagType::kBool}});
    flags.Set("dry-run", dry_run ? "true" : "false");
    EXPECT_EQ(Lock(LockToAct, std::move(flags)).empty(), dry_run);
  }
}

}  // namespace
}  // namespace kubeadm
