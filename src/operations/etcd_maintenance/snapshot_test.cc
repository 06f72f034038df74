// SPDX-License-Identifier: Apache-2.0
#include "etcd_maintenance/snapshot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/fake_error.h"
#include "base/strings.h"
#include "etcd/fake_client.h"
#include "host/fake_host.h"
#include "pki/crypto.h"

namespace etcd_maintenance {
namespace {

using base::Error;
using base::Thrown;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

class SnapshotTest : public testing::Test {
 protected:
  SnapshotTest() {
    fake_.files.MakeDirectories("/backups", 0755);
    for (const std::uint64_t id : {1U, 2U, 3U}) {
      client_.Start(id, "cp" + std::to_string(id));
    }
  }
  etcd::MemberStatus& StatusOf(const std::string& name) {
    return client_.statuses.at("https://" + name + ":2379");
  }
  SavedSnapshot Save(const std::string& member = {}) {
    return SaveSnapshot(client_, fake_.files, {.path = "/backups/etcd.db", .member = member});
  }

  host::FakeHost fake_;
  etcd::FakeClient client_;
};

TEST_F(SnapshotTest, HasTheDatabaseAndItsSum) {
  const SavedSnapshot saved = Save();
  const std::string content = fake_.files.Read("/backups/etcd.db");
  EXPECT_EQ(content, "database" + pki::Sha256("database"));
  EXPECT_EQ(saved.size, static_cast<std::int64_t>(content.size()));
  EXPECT_EQ(saved.sha256, base::HexEncode(pki::Sha256(content)));
  EXPECT_EQ(fake_.files.Stat("/backups/etcd.db")->mode, 0600U);
  EXPECT_THAT(client_.calls(), Contains("Snapshot https://cp1:2379"));
  EXPECT_THAT(TextOf(saved), HasSubstr("snapshot of member cp1"));
  EXPECT_EQ(ObjectOf(saved)["sha256"], saved.sha256);
}

TEST_F(SnapshotTest, ComesFromTheMostAdvancedMemberWithoutALeader) {
  for (const char* name : {"cp1", "cp2", "cp3"}) {
    StatusOf(name).leader_id = 0;
    StatusOf(name).revision = 5;
  }
  StatusOf("cp3").revision = 9;
  EXPECT_EQ(Save().member, "cp3");
}

TEST_F(SnapshotTest, ComesFromTheMemberThatTheUserNames) {
  EXPECT_EQ(Save("cp2").member, "cp2");
  fake_.files.Remove("/backups/etcd.db");
  client_.refusals["https://cp2:2379"] = "connection refused";
  EXPECT_THAT(Thrown([&] { Save("cp2"); }).message(), HasSubstr("connection refused"));
  EXPECT_EQ(Thrown([&] { Save("cp9"); }).kind(), Error::Kind::kNotFound);
}

TEST_F(SnapshotTest, ReplacesNoFile) {
  Save();
  EXPECT_EQ(Thrown([&] { Save(); }).kind(), Error::Kind::kAlreadyExists);
}

TEST_F(SnapshotTest, LeavesNoFileAfterAFailure) {
  client_.on_call = [](const std::string& call) -> etcd::Refusal {
    if (call.starts_with("Snapshot")) {
      throw Error(Error::Kind::kInvalid, "the snapshot came damaged");
    }
    return etcd::Refusal::kNone;
  };
  EXPECT_THROW(Save(), Error);
  EXPECT_THAT(fake_.files.List("/backups"), IsEmpty());
}

}  // namespace
}  // namespace etcd_maintenance
