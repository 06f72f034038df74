// SPDX-License-Identifier: Apache-2.0
#include "etcd_membership/first_start.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "host/fake_host.h"

namespace etcd_membership {
namespace {

constexpr const char* kLog = "/data/member/wal/0000000000000000-0000000000000000.wal";

// Returns a frame as etcd writes it, padded to 8 bytes.
std::string Frame(char type, const std::string& data) {
  std::string record = {0x08, type, 0x10, 0x01};
  if (!data.empty()) {
    record += {0x1A, static_cast<char>(data.size())};
    record += data;
  }
  const std::size_t padding = (8 - record.size() % 8) % 8;
  std::string frame(8, '\0');
  frame[0] = static_cast<char>(record.size());
  frame[7] = static_cast<char>(padding == 0 ? 0 : 0x80 | padding);
  return frame + record + std::string(padding, '\0');
}

const std::string kCrc = Frame(4, "");
const std::string kMetadata = Frame(1, "a member's id");
const std::string kEntryFrame = Frame(2, "the member itself");
const std::string kState = Frame(3, "term 1");
const std::string kSnapshot = Frame(5, "");
const std::string kReserved(4096, '\0');

struct Case {
  const char* what;
  std::string log;
  bool empty;
};

TEST(HasEmptyLog, IsTrueUntilTheFirstEntry) {
  const std::vector<Case> cases = {
      {"an empty file", "", true},
      {"reserved space alone", kReserved, true},
      {"a log that was just created", kCrc + kMetadata + kSnapshot + kReserved, true},
      {"a member that has started", kCrc + kMetadata + kSnapshot + kEntryFrame + kState + kReserved,
       false},
      {"an entry behind a state", kCrc + kMetadata + kState + kEntryFrame, false},
      {"an entry that was cut off", kCrc + kMetadata + kEntryFrame.substr(0, 12), true},
      {"a cut length", kCrc + kMetadata + "\x01\x02", true},
      {"the words of an entry in other data", Frame(1, "\x08\x02") + kReserved, true},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.what);
    host::FakeHost fake;
    fake.files.Write(kLog, each.log, {});
    EXPECT_EQ(HasEmptyLog(fake.files, "/data"), each.empty);
  }
}

TEST(HasEmptyLog, IsFalseWithoutALogAndWithALaterSegment) {
  host::FakeHost fake;
  EXPECT_FALSE(HasEmptyLog(fake.files, "/data"));
  fake.files.Write("/data/member/wal/0.tmp", "", {});
  EXPECT_FALSE(HasEmptyLog(fake.files, "/data"));
  fake.files.Write(kLog, kCrc, {});
  EXPECT_TRUE(HasEmptyLog(fake.files, "/data"));
  fake.files.Write("/data/member/wal/0000000000000001-0000000000000009.wal", kCrc, {});
  EXPECT_FALSE(HasEmptyLog(fake.files, "/data"));
}

}  // namespace
}  // namespace etcd_membership
