// SPDX-License-Identifier: Apache-2.0
#include "host/remove_tree.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <thread>

#include "base/fake_error.h"
#include "host/descriptor.h"
#include "host/fake_host.h"

namespace host {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// Binds `from` to `to` for its lifetime.
class BindMount {
 public:
  BindMount(const fs::path& from, fs::path to)
      : to_(std::move(to)),
        done_(::mount(from.c_str(), to_.c_str(), nullptr, MS_BIND, nullptr) == 0) {}
  ~BindMount() {
    if (done_) {
      ::umount2(to_.c_str(), MNT_DETACH);
    }
  }
  BindMount(const BindMount&) = delete;
  BindMount& operator=(const BindMount&) = delete;
  bool done() const { return done_; }

 private:
  fs::path to_;
  bool done_;
};

class EmptyDirectoryTest : public testing::Test {
 protected:
  EmptyDirectoryTest() { files_.Write("/keep/f", "mine", {}); }
  fs::path Real(const fs::path& path) const { return files_.Location(path); }
  std::vector<std::string> Empty(const fs::path& path) {
    return EmptyDirectory(files_, path,
                          {.never = {"/keep"}, .recognized = {"member", "etcd/ca.key"}});
  }
  // Creates known and unknown entries in a directory.
  void Fill(const fs::path& path) {
    for (const char* name : {"member/snap/db", "etcd/ca.key", "lost+found/x", "mine"}) {
      files_.Write(path / name, "x", {});
    }
  }
  void ExpectOnlyRecognizedWentFrom(const fs::path& path) {
    EXPECT_THAT(files_.List(path), ElementsAre("lost+found", "mine")) << path;
  }

  TemporaryDirectory directory_;
  FakeFiles files_{directory_.path()};
};

TEST_F(EmptyDirectoryTest, RemovesTheContentAndFollowsNoLink) {
  files_.Write("/a/b/c", "", {});
  files_.Write("/a/d", "", {});
  fs::create_directory_symlink(Real("/keep"), Real("/a/link"));
  EXPECT_THAT(Empty("/a/"), IsEmpty());
  EXPECT_THAT(files_.List("/a"), IsEmpty());
  EXPECT_TRUE(files_.Exists("/keep/f"));
  EXPECT_THAT(Empty("/absent/x"), IsEmpty());
  EXPECT_THAT(Empty("/keep/f"), ElementsAre(HasSubstr("keep/f: Not a directory")));
  EXPECT_THROW(Empty("a"), base::Error);
}

TEST_F(EmptyDirectoryTest, RemovesOnlyTheSelectedEntriesAndNamesTheRest) {
  for (const char* path :
       {"/a/ca.crt", "/a/ls", "/a/.slipway-Ab12cd", "/a/.slipway-notes", "/a/etcd/ca.key",
        "/a/etcd/.slipway-Ab12cd", "/a/etcd/mine", "/a/t/u/v", "/a/front/x", "/a/t.bak/ca.crt"}) {
    files_.Write(path, "", {});
  }
  fs::create_symlink(Real("/keep/f"), Real("/a/sa.key"));
  fs::create_directory_symlink(Real("/keep"), Real("/a/linked"));
  const EmptyOptions options{
      .only = {{"ca.crt", "sa.key", "absent", "etcd/ca.key", "front/x", "t", "linked/f"}}};
  EXPECT_THAT(EmptyDirectory(files_, "/a", options),
              ElementsAre(HasSubstr("linked: Not a directory"),
                          HasSubstr("are kept in " + Real("/a").string() +
                                    ": \".slipway-notes\", \"etcd/mine\", \"ls\", \"t.bak\"")));
  EXPECT_THAT(files_.List("/a"), ElementsAre(".slipway-notes", "etcd", "linked", "ls", "t.bak"));
  EXPECT_THAT(files_.List("/a/etcd"), ElementsAre("mine"));
  EXPECT_EQ(files_.Read("/keep/f"), "mine");
}

TEST_F(EmptyDirectoryTest, NamesTheFirstOfManyForeignEntries) {
  for (int i = 10; i < 40; ++i) {
    files_.Write("/a/f" + std::to_string(i), "", {});
  }
  EXPECT_THAT(EmptyDirectory(files_, "/a", {.only = {{"ca.crt"}}}),
              ElementsAre(AllOf(HasSubstr("\"f10\", \"f11\""), HasSubstr("\"f19\" and 20 more"))));
  EXPECT_THAT(files_.List("/a"), testing::SizeIs(30));
}

TEST_F(EmptyDirectoryTest, RemovesSelectedTreesOfAnyDepth) {
  fs::path deep = Real("/a/member");
  for (int i = 0; i < 130; ++i) {
    deep /= "d";
  }
  fs::create_directories(deep);
  files_.Write("/a/ca.crt", "", {});
  files_.Write("/a/other", "", {});
  EXPECT_THAT(EmptyDirectory(files_, "/a", {.only = {{"ca.crt", "member"}}}),
              ElementsAre(HasSubstr("\"other\"")));
  EXPECT_THAT(files_.List("/a"), ElementsAre("other"));
}

TEST_F(EmptyDirectoryTest, RemovesOnlyRecognizedEntriesThroughALink) {
  for (const char* path : {"/link", "/link/", "/through/pki", "/real/../link", "/named/pki"}) {
    files_.FollowLinksOf({"/named"});
    fs::remove(Real("/named"));
    fs::remove(Real("/link"));
    fs::remove(Real("/through"));
    fs::remove_all(Real("/real"));
    Fill("/real/pki");
    fs::create_directory_symlink(Real("/real/pki"), Real("/link"));
    fs::create_directory_symlink("real", Real("/through"));
    fs::create_directory_symlink("real", Real("/named"));
    EXPECT_THAT(Empty(path),
                ElementsAre(AllOf(HasSubstr("are kept in "), HasSubstr("/pki: \"mine\""))))
        << path;
    ExpectOnlyRecognizedWentFrom("/real/pki");
    EXPECT_EQ(files_.Stat("/link")->kind, FileInfo::Kind::kLink) << "the link stays";
  }
}

TEST_F(EmptyDirectoryTest, ResolvesDotDotLexically) {
  files_.Write("/real/pki/ca.key", "", {});
  files_.MakeDirectories("/real/deep/er", 0755);
  fs::create_directory_symlink(Real("/real/deep/er"), Real("/er"));
  EXPECT_THAT(Empty("/er/../keep/../real/pki"), IsEmpty());
  EXPECT_FALSE(files_.Exists("/real/pki/ca.key"));
  EXPECT_TRUE(files_.Exists("/real/deep"));
}

TEST_F(EmptyDirectoryTest, FollowsNoLinkOfAnotherUser) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "needs root";
  }
  Fill("/real");
  fs::create_directory_symlink(Real("/real"), Real("/link"));
  ASSERT_EQ(::lchown(Real("/link").c_str(), 1234, 1234), 0);
  EXPECT_THAT(Empty("/link"), ElementsAre(HasSubstr("a user other than root may have made")));
  EXPECT_TRUE(files_.Exists("/real/member/snap/db"));
}

TEST_F(EmptyDirectoryTest, KeepsMountsAtEveryDepth) {
  for (const char* path : {"/a/mount", "/a/b/c/mount"}) {
    files_.MakeDirectories(path, 0755);
  }
  files_.Write("/a/file", "", {});
  files_.Write("/a/b/x", "", {});
  const BindMount shallow(Real("/keep"), Real("/a/mount"));
  const BindMount deep(Real("/keep"), Real("/a/b/c/mount"));
  const BindMount file(Real("/keep/f"), Real("/a/file"));
  if (!shallow.done() || !deep.done() || !file.done()) {
    GTEST_SKIP() << "needs the right to mount";
  }
  EXPECT_THAT(Empty("/a"), testing::UnorderedElementsAre(
                               HasSubstr("a/mount: something else is mounted there"),
                               HasSubstr("a/b/c/mount: something else is mounted there"),
                               HasSubstr("a/file: Device or resource busy")));
  EXPECT_EQ(files_.Read("/keep/f"), "mine");
  EXPECT_FALSE(files_.Exists("/a/b/x"));
}

TEST_F(EmptyDirectoryTest, RemovesOnlyRecognizedEntriesOfAMountPoint) {
  Fill("/elsewhere");
  for (const char* path : {"/data", "/self", "/twice"}) {
    files_.MakeDirectories(path, 0755);
  }
  Fill("/self");
  const BindMount bind(Real("/elsewhere"), Real("/data"));
  const BindMount self(Real("/self"), Real("/self"));
  if (!bind.done() || ::mount("none", Real("/twice").c_str(), "tmpfs", 0, "size=16m") != 0) {
    GTEST_SKIP() << "needs the right to mount";
  }
  Fill("/twice");
  files_.MakeDirectories("/other", 0755);
  {
    const BindMount again(Real("/twice"), Real("/other"));
    for (const char* path : {"/data", "/self", "/other"}) {
      EXPECT_THAT(Empty(path), ElementsAre(HasSubstr(": \"mine\""))) << path;
      ExpectOnlyRecognizedWentFrom(path);
    }
  }
  ExpectOnlyRecognizedWentFrom("/twice");
  ::umount2(Real("/twice").c_str(), MNT_DETACH);
}

TEST_F(EmptyDirectoryTest, CrossesNoMountBelowAMountPoint) {
  Fill("/elsewhere");
  files_.MakeDirectories("/data", 0755);
  const BindMount bind(Real("/elsewhere"), Real("/data"));
  const BindMount below(Real("/keep"), Real("/data/member"));
  if (!bind.done() || !below.done()) {
    GTEST_SKIP() << "needs the right to mount";
  }
  EXPECT_THAT(Empty("/data"), ElementsAre(HasSubstr("data/member: something else is mounted there"),
                                          HasSubstr(": \"mine\"")));
  EXPECT_EQ(files_.Read("/keep/f"), "mine");
}

TEST_F(EmptyDirectoryTest, RecognizesAForbiddenDirectoryUnderAnotherName) {
  files_.MakeDirectories("/alias", 0755);
  const BindMount alias(Real("/keep"), Real("/alias"));
  if (!alias.done()) {
    GTEST_SKIP() << "needs the right to mount";
  }
  EXPECT_THAT(Empty("/alias"), ElementsAre(HasSubstr("it is /keep under")));
  EXPECT_TRUE(files_.Exists("/keep/f"));
}

TEST_F(EmptyDirectoryTest, RemovesATreeDeeperThanTheDescriptorLimit) {
  files_.MakeDirectories("/a", 0755);
  Descriptor at(::open(Real("/a").c_str(), O_PATH | O_DIRECTORY));
  for (int depth = 0; depth < 600; ++depth) {
    ASSERT_EQ(::mkdirat(at.get(), "d", 0755), 0);
    at = Descriptor(::openat(at.get(), "d", O_PATH | O_DIRECTORY));
  }
  EXPECT_THAT(Empty("/a"), IsEmpty());
  EXPECT_THAT(files_.List("/a"), IsEmpty());
}

TEST_F(EmptyDirectoryTest, CountsManyObstacles) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "needs the right to mount";
  }
  std::vector<std::unique_ptr<BindMount>> mounts;
  for (int i = 0; i < 25; ++i) {
    const fs::path path = "/a/" + std::to_string(i);
    files_.MakeDirectories(path, 0755);
    mounts.push_back(std::make_unique<BindMount>(Real("/keep"), Real(path)));
    ASSERT_TRUE(mounts.back()->done());
  }
  const auto kept = Empty("/a");
  ASSERT_THAT(kept, SizeIs(21));
  EXPECT_THAT(kept.back(), HasSubstr("5 further entries below"));
}

// Another thread repeatedly swaps the directory for a link to another one while it is emptied.
TEST_F(EmptyDirectoryTest, FollowsNoLinkThatIsSwappedIn) {
  files_.MakeDirectories("/a", 0755);
  // On tmpfs, the attacker is fast enough to defeat a removal by names within seconds.
  if (::mount("none", Real("/a").c_str(), "tmpfs", 0, "size=16m") != 0) {
    GTEST_SKIP() << "needs the right to mount";
  }
  files_.Write("/a/keep/f", "mine", {});
  const fs::path inside = Real("/a/b/x");
  const fs::path outside = Real("/a/aside");
  {
    std::jthread attacker([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        ::renameat2(AT_FDCWD, inside.c_str(), AT_FDCWD, outside.c_str(), RENAME_EXCHANGE);
      }
    });
    for (int round = 0; round < 3'000 && files_.Exists("/a/keep/f"); ++round) {
      std::error_code ignored;  // the attacker may be faster
      fs::remove_all(outside, ignored);
      fs::create_directory_symlink(Real("/a/keep"), outside, ignored);
      fs::create_directories(inside, ignored);
      Empty("/a/b");
    }
  }
  EXPECT_EQ(files_.Find("/a/keep/f"), "mine");
  ::umount2(Real("/a").c_str(), MNT_DETACH);
}

class RemoveTreeTest : public testing::Test {
 protected:
  TemporaryDirectory directory_;
  RealFiles files_{directory_.path()};
};

TEST_F(RemoveTreeTest, RefusesDotsAndTheRoot) {
  const TemporaryDirectory directory;
  RealFiles files(directory.path());
  files.Write("/x/y/z", "", {});
  for (const char* path : {"/x/..", "/x/y/..", "/x/.", "/x/../x", "/", "//", "", "/x/y/../../x/"}) {
    EXPECT_THROW(files.RemoveTree(path), base::Error) << path;
    EXPECT_TRUE(files.Exists("/x/y/z")) << path;
  }
  EXPECT_THROW(RealFiles().RemoveTree("."), base::Error);
  EXPECT_THROW(RealFiles().RemoveTree(".."), base::Error);
}

TEST_F(RemoveTreeTest, DoesNotEnterAMountOnTheDirectoryItself) {
  const TemporaryDirectory directory;
  RealFiles files(directory.path());
  files.Write("/keep/f", "", {});
  files.MakeDirectories("/tree", 0755);
  const BindMount mount(directory.path() / "keep", directory.path() / "tree");
  if (!mount.done()) {
    GTEST_SKIP() << "needs the right to mount";
  }
  EXPECT_THROW(files.RemoveTree("/tree"), base::Error);
  EXPECT_TRUE(files.Exists("/keep/f"));
}

TEST_F(RemoveTreeTest, DoesNotFollowLinks) {
  files_.Write("/keep/f", "", {});
  files_.Write("/tree/a/b/c", "", {});
  fs::create_symlink(directory_.path() / "keep", directory_.path() / "tree/a/link");
  files_.RemoveTree("/tree/");
  EXPECT_THAT(files_.List("/"), ElementsAre("keep"));
  EXPECT_TRUE(files_.Exists("/keep/f"));
  fs::create_symlink(directory_.path() / "keep", directory_.path() / "link");
  files_.RemoveTree("/link");
  EXPECT_TRUE(files_.Exists("/keep/f"));
  EXPECT_FALSE(files_.Exists("/link"));
}

TEST_F(RemoveTreeTest, ReportsMountsAndDoesNotCrossThem) {
  files_.Write("/keep/f", "", {});
  files_.Write("/tree/other/f", "", {});
  files_.MakeDirectories("/tree/mount", 0755);
  const fs::path mount = directory_.path() / "tree/mount";
  if (::mount((directory_.path() / "keep").c_str(), mount.c_str(), nullptr, MS_BIND, nullptr) !=
      0) {
    GTEST_SKIP() << "needs the right to mount";
  }
  const base::Error error = base::Thrown([&] { files_.RemoveTree("/tree"); });
  EXPECT_EQ(error.kind(), base::Error::Kind::kOther);
  ::umount2(mount.c_str(), MNT_DETACH);
  EXPECT_THAT(error.what(), HasSubstr("tree/mount: something else is mounted there"));
  EXPECT_TRUE(files_.Exists("/keep/f"));
  EXPECT_THAT(files_.List("/tree"), ElementsAre("mount")) << "the rest is gone";
}

TEST_F(RemoveTreeTest, RefusesToRemoveTheRoot) {
  EXPECT_THROW(RealFiles("/").RemoveTree("/"), base::Error);
}

}  // namespace
}  // namespace host
