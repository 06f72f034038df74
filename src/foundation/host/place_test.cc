// SPDX-License-Identifier: Apache-2.0
#include "host/place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fake_error.h"
#include "host/fake_host.h"
#include "host/file_lock.h"
#include "host/link.h"
#include "host/new_file.h"
#include "host/renames.h"

namespace host {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr unsigned kDaemon = 1234;  // a user who owns a directory below /var/lib

// A machine on which root changes paths that the user has not named.
class LinkRuleTest : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) {
      GTEST_SKIP() << "needs root";
    }
    files_.Write("/etc/shadow", "secret", {.mode = 0600});
    files_.MakeDirectories("/etc/profile.d", 0755);
    files_.MakeDirectories("/var/lib/daemon", 0755);
    files_.SetOwner("/var/lib/daemon", kDaemon, kDaemon);
  }

  fs::path Real(const fs::path& path) const { return files_.Location(path); }
  void Link(const fs::path& target, const fs::path& path, unsigned owner) {
    fs::create_symlink(Real(target), Real(path));
    ASSERT_EQ(::lchown(Real(path).c_str(), owner, owner), 0);
  }
  template <typename F>
  void ExpectRefused(F body) {
    const base::Error error = base::Thrown(body);
    EXPECT_EQ(error.kind(), base::Error::Kind::kInvalid) << error.message();
    EXPECT_THAT(error.message(), HasSubstr("symbolic link that a user other than root"));
  }
  // Tries every kind of change of a path.
  void ExpectNothingThrough(const fs::path& path) {
    const fs::path file = path / "file";
    ExpectRefused([&] { files_.Write(file, "x", {.mode = 0644}); });
    ExpectRefused([&] { files_.Write(file, "x", {}); });
    ExpectRefused([&] { files_.MakeDirectories(file, 0755); });
    ExpectRefused([&] { files_.SetMode(file, 0777); });
    ExpectRefused([&] { files_.SetOwner(file, kDaemon, kDaemon); });
    ExpectRefused([&] { files_.Remove(file); });
    ExpectRefused([&] { files_.RemoveTree(file); });
    ExpectRefused([&] { Rename(files_, "/etc/shadow", file); });
    ExpectRefused([&] { Rename(files_, file, "/etc/x"); });
    ExpectRefused([&] { Exchange(files_, file, "/etc/shadow"); });
    ExpectRefused([&] { ReplaceByLink(files_, file, "/etc/shadow"); });
    ExpectRefused([&] { const NewFile fresh(files_, file); });
    ExpectRefused([&] { FileLock::Try(files_, file); });
  }

  TemporaryDirectory directory_;
  FakeFiles files_{directory_.path()};
};

TEST_F(LinkRuleTest, WritesThroughNoLinkInADirectoryOfAnotherUser) {
  for (const unsigned owner : {kDaemon, 0U}) {
    Link("/etc/shadow", "/var/lib/daemon/metrics", owner);
    Link("/etc/profile.d/new", "/var/lib/daemon/dangling", owner);
    for (const char* name : {"metrics", "dangling"}) {
      const fs::path path = fs::path("/var/lib/daemon") / name;
      ExpectRefused([&] { files_.Write(path, "x", {.mode = 0644}); });
      ExpectRefused([&] { files_.SetMode(path, 0777); });
      ExpectRefused([&] { files_.SetOwner(path, kDaemon, kDaemon); });
      EXPECT_TRUE(files_.Remove(path)) << "the link itself goes";
    }
  }
  EXPECT_EQ(files_.Read("/etc/shadow"), "secret");
  EXPECT_THAT(files_.List("/etc/profile.d"), IsEmpty());
}

TEST_F(LinkRuleTest, RefusesALinkInTheMiddleOfThePath) {
  Link("/etc/profile.d", "/var/lib/daemon/sub", kDaemon);
  ExpectNothingThrough("/var/lib/daemon/sub");
  ExpectNothingThrough("/var/lib/daemon/sub/deeper");
  Link("/etc/profile.d", "/var/lib/given", kDaemon);
  ExpectNothingThrough("/var/lib/given");
  EXPECT_THAT(files_.List("/etc/profile.d"), IsEmpty());
  EXPECT_EQ(files_.Read("/etc/shadow"), "secret");
}

TEST_F(LinkRuleTest, RefusesLinksInDirectoriesThatOtherUsersMayWrite) {
  for (const unsigned mode : {0775U, 0757U, 01777U}) {
    files_.MakeDirectories("/open", 0755);
    files_.SetMode("/open", mode);
    Link("/etc/profile.d", "/open/link", 0);
    ExpectNothingThrough("/open/link");
    files_.RemoveTree("/open");
  }
}

TEST_F(LinkRuleTest, RefusesLinksInARootDirectoryBelowAUsersDirectory) {
  files_.MakeDirectories("/var/lib/daemon/roots", 0755);
  Link("/etc/profile.d", "/var/lib/daemon/roots/link", 0);
  ExpectNothingThrough("/var/lib/daemon/roots/link");
}

TEST_F(LinkRuleTest, FollowsRootsOwnLinks) {
  files_.MakeDirectories("/data/kubernetes", 0755);
  Link("/data/kubernetes", "/etc/kubernetes", 0);
  fs::create_symlink("../etc/kubernetes", Real("/var/by"));
  files_.Write("/var/by/pki/ca.crt", "x", {.mode = 0644});
  EXPECT_EQ(files_.Read("/data/kubernetes/pki/ca.crt"), "x");
  Link("/data/kubernetes/pki/ca.crt", "/etc/ca.crt", 0);
  files_.Write("/etc/ca.crt", "y", {.mode = 0644});
  files_.SetMode("/etc/ca.crt", 0640);
  files_.SetOwner("/etc/ca.crt", kDaemon, kDaemon);
  EXPECT_EQ(files_.Read("/data/kubernetes/pki/ca.crt"), "y");
  EXPECT_EQ(files_.Stat("/data/kubernetes/pki/ca.crt")->mode, 0640U);
  EXPECT_EQ(files_.Stat("/data/kubernetes/pki/ca.crt")->uid, kDaemon);
  EXPECT_EQ(files_.Stat("/etc/ca.crt")->kind, FileInfo::Kind::kLink);
  EXPECT_TRUE(files_.Remove("/var/by/pki/ca.crt"));
  EXPECT_THAT(files_.List("/data/kubernetes/pki"), IsEmpty());
}

TEST_F(LinkRuleTest, TrustsLinksOfAConfiguredUserLikeThoseOfRoot) {
  files_.KeepSecretsOf({.user = [](unsigned uid) { return uid == kDaemon; }});
  files_.MakeDirectories("/disk/etcd", 0700);
  Link("/disk/etcd", "/var/lib/etcd", kDaemon);
  files_.Write("/var/lib/etcd/f", "x", {});
  EXPECT_TRUE(files_.Exists("/disk/etcd/f"));
  Link("/etc/profile.d", "/var/lib/daemon/sub", kDaemon);
  ExpectNothingThrough("/var/lib/daemon/sub");
}

TEST_F(LinkRuleTest, WritesPlainFilesInADirectoryOfAnotherUser) {
  files_.Write("/var/lib/daemon/metrics", "1", {.mode = 0644});
  files_.Write("/var/lib/daemon/sub/metrics", "1", {.mode = 0644});
  files_.Write("/var/lib/daemon/metrics", "2", {.mode = 0644});
  EXPECT_EQ(files_.Read("/var/lib/daemon/metrics"), "2");
  ASSERT_EQ(::link(Real("/etc/shadow").c_str(), Real("/var/lib/daemon/hard").c_str()), 0);
  files_.Write("/var/lib/daemon/hard", "x", {.mode = 0644});
  EXPECT_EQ(files_.Read("/etc/shadow"), "secret");
  ASSERT_EQ(::mkfifo(Real("/var/lib/daemon/pipe").c_str(), 0666), 0);
  EXPECT_THAT(
      base::Thrown([&] { files_.Write("/var/lib/daemon/pipe", "x", {.mode = 0644}); }).message(),
      HasSubstr("it is not a file"));
}

TEST_F(LinkRuleTest, FollowsAllLinksInPathsThatTheUserNamed) {
  Link("/etc/profile.d", "/var/lib/daemon/sub", kDaemon);
  files_.FollowLinksOf({"/var/lib/daemon/sub/"});
  files_.Write("/var/lib/daemon/sub/x", "x", {.mode = 0644});
  EXPECT_THAT(files_.List("/etc/profile.d"), ElementsAre("x"));
  Link("/etc/profile.d", "/var/lib/daemon/subs", kDaemon);
  ExpectNothingThrough("/var/lib/daemon/subs");
}

TEST_F(LinkRuleTest, AnEndlessLinkIsAnError) {
  fs::create_symlink("loop", Real("/etc/loop"));
  EXPECT_THAT(base::Thrown([&] { files_.Write("/etc/loop", "x", {}); }).message(),
              HasSubstr("Too many levels"));
  EXPECT_THAT(base::Thrown([&] { files_.Write("/etc/loop/x", "x", {}); }).message(),
              HasSubstr("Too many levels"));
}

}  // namespace
}  // namespace host
