// SPDX-License-Identifier: Apache-2.0
#include "host/plain_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/fake_error.h"
#include "host/fake_host.h"

namespace host {
namespace {

using testing::HasSubstr;

TEST(RequirePlainFile, RefusesFilesWhoseReadCouldBlock) {
  TemporaryDirectory directory;
  FakeFiles files(directory.path());
  files.Write("/plain", "text", {});
  files.Write("/large", std::string(101, 'x'), {});
  files.MakeDirectories("/directory", 0755);
  ASSERT_EQ(::mkfifo(files.Location("/pipe").c_str(), 0600), 0);
  for (const char* name : {"plain", "pipe"}) {
    fs::create_symlink(files.Location(name), files.Location(std::string("/to-") + name));
  }
  fs::create_symlink("/dev/zero", files.Location("/zero"));
  struct Case {
    const char* path;
    const char* want;  // part of the error; "" if it may be read
  };
  for (const Case& c : std::initializer_list<Case>{{"/plain", ""},
                                                   {"/to-plain", ""},
                                                   {"/absent", ""},
                                                   {"/plain/below", ""},
                                                   {"/directory", "/directory is a directory"},
                                                   {"/pipe", "/pipe is a pipe, no file"},
                                                   {"/to-pipe", "/to-pipe is a pipe"},
                                                   {"/zero", "/zero is a device"},
                                                   {"/large", "101 bytes, more than the 100"}}) {
    const std::string said =
        base::MessageOf([&] { RequirePlainFile(files, c.path, 100); }, base::Error::Kind::kInvalid);
    EXPECT_THAT(said, HasSubstr(c.want)) << c.path;
    EXPECT_EQ(said.empty(), std::string_view(c.want).empty()) << c.path << ": " << said;
  }
}

}  // namespace
}  // namespace host
