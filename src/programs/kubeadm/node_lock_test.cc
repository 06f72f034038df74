#include "kubeadm/node_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <thread>

#include "base/error.h"
#include "host/fake_host.h"

namespace kubeadm {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kFile = "/run/slipway/node.lock";

class NodeLockTest : public ::testing::Test {
 protected:
  // Lock is what `command` gets with this --lock-timeout ("": the default).
  NodeLock Lock(const std::string& command, const std::string& timeout = "",
                std::vector<host::fs::path> directories = {}) {
    cli::Parsed flags({LockTimeoutFlag(kStepPatience)});
    if (!timeout.empty()) {
      flags.Set(kLockTimeout, timeout);
    }
    return LockWith(std::move(flags), command, std::move(directories));
  }

  NodeLock LockWith(cli::Parsed flags, const std::string& command,
                    std::vector<host::fs::path> directories = {}) {
    cli::Invocation invocation{.command = command_,
                               .path = command,
                               .flags = std::move(flags),
                               .streams = streams_,
                               .print_help = {},
                               .root = command_};
    return LockNode(invocation, host_.host,
                    {.directories = std::move(directories),
                     .say = [this](const std::string& line) { said_.push_back(line); }});
  }

  // Refusal is the error's text, "" without one.
  std::string Refusal(const std::string& command, const std::string& timeout,
                      std::vector<host::fs::path> directories = {}) {
    try {
      Lock(command, timeout, std::move(directories));
    } catch (const base::Error& error) {
      return error.message();
    }
    return "";
  }

  host::FakeHost host_;
  std::vector<std::string> said_;
  cli::Command command_;
  std::istringstream in_;
  std::ostringstream out_;
  cli::Streams streams_{in_, out_, out_};
};

TEST_F(NodeLockTest, OneCommandAtATimeAndTheOtherLearnsWhoHoldsIt) {
  {
    const NodeLock lock = Lock("kubeadm init");
    EXPECT_EQ(
        Refusal("kubeadm join", "0s"),
        "\"kubeadm init\" (process " + std::to_string(::getpid()) +
            ", since 2026-01-01T00:00:00Z) is changing this node; wait until that is done, or "
            "let this command wait for it: --lock-timeout 10m");
    EXPECT_THAT(said_, IsEmpty());
  }
  EXPECT_EQ(Refusal("kubeadm join", "0s"), "");
}

TEST_F(NodeLockTest, ALongWaitIsToldOnce) {
  const NodeLock lock = Lock("kubeadm upgrade apply");
  EXPECT_THAT(Refusal("kubeadm init phase certs ca", ""), HasSubstr("kubeadm upgrade apply"));
  EXPECT_THAT(said_, ElementsAre(AllOf(HasSubstr("[lock] \"kubeadm upgrade apply\" (process "),
                                       HasSubstr("is changing this node; waiting for it up to "
                                                 "1m0s"))));
  EXPECT_GE(host_.clock.Steady().time_since_epoch(), std::chrono::seconds(60));
}

TEST_F(NodeLockTest, AWaitEndsWhenTheHolderIsDone) {
  host::RealClock clock;
  host::Host real = host_.host;
  std::optional<NodeLock> held = Lock("kubeadm init");
  std::jthread release([&] {
    clock.Sleep(std::chrono::milliseconds(30), {});
    held.reset();
  });
  host::Host waiting{.files = real.files,
                     .processes = real.processes,
                     .clock = clock,
                     .random = real.random,
                     .environment = real.environment,
                     .network = real.network,
                     .machine = real.machine};
  cli::Invocation invocation{.command = command_,
                             .path = "kubeadm join",
                             .flags = cli::Parsed({LockTimeoutFlag("30s")}),
                             .streams = streams_,
                             .print_help = {},
                             .root = command_};
  EXPECT_FALSE(LockNode(invocation, waiting, {.say = [](const std::string&) {}}).empty());
}

TEST_F(NodeLockTest, WhatOnlyLooksTakesNone) {
  const NodeLock lock = Lock("kubeadm init");
  EXPECT_THAT(LockWith(cli::Parsed(), "kubeadm init phase preflight"), IsEmpty());
}

TEST_F(NodeLockTest, ANegativeTimeIsRefused) {
  EXPECT_EQ(Refusal("kubeadm init", "-1s"), "--lock-timeout -1s: it must not be negative");
}

TEST_F(NodeLockTest, NobodyElseCanOpenTheLock) {
  const NodeLock lock = Lock("kubeadm init");
  EXPECT_EQ(host_.files.Stat(kFile)->mode, 0600U);
}

TEST_F(NodeLockTest, ALockThatOthersCouldOpenIsClosedToThem) {
  host_.files.Write(kFile, "", {.mode = 0666});
  const NodeLock lock = Lock("kubeadm init");
  EXPECT_EQ(host_.files.Stat(kFile)->mode, 0600U);
}

TEST_F(NodeLockTest, ALinkInItsPlaceIsNotFollowed) {
  host_.files.Write("/etc/shadow", "secret", {.mode = 0600});
  host_.files.MakeDirectories("/run/slipway", 0755);
  host::fs::create_symlink(host_.files.Location("/etc/shadow"), host_.files.Location(kFile));
  EXPECT_THAT(Refusal("kubeadm init", "0s"), HasSubstr("cannot open the lock"));
  EXPECT_EQ(host_.files.Read("/etc/shadow"), "secret");
}

TEST_F(NodeLockTest, ANoteThatCannotBeReadNamesNobody) {
  const NodeLock lock = Lock("kubeadm init");
  host_.files.Write(kFile, "", {});  // replaces the file: the lock of the new one is free
  const auto other = host::FileLock::Try(host_.files, kFile);
  EXPECT_THAT(Refusal("kubeadm join", "0s"), HasSubstr("another process is changing this node"));
}

// A /run that cannot be written: of a user who is not root, or read-only.
class OwnDirectoriesTest : public NodeLockTest {
 protected:
  class NoRun : public host::FakeFiles {
   public:
    using FakeFiles::FakeFiles;
    void MakeDirectories(const host::fs::path& path, unsigned mode) override {
      if (path.string().starts_with("/run")) {
        throw base::Error(base::Error::Kind::kForbidden, "cannot make " + path.string());
      }
      FakeFiles::MakeDirectories(path, mode);
    }
  };

  NodeLock LockOwn(const std::vector<host::fs::path>& directories) {
    host::Host host{.files = files_,
                    .processes = host_.host.processes,
                    .clock = host_.clock,
                    .random = host_.host.random,
                    .environment = host_.host.environment,
                    .network = host_.host.network,
                    .machine = host_.host.machine};
    cli::Invocation invocation{.command = command_,
                               .path = "kubeadm init phase certs ca",
                               .flags = cli::Parsed({LockTimeoutFlag("0s")}),
                               .streams = streams_,
                               .print_help = {},
                               .root = command_};
    return LockNode(invocation, host,
                    {.directories = directories, .say = [](const std::string&) {}});
  }

  void SetUp() override { host_.machine.effective_user = 1000; }

  host::TemporaryDirectory folder_;
  NoRun files_{folder_.path()};
};

TEST_F(OwnDirectoriesTest, AreLockedInsteadOfTheNode) {
  const NodeLock lock = LockOwn({"/home/pki"});
  EXPECT_EQ(lock.size(), 1U);
  try {
    LockOwn({"/home/pki"});
    FAIL();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::Error::Kind::kTimeout);
    EXPECT_THAT(error.message(), HasSubstr("another process is changing directory /home/pki"));
  }
  EXPECT_EQ(LockOwn({"/home/other"}).size(), 1U);
  EXPECT_THAT(files_.List("/home/pki"), IsEmpty());
}

TEST_F(OwnDirectoriesTest, TwoNamesOfOneAreLockedOnce) {
  files_.MakeDirectories("/home/pki", 0755);
  host::fs::create_directory_symlink(files_.Location("/home/pki"), files_.Location("/home/link"));
  EXPECT_EQ(LockOwn({"/home/pki", "/home/link", "/home/pki/"}).size(), 1U);
}

TEST_F(OwnDirectoriesTest, OfRootAreThoseOfTheNodeSoThatAllItsCommandsTakeTurns) {
  host_.machine.effective_user = 0;
  const NodeLock lock = LockOwn({});  // join, reset and upgrade name none
  EXPECT_EQ(lock.size(), 1U);
  try {
    LockOwn({"/home/pki"});
    FAIL();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::Error::Kind::kTimeout);
    EXPECT_THAT(error.message(),
                HasSubstr("another process is changing directory /etc/kubernetes"));
  }
  host_.machine.effective_user = 1000;
  EXPECT_EQ(LockOwn({"/home/pki"}).size(), 1U) << "a user's own directory is not the node's";
}

TEST_F(OwnDirectoriesTest, NothingToLockIsNoError) { EXPECT_THAT(LockOwn({"/run/x"}), IsEmpty()); }

}  // namespace
}  // namespace kubeadm
