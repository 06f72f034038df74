// SPDX-License-Identifier: Apache-2.0
#include "host/files.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <thread>

#include "base/fake_error.h"
#include "host/descriptor.h"
#include "host/fake_host.h"
#include "host/temporary_file.h"

namespace host {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class RealFilesTest : public testing::Test {
 protected:
  // Returns the message of the error that `body` throws. Expects the error to have this kind.
  template <typename F>
  static std::string Failure(base::Error::Kind kind, F body) {
    const base::Error error = base::Thrown(body);
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.what();
  }

  TemporaryDirectory directory_;
  RealFiles files_{directory_.path()};
  const mode_t umask_ = ::umask(022);
  ~RealFilesTest() override { ::umask(umask_); }
};

TEST_F(RealFilesTest, WritesBelowItsRootAndReadsBack) {
  files_.Write("/etc/kubernetes/admin.conf", "secret", {});
  EXPECT_EQ(files_.Read("/etc/kubernetes/admin.conf"), "secret");
  EXPECT_EQ(files_.Location("/etc/x"), directory_.path() / "etc/x");
  EXPECT_TRUE(fs::exists(directory_.path() / "etc/kubernetes/admin.conf"));
}

TEST_F(RealFilesTest, CreatesAFileWithTheModeThatTheUmaskAllows) {
  int number = 0;
  for (const auto& [umask, open, secret] :
       std::initializer_list<std::array<unsigned, 3>>{{0, 0644, 0600},
                                                      {022, 0644, 0600},
                                                      {027, 0640, 0600},
                                                      {077, 0600, 0600},
                                                      {0777, 0600, 0600}}) {
    ::umask(umask);
    const std::string name = "/" + std::to_string(++number);
    files_.Write(name, "", {.mode = 0644});
    EXPECT_EQ(files_.Stat(name)->mode, open) << umask;
    files_.Write(name + "-secret", "", {});
    EXPECT_EQ(files_.Stat(name + "-secret")->mode, secret) << umask;
  }
}

TEST_F(RealFilesTest, CreatesMissingParentsWithTheGivenMode) {
  files_.Write("/x/y/file", "", {.directory_mode = 0700});
  EXPECT_EQ(files_.Stat("/x")->mode, 0700U);
  EXPECT_EQ(files_.Stat("/x/y")->mode, 0700U);
  files_.Write("/x/y/other", "", {.directory_mode = 0755});
  EXPECT_EQ(files_.Stat("/x/y")->mode, 0700U) << "a directory that exists stays as it is";
}

TEST_F(RealFilesTest, AnExistingFileKeepsItsModeUnlessToldOtherwise) {
  files_.Write("/a", "1", {.mode = 0640});
  files_.Write("/a", "2", {.mode = 0644});
  EXPECT_EQ(files_.Stat("/a")->mode, 0640U);
  files_.Write("/a", "3", {.mode = 0644, .keep_mode = false});
  EXPECT_EQ(files_.Stat("/a")->mode, 0644U);
  EXPECT_EQ(files_.Read("/a"), "3");
}

TEST_F(RealFilesTest, DoesNotMakeASecretMoreReadableThanTheReplacedFile) {
  for (const auto& [before, after] : std::initializer_list<std::pair<unsigned, unsigned>>{
           {0666, 0640}, {0640, 0640}, {0755, 0640}, {0600, 0600}, {0400, 0400}, {0, 0400}}) {
    files_.Write("/a", "1", {});
    files_.SetMode("/a", before);
    files_.Write("/a", "2", {});
    EXPECT_EQ(files_.Stat("/a")->mode, after) << before;
  }
}

TEST_F(RealFilesTest, AnExistingFileKeepsItsOwner) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "needs root";
  }
  files_.Write("/a", "1", {.mode = 0644});
  files_.SetOwner("/a", 1234, 5678);
  files_.Write("/a", "2", {.mode = 0644});
  EXPECT_EQ(files_.Stat("/a")->uid, 1234U);
  EXPECT_EQ(files_.Stat("/a")->gid, 5678U);
}

TEST_F(RealFilesTest, WritesTheTargetOfALinkAndKeepsTheLink) {
  files_.Write("/real/file", "1", {});
  fs::create_symlink("real/file", directory_.path() / "link");
  fs::create_symlink("real/new", directory_.path() / "dangling");
  files_.Write("/link", "2", {});
  files_.Write("/dangling", "3", {});
  EXPECT_EQ(files_.Read("/real/file"), "2");
  EXPECT_EQ(files_.Read("/real/new"), "3");
  EXPECT_EQ(files_.Stat("/link")->kind, FileInfo::Kind::kLink);
  fs::create_symlink("loop", directory_.path() / "loop");
  EXPECT_THAT(Failure(base::Error::Kind::kOther, [&] { files_.Write("/loop", "", {}); }),
              HasSubstr("Too many levels"));
}

TEST_F(RealFilesTest, CreatesNoDirectoryForTheTargetOfALink) {
  fs::create_symlink("unmounted/key", directory_.path() / "key");
  const base::Error error = base::Thrown([&] { files_.Write("/key", "secret", {}); });
  EXPECT_EQ(error.kind(), base::Error::Kind::kNotFound);
  EXPECT_THAT(error.message(), HasSubstr("it is a link into"));
  EXPECT_FALSE(files_.Exists("/unmounted"));
}

TEST_F(RealFilesTest, ALinkOfAnotherUserInASharedDirectoryIsRefused) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "needs root";
  }
  files_.Write("/target", "mine", {});
  files_.MakeDirectories("/shared", 0755);
  files_.SetMode("/shared", 01777);
  for (const char* goal : {"target", "absent"}) {
    const fs::path link = directory_.path() / "shared/link";
    fs::create_symlink(directory_.path() / goal, link);
    ASSERT_EQ(::lchown(link.c_str(), 1234, 1234), 0);
    files_.FollowLinksOf({"/shared/link"});
    for (const unsigned mode : {0644U, 0600U}) {
      EXPECT_THAT(Failure(base::Error::Kind::kForbidden,
                          [&] { files_.Write("/shared/link", "x", {.mode = mode}); }),
                  HasSubstr("another user (number 1234)"));
    }
    ASSERT_EQ(::lchown(link.c_str(), 0, 0), 0);
    files_.Write("/shared/link", "x", {.mode = 0644});
    EXPECT_EQ(files_.Read(std::string("/") + goal), "x") << "root's own link";
    fs::remove(link);
    files_.Remove(std::string("/") + goal);
  }
}

TEST_F(RealFilesTest, ALinkToAnOpenPipeIsWrittenThrough) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const std::string path = "/proc/self/fd/" + std::to_string(ends[1]);
  RealFiles machine;
  machine.FollowLinksOf({path});
  machine.Write(path, "text", {.mode = 0644});
  char read[8] = "";
  EXPECT_EQ(::read(ends[0], read, sizeof read), 4);
  EXPECT_STREQ(read, "text");
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_F(RealFilesTest, WritesNoSecretThroughALinkOfAnotherUser) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "needs root";
  }
  files_.Write("/target", "mine", {});
  files_.MakeDirectories("/home", 0755);
  files_.SetOwner("/home", 1234, 1234);
  const fs::path link = directory_.path() / "home/link";
  fs::create_symlink(directory_.path() / "target", link);
  ASSERT_EQ(::lchown(link.c_str(), 1234, 1234), 0);
  files_.FollowLinksOf({"/home/"});
  EXPECT_THAT(
      Failure(base::Error::Kind::kForbidden, [&] { files_.Write("/home/link", "key", {}); }),
      HasSubstr("home/link"));
  EXPECT_EQ(files_.Read("/target"), "mine");
  files_.Write("/home/link", "text", {.mode = 0644});
  EXPECT_EQ(files_.Read("/target"), "text") << "as the kernel does outside of shared directories";
}

TEST_F(RealFilesTest, APipeOfAnotherUserInASharedDirectoryIsRefused) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "needs root";
  }
  files_.MakeDirectories("/shared", 0755);
  files_.SetMode("/shared", 01777);
  const fs::path pipe = directory_.path() / "shared/pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0666), 0);
  ASSERT_EQ(::chown(pipe.c_str(), 1234, 1234), 0);
  EXPECT_THROW(files_.Write("/shared/pipe", "x", {.mode = 0644}), base::Error);
  files_.FollowLinksOf({"/shared/pipe"});
  EXPECT_THROW(files_.Write("/shared/pipe", "x", {.mode = 0644}), base::Error);
}

TEST_F(RealFilesTest, RefusesAnEndlessFile) {
  const RealFiles machine;
  EXPECT_THAT(Failure(base::Error::Kind::kInvalid, [&] { machine.Read("/dev/zero"); }),
              HasSubstr("/dev/zero is larger than 64 MiB"));
  EXPECT_EQ(machine.Read("/dev/null"), "");
  Failure(base::Error::Kind::kOther, [&] { machine.Read("/"); });
  const fs::path large = directory_.path() / "large";
  files_.Write("/large", "x", {});
  ASSERT_EQ(::truncate(large.c_str(), off_t{64} << 20), 0);
  EXPECT_EQ(files_.Read("/large").size(), std::size_t{64} << 20);
  ASSERT_EQ(::truncate(large.c_str(), (off_t{64} << 20) + 1), 0);
  EXPECT_THAT(Failure(base::Error::Kind::kInvalid, [&] { files_.Read("/large"); }),
              HasSubstr("larger than 64 MiB"));
}

TEST_F(RealFilesTest, APipeIsReadToItsEnd) {
  const fs::path pipe = directory_.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const std::string text(200'000, 'x');
  std::thread writer([&] {
    const Descriptor fd(::open(pipe.c_str(), O_WRONLY | O_CLOEXEC));
    WriteAll(fd.get(), text, pipe);
  });
  EXPECT_EQ(files_.Read("/pipe"), text);
  writer.join();
}

TEST_F(RealFilesTest, APipeOfAShellIsRead) {
  for (const std::string text : {"", "x"}) {
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const Descriptor reader(ends[0]);
    {
      const Descriptor writer(ends[1]);
      WriteAll(writer.get(), text, "pipe");
    }
    EXPECT_EQ(RealFiles().Read("/dev/fd/" + std::to_string(reader.get())), text);
  }
}

TEST_F(RealFilesTest, StopsReadingAPipeWithoutAWriter) {
  ASSERT_EQ(::mkfifo((directory_.path() / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(Failure(base::Error::Kind::kTimeout, [&] { files_.Read("/pipe"); }),
              HasSubstr("no data came from the pipe"));
}

TEST_F(RealFilesTest, MakesTheWriterTheOwnerOfASecretInAForeignDirectory) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "needs root";
  }
  struct Row {
    unsigned directory_mode, directory_owner, asked, owner, mode;
  };
  // The trap: an existing file of user 1234, readable by all.
  for (const Row& row :
       {Row{0755, 0, 0600, 0, 0600}, Row{0755, 1234, 0600, 0, 0600}, Row{01777, 0, 0600, 0, 0600},
        Row{0775, 0, 0600, 0, 0600}, Row{01777, 0, 0644, 1234, 0666}}) {
    files_.Write("/d/f", "trap", {.mode = 0600, .keep_mode = false});
    files_.SetMode("/d", row.directory_mode);
    files_.SetOwner("/d", row.directory_owner, row.directory_owner);
    files_.SetOwner("/d/f", 1234, 1234);
    files_.SetMode("/d/f", 0666);
    files_.Write("/d/f", "secret", {.mode = row.asked});
    EXPECT_EQ(files_.Stat("/d/f")->uid, row.owner) << row.directory_mode << row.directory_owner;
    EXPECT_EQ(files_.Stat("/d/f")->mode, row.mode) << row.directory_mode << row.directory_owner;
    files_.RemoveTree("/d");
  }
}

TEST_F(RealFilesTest, KeepsASecretReadableForItsUser) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "needs root";
  }
  files_.KeepSecretsOf({.user = [](unsigned uid) { return uid == 101; },
                        .group = [](unsigned gid) { return gid == 102; }});
  struct Row {
    unsigned uid, gid, mode, new_uid, new_gid, new_mode;
  };
  for (const Row& row : {Row{101, 102, 0666, 101, 102, 0640}, Row{0, 102, 0640, 0, 102, 0640},
                         Row{101, 5678, 0640, 101, 0, 0600}, Row{1234, 102, 0600, 0, 102, 0600},
                         Row{1234, 5678, 0640, 0, 0, 0600}, Row{0, 5678, 0666, 0, 5678, 0640}}) {
    files_.Write("/a", "1", {});
    files_.SetOwner("/a", row.uid, row.gid);
    files_.SetMode("/a", row.mode);
    files_.Write("/a", "2", {});
    const FileInfo info = *files_.Stat("/a");
    EXPECT_EQ(info.uid, row.new_uid) << row.uid << " " << row.gid;
    EXPECT_EQ(info.gid, row.new_gid) << row.uid << " " << row.gid;
    EXPECT_EQ(info.mode, row.new_mode) << row.uid << " " << row.gid;
  }
}

TEST_F(RealFilesTest, ExtendedAttributesAreKept) {
  files_.Write("/a", "1", {.mode = 0640});
  const fs::path real = directory_.path() / "a";
  if (::setxattr(real.c_str(), "user.label", "kept", 4, 0) != 0) {
    GTEST_SKIP() << "no extended attributes here";
  }
  files_.Write("/a", "2", {});
  EXPECT_EQ(files_.Stat("/a")->mode, 0640U);
  char value[8] = "";
  EXPECT_EQ(::getxattr(real.c_str(), "user.label", value, sizeof value), 4);
  EXPECT_STREQ(value, "kept");
  // The attribute that SELinux reads, on a system without SELinux.
  if (::setxattr(real.c_str(), "security.selinux", "system_u:object_r:x_t:s0", 25, 0) == 0) {
    files_.Write("/a", "3", {});
    char label[64] = "";
    EXPECT_EQ(::getxattr(real.c_str(), "security.selinux", label, sizeof label), 25);
    EXPECT_STREQ(label, "system_u:object_r:x_t:s0");
  }
  files_.Write("/a", "4", {.keep_mode = false});
  EXPECT_EQ(::getxattr(real.c_str(), "user.label", value, sizeof value), -1);
}

// Returns a default access list in the kernel's format (linux/posix_acl_xattr.h). It lets `user`
// read, and has the usual entries for the owner, the group and others.
std::string ListThatLetsRead(std::uint32_t user) {
  struct Entry {
    std::uint16_t tag, rights;
    std::uint32_t id = ~0U;
  };
  const Entry entries[] = {{0x01, 7}, {0x02, 5, user}, {0x04, 5}, {0x10, 7}, {0x20, 5}};
  const std::uint32_t version = 2;
  std::string list(reinterpret_cast<const char*>(&version), sizeof version);
  return list.append(reinterpret_cast<const char*>(entries), sizeof entries);
}

TEST_F(RealFilesTest, InheritsNoAttributesFromTheDirectory) {
  files_.Write("/d/key", "1", {.mode = 0640});
  const fs::path dir = directory_.path() / "d";
  const std::string list = ListThatLetsRead(1000);
  if (::chown(dir.c_str(), ::geteuid(), 1000) != 0 ||
      ::setxattr(dir.c_str(), "system.posix_acl_default", list.data(), list.size(), 0) != 0) {
    GTEST_SKIP() << "no groups of others or no access lists here";
  }
  ASSERT_EQ(::chmod(dir.c_str(), 02755), 0);
  files_.Write("/d/key", "2", {});
  EXPECT_EQ(files_.Stat("/d/key")->gid, ::getegid());
  EXPECT_EQ(files_.Stat("/d/key")->mode, 0640U);
  EXPECT_EQ(::getxattr((dir / "key").c_str(), "system.posix_acl_access", nullptr, 0), -1);
  files_.Write("/d/new", "secret", {.mode = 0600});
  EXPECT_EQ(files_.Stat("/d/new")->mode, 0600U);
}

TEST_F(RealFilesTest, RemovesLeftoversOfAKilledWrite) {
  const fs::path dir = directory_.path() / "d";
  fs::create_directory(dir);
  const auto make = [&](const char* name) {
    return Descriptor(::open((dir / name).c_str(), O_CREAT | O_RDWR, 0600));
  };
  make(".slipway-abc123");
  make(".slipway-longer-name");
  make(".other-abc123");
  fs::create_symlink("/etc/passwd", dir / ".slipway-LINK00");
  const Descriptor alive = make(".slipway-alive0");
  ASSERT_EQ(::flock(alive.get(), LOCK_EX), 0);
  files_.Write("/d/file", "x", {});
  EXPECT_THAT(files_.List("/d"), ElementsAre(".other-abc123", ".slipway-LINK00", ".slipway-alive0",
                                             ".slipway-longer-name", "file"));
}

TEST_F(RealFilesTest, KeepsTemporaryFilesOfConcurrentWriters) {
  std::vector<std::jthread> writers;
  for (int i = 0; i < 8; ++i) {
    writers.emplace_back([&, i] {
      for (int round = 0; round < 50; ++round) {
        const pid_t child = ::fork();  // a new process searches for leftovers again
        if (child == 0) {
          try {
            files_.Write("/d/" + std::to_string(i), "x", {});
          } catch (const base::Error&) {
            ::_exit(1);
          }
          ::_exit(0);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        EXPECT_EQ(status, 0);
      }
    });
  }
  writers.clear();
  EXPECT_EQ(files_.List("/d").size(), 8U);
}

TEST_F(RealFilesTest, KeepsOnlyTheOldContentAfterAFailedWrite) {
  files_.Write("/a", "old", {});
  rlimit limit{};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit small{.rlim_cur = 1000, .rlim_max = limit.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ::setrlimit(RLIMIT_FSIZE, &small);
  const std::string text = Failure(base::Error::Kind::kOther,
                                   [&] { files_.Write("/a", std::string(100'000, 'x'), {}); });
  ::setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(text, "cannot write " + (directory_.path() / "a").string() + ": File too large");
  EXPECT_EQ(files_.Read("/a"), "old");
  EXPECT_THAT(files_.List("/"), ElementsAre("a"));
}

TEST_F(RealFilesTest, ReportsAFullDisk) {
  const fs::path disk = directory_.path() / "disk";
  fs::create_directory(disk);
  if (::mount("none", disk.c_str(), "tmpfs", 0, "size=16k") != 0) {
    GTEST_SKIP() << "needs the right to mount";
  }
  files_.Write("/disk/a", "old", {});
  EXPECT_THAT(Failure(base::Error::Kind::kOther,
                      [&] { files_.Write("/disk/a", std::string(100'000, 'x'), {}); }),
              HasSubstr("disk/a: No space left on device"));
  EXPECT_EQ(files_.Read("/disk/a"), "old");
  EXPECT_THAT(files_.List("/disk"), ElementsAre("a"));
  ::umount2(disk.c_str(), MNT_DETACH);
}

TEST_F(RealFilesTest, WritesAMountedFileInPlace) {
  files_.Write("/outside", "1", {});
  files_.Write("/inside", "", {});
  const fs::path inside = directory_.path() / "inside";
  if (::mount((directory_.path() / "outside").c_str(), inside.c_str(), nullptr, MS_BIND, nullptr) !=
      0) {
    GTEST_SKIP() << "needs the right to mount";
  }
  files_.Write("/inside", "2", {});
  ::umount2(inside.c_str(), MNT_DETACH);
  EXPECT_EQ(files_.Read("/outside"), "2");
  EXPECT_THAT(files_.List("/"), ElementsAre("inside", "outside"));
}

TEST_F(RealFilesTest, WritesToDevicesWithoutReplacingThem) {
  RealFiles machine;
  machine.Write("/dev/null", "x", {});
  EXPECT_EQ(machine.Stat("/dev/null")->kind, FileInfo::Kind::kOther);
}

TEST_F(RealFilesTest, RefusesPathsBlockedByADirectoryOrFile) {
  files_.MakeDirectories("/directory", 0755);
  files_.Write("/file", "", {});
  EXPECT_THAT(Failure(base::Error::Kind::kOther, [&] { files_.Write("/directory", "", {}); }),
              HasSubstr("directory: Is a directory"));
  EXPECT_THAT(Failure(base::Error::Kind::kOther, [&] { files_.Write("/file/x", "", {}); }),
              HasSubstr("Not a directory"));
  EXPECT_THAT(Failure(base::Error::Kind::kOther, [&] { files_.Find("/directory"); }),
              HasSubstr("directory: Is a directory"));
  EXPECT_THAT(Failure(base::Error::Kind::kOther, [&] { files_.MakeDirectories("/file", 0755); }),
              HasSubstr("file: Not a directory"));
}

TEST_F(RealFilesTest, ReturnsNulloptOrThrowsNotFoundForAMissingFile) {
  files_.Write("/file", "", {});
  EXPECT_EQ(files_.Find("/none"), std::nullopt);
  EXPECT_EQ(files_.Find("/none/none"), std::nullopt);
  EXPECT_EQ(files_.Find("/file/none"), std::nullopt);
  EXPECT_EQ(files_.Stat("/none"), std::nullopt);
  EXPECT_FALSE(files_.Exists("/none"));
  EXPECT_FALSE(files_.Remove("/none"));
  files_.RemoveTree("/none");
  using enum base::Error::Kind;
  EXPECT_THAT(Failure(kNotFound, [&] { files_.Read("/none"); }), HasSubstr("/none"));
  EXPECT_THAT(Failure(kNotFound, [&] { files_.List("/none"); }), HasSubstr("/none"));
  EXPECT_THAT(Failure(kNotFound, [&] { files_.SetMode("/none", 0600); }), HasSubstr("/none"));
  EXPECT_THAT(Failure(kNotFound, [&] { files_.SetOwner("/none", 0, 0); }), HasSubstr("/none"));
}

TEST_F(RealFilesTest, ReadsProcFilesWithSizeZeroCompletely) {
  const RealFiles machine;
  EXPECT_EQ(machine.Stat("/proc/self/status")->size, 0U);
  EXPECT_THAT(machine.Read("/proc/self/status"), HasSubstr("Pid:"));
}

TEST_F(RealFilesTest, ReadsLargeFilesCompletely) {
  const std::string large(3'000'001, 'z');
  files_.Write("/large", large, {});
  EXPECT_EQ(files_.Read("/large"), large);
  EXPECT_EQ(files_.Stat("/large")->size, large.size());
}

TEST_F(RealFilesTest, RemoveDeletesFilesAndEmptyDirectories) {
  files_.Write("/d/f", "", {});
  EXPECT_THROW(files_.Remove("/d"), base::Error);
  EXPECT_TRUE(files_.Remove("/d/f"));
  EXPECT_TRUE(files_.Remove("/d"));
  EXPECT_FALSE(files_.Exists("/d"));
}

TEST_F(RealFilesTest, ReportsModesAndTimes) {
  files_.Write("/a", "abc", {.mode = 0640});
  files_.SetMode("/a", 0604);
  const FileInfo info = *files_.Stat("/a");
  EXPECT_EQ(info.mode, 0604U);
  EXPECT_EQ(info.size, 3U);
  EXPECT_EQ(info.uid, ::geteuid());
  EXPECT_LT(std::chrono::abs(std::chrono::system_clock::now() - info.modified),
            std::chrono::hours(1));
}

}  // namespace
}  // namespace host
