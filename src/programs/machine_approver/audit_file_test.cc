// SPDX-License-Identifier: Apache-2.0
#include "machine_approver/audit_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/error.h"

namespace machine_approver {
namespace {

namespace fs = std::filesystem;

std::string TextOf(const fs::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class AuditSinkTest : public testing::Test {
 protected:
  AuditSinkTest() : directory_(fs::path(testing::TempDir()) / "audit") {
    fs::remove_all(directory_);
    fs::create_directories(directory_);
  }
  const fs::path directory_;
};

TEST_F(AuditSinkTest, AppendsToAFileOfItsOwner) {
  const fs::path path = directory_ / "log";
  AuditSink(path)("a");
  AuditSink(path)("b");
  EXPECT_EQ(TextOf(path), "a\nb\n");
  EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(AuditSinkTest, MakesANewFileAfterTheOldOneWasRenamed) {
  const fs::path path = directory_ / "log";
  const auto sink = AuditSink(path);
  sink("a");
  fs::rename(path, directory_ / "log.1");
  sink("b");
  EXPECT_EQ(TextOf(path), "b\n");
}

TEST_F(AuditSinkTest, RefusesAPathThatCannotBeWrittenAtOnce) {
  EXPECT_THROW(AuditSink(directory_ / "missing" / "log"), base::Error);
}

TEST_F(AuditSinkTest, IsEmptyWithoutAPath) { EXPECT_FALSE(AuditSink("")); }

}  // namespace
}  // namespace machine_approver
