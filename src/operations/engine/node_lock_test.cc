// SPDX-License-Identifier: Apache-2.0
#include "engine/node_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/error.h"
#include "base/fake_error.h"
#include "host/fake_host.h"
#include "pki/certificate.h"
#include "static_pods/static_pod.h"

namespace engine {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kFile = "/run/slipway/node.lock";

class NodeLockTest : public ::testing::Test {
 protected:
  // Returns the node's lock, taken for `command` with the given timeout.
  NodeLock Take(const std::string& command, base::Duration timeout = std::chrono::minutes(1),
                std::vector<host::fs::path> directories = {}) {
    return LockNode(host_.host, {.command = command,
                                 .timeout = timeout,
                                 .directories = std::move(directories),
                                 .say = [this](const std::string& line) { said_.push_back(line); },
                                 .stop = {}});
  }

  // Returns the error's message, "" without one.
  std::string Refusal(const std::string& command,
                      base::Duration timeout = std::chrono::seconds(0)) {
    return base::MessageOf([&] { Take(command, timeout); });
  }

  // Leaves etcd's key and certificate in the state after a killed command. Returns the path of the
  // missing certificate.
  std::string CutOffBetweenKeyAndCertificate(const std::string& directory) {
    const pki::CertificateSpec spec{.subject = {.common_name = "etcd", .organizations = {}},
                                    .not_before = host_.clock.NowSeconds(),
                                    .not_after = host_.clock.NowSeconds() + std::chrono::hours(1)};
    const auto old_key = pki::PrivateKey::Generate(pki::Algorithm::kEcdsaP256);
    const auto new_key = pki::PrivateKey::Generate(pki::Algorithm::kEcdsaP256);
    std::string next = pki::NewSelfSignedCa(spec, new_key).Pem();
    host_.files.Write(directory + "/etcd/server.key", new_key.Pem(), {});
    host_.files.Write(directory + "/etcd/server.crt", pki::NewSelfSignedCa(spec, old_key).Pem(),
                      {});
    host_.files.Write(directory + "/etcd/server.crt.new", next, {});
    return next;
  }

  host::FakeHost host_;
  std::vector<std::string> said_;
};

TEST_F(NodeLockTest, ExcludesOtherCommandsAndNamesTheHolder) {
  {
    const NodeLock lock = Take("kubeadm init");
    EXPECT_EQ(
        Refusal("kubeadm join"),
        "\"kubeadm init\" (process " + std::to_string(::getpid()) +
            ", since 2026-01-01T00:00:00Z) is changing this node; wait until that is done, or "
            "let this command wait for it: --lock-timeout 10m");
    EXPECT_THAT(said_, IsEmpty());
  }
  EXPECT_EQ(Refusal("kubeadm join"), "");
}

TEST_F(NodeLockTest, FinishesPairsOfAKilledHolder) {
  static_pods::WriteManifest(
      host_.files, components::Component::kApiServer,
      {{"spec",
        {{"containers",
          {{{"name", "kube-apiserver"},
            {"command", {"kube-apiserver", "--tls-cert-file=/srv/pki/apiserver.crt"}}}}}}}});
  for (const std::string pki : {"/etc/kubernetes/pki", "/srv/pki"}) {
    const std::string next = CutOffBetweenKeyAndCertificate(pki);
    Take("kubeadm upgrade apply");
    EXPECT_EQ(host_.files.Read(pki + "/etcd/server.crt"), next);
    EXPECT_FALSE(host_.files.Exists(pki + "/etcd/server.crt.new"));
  }
}

TEST_F(NodeLockTest, IsTakenEvenIfAPairCannotBeFinished) {
  CutOffBetweenKeyAndCertificate("/etc/kubernetes/pki");
  host_.files.FailWritesTo("/etc/kubernetes/pki/etcd/server.crt");
  EXPECT_EQ(Refusal("kubeadm reset"), "");
  EXPECT_TRUE(host_.files.Exists("/etc/kubernetes/pki/etcd/server.crt.new"));
}

TEST_F(NodeLockTest, ReportsALongWaitOnce) {
  const NodeLock lock = Take("kubeadm upgrade apply");
  EXPECT_THAT(Refusal("kubeadm init phase certs ca", std::chrono::minutes(1)),
              HasSubstr("kubeadm upgrade apply"));
  EXPECT_THAT(said_, ElementsAre(AllOf(HasSubstr("[lock] \"kubeadm upgrade apply\" (process "),
                                       HasSubstr("is changing this node; waiting for it up to "
                                                 "1m0s"))));
  EXPECT_GE(host_.clock.Steady().time_since_epoch(), std::chrono::seconds(60));
}

TEST_F(NodeLockTest, ALongWaitNeedsNoProgressCallback) {
  const NodeLock lock = Take("kubeadm upgrade apply");
  EXPECT_THROW(LockNode(host_.host, {.command = "kubeadm join",
                                     .timeout = std::chrono::minutes(1),
                                     .directories = {},
                                     .say = {},
                                     .stop = {}}),
               base::Error);
}

TEST_F(NodeLockTest, AWaitEndsWhenTheHolderIsDone) {
  host::RealClock clock;
  std::optional<NodeLock> held = Take("kubeadm init");
  std::jthread release([&] {
    clock.Sleep(std::chrono::milliseconds(30), {});
    held.reset();
  });
  host::Host waiting = host_.With(clock);
  EXPECT_FALSE(LockNode(waiting, {.command = "kubeadm join",
                                  .timeout = std::chrono::seconds(30),
                                  .directories = {},
                                  .say = [](const std::string&) {},
                                  .stop = {}})
                   .empty());
}

TEST_F(NodeLockTest, ANegativeTimeIsRefused) {
  EXPECT_EQ(Refusal("kubeadm init", std::chrono::seconds(-1)),
            "--lock-timeout -1s: it must not be negative");
}

TEST_F(NodeLockTest, OtherUsersCannotOpenTheLock) {
  const NodeLock lock = Take("kubeadm init");
  EXPECT_EQ(host_.files.Stat(kFile)->mode, 0600U);
}

TEST_F(NodeLockTest, RestrictsALockFileThatOthersCouldOpen) {
  host_.files.Write(kFile, "", {.mode = 0666});
  const NodeLock lock = Take("kubeadm init");
  EXPECT_EQ(host_.files.Stat(kFile)->mode, 0600U);
}

TEST_F(NodeLockTest, RefusesALinkAtThePathOfTheLock) {
  host_.files.Write("/etc/shadow", "secret", {.mode = 0600});
  host_.files.MakeDirectories("/run/slipway", 0755);
  host::fs::create_symlink(host_.files.Location("/etc/shadow"), host_.files.Location(kFile));
  EXPECT_THAT(Refusal("kubeadm init"), HasSubstr("cannot open the lock"));
  EXPECT_EQ(host_.files.Read("/etc/shadow"), "secret");
}

TEST_F(NodeLockTest, NamesNoHolderIfTheNoteIsUnreadable) {
  const NodeLock lock = Take("kubeadm init");
  host_.files.Write(kFile, "", {});  // replaces the file: the new file is not locked
  const auto other = host::FileLock::Try(host_.files, kFile);
  EXPECT_THAT(Refusal("kubeadm join"), HasSubstr("another process is changing this node"));
}

// A /run without write permission: the user is not root, or /run is read-only.
class OwnDirectoriesTest : public NodeLockTest {
 protected:
  class NoRun : public host::FakeFiles {
   public:
    using FakeFiles::FakeFiles;
    void MakeDirectories(const host::fs::path& path, unsigned mode) override {
      if (!writable && path.string().starts_with("/run")) {
        throw base::Error(base::Error::Kind::kForbidden, "cannot make " + path.string());
      }
      FakeFiles::MakeDirectories(path, mode);
    }
    bool writable = false;
  };

  NodeLock LockOwn(const std::vector<host::fs::path>& directories) {
    host::Host host = host_.With(files_);
    return LockNode(host, {.command = "kubeadm init phase certs ca",
                           .timeout = std::chrono::seconds(0),
                           .directories = directories,
                           .say = [](const std::string&) {},
                           .stop = {}});
  }

  void SetUp() override { host_.machine.effective_user = 1000; }

  host::TemporaryDirectory directory_;
  NoRun files_{directory_.path()};
};

TEST_F(OwnDirectoriesTest, AreLockedInsteadOfTheNode) {
  const NodeLock lock = LockOwn({"/home/pki"});
  EXPECT_EQ(lock.size(), 1U);
  const base::Error error = base::Thrown([&] { LockOwn({"/home/pki"}); });
  EXPECT_EQ(error.kind(), base::Error::Kind::kTimeout);
  EXPECT_THAT(error.message(), HasSubstr("another process is changing directory /home/pki"));
  EXPECT_EQ(LockOwn({"/home/other"}).size(), 1U);
  EXPECT_THAT(files_.List("/home/pki"), IsEmpty());
}

TEST_F(OwnDirectoriesTest, TwoNamesOfOneDirectoryAreLockedOnce) {
  files_.MakeDirectories("/home/pki", 0755);
  host::fs::create_directory_symlink(files_.Location("/home/pki"), files_.Location("/home/link"));
  EXPECT_EQ(LockOwn({"/home/pki", "/home/link", "/home/pki/"}).size(), 1U);
}

TEST_F(OwnDirectoriesTest, LocksRootsDirectoriesByAPrivateFile) {
  host_.machine.effective_user = 0;
  const NodeLock lock = LockOwn({});  // join, reset and upgrade request no directories
  EXPECT_EQ(lock.size(), 1U);
  EXPECT_EQ(files_.Stat("/etc/kubernetes/.slipway-node.lock")->mode, 0600U);
  const base::Error error = base::Thrown([&] { LockOwn({"/home/pki"}); });
  EXPECT_EQ(error.kind(), base::Error::Kind::kTimeout);
  EXPECT_THAT(error.message(), HasSubstr("\"kubeadm init phase certs ca\" (process "));
  host_.machine.effective_user = 1000;
  EXPECT_EQ(LockOwn({"/home/pki"}).size(), 1U) << "a user's own directory is not the node's";
}

TEST_F(OwnDirectoriesTest, ADirectoryLockOfAnotherUserDoesNotBlockRoot) {
  files_.MakeDirectories("/etc/kubernetes", 0755);
  const auto stranger = host::FileLock::TryDirectory(files_, "/etc/kubernetes");
  ASSERT_TRUE(stranger);
  host_.machine.effective_user = 0;
  EXPECT_EQ(LockOwn({}).size(), 1U);
}

TEST_F(OwnDirectoriesTest, LocksAUsersDirectoriesAgainstRootToo) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "needs root";
  }
  const auto as_root = [&](const char* directory) {
    host::Host host = host_.With(files_);
    files_.writable = true;
    const NodeLock lock = LockNode(host, {.command = "kubeadm init phase certs ca",
                                          .timeout = std::chrono::seconds(0),
                                          .directories = {directory},
                                          .say = {},
                                          .stop = {}});
    return lock.size();
  };
  files_.MakeDirectories("/home/pki", 0755);
  files_.MakeDirectories("/etc/kubernetes/pki", 0755);
  files_.SetOwner("/home/pki", 1000, 1000);
  EXPECT_EQ(as_root("/home/pki"), 2U);
  EXPECT_EQ(as_root("/etc/kubernetes/pki"), 1U) << "root's are the node's";
  EXPECT_EQ(as_root("/home/none"), 1U);
  files_.writable = false;
  const NodeLock lock = LockOwn({"/home/pki"});
  EXPECT_THROW(as_root("/home/pki"), base::Error);
}

TEST_F(OwnDirectoriesTest, AcceptsAnEmptyListOfDirectories) {
  EXPECT_THAT(LockOwn({"/run/x"}), IsEmpty());
}

}  // namespace
}  // namespace engine
