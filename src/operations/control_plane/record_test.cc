// SPDX-License-Identifier: Apache-2.0
#include "control_plane/record.h"

#include <fmt/core.h>
#include <gmock/gmock.h>

#include "base/error.h"
#include "base/fake_error.h"
#include "host/fake_host.h"

namespace control_plane {
namespace {

const UpgradeRecord kFull{.command = "apply",
                          .from = "v1.35.4",
                          .to = "v1.36.3",
                          .complete = true,
                          .manifests = {{"etcd", "/a"}},
                          .under_way = {{"etcd", "/d"}},
                          .written = {{"etcd", "0a"}},
                          .serving = {{"etcd", true}},
                          .restarting = "etcd",
                          .backup = "/b",
                          .backup_under_way = "/u",
                          .restoring_data = true,
                          .data_restored = true,
                          .kubelet_config = "/c",
                          .writes_kubelet = true,
                          .patches = "/p"};

TEST(UpgradeRecord, IsReadAsItWasSaved) {
  host::FakeHost fake;
  EXPECT_EQ(LoadRecord(fake.files), std::nullopt);
  SaveRecord(fake.files, kFull);
  EXPECT_EQ(LoadRecord(fake.files), kFull);
  EXPECT_EQ(fake.files.Stat(host::fs::path(kRecordFile))->mode, 0600U);
  RemoveRecord(fake.files);
  EXPECT_EQ(LoadRecord(fake.files), std::nullopt);
}

TEST(UpgradeRecord, RefusesAMalformedFileByItsName) {
  for (const char* text : {"", "{", "[]", R"({"command": 1})", R"({"command": "apply"})"}) {
    host::FakeHost fake;
    fake.files.Write(host::fs::path(kRecordFile), text, {});
    const base::Error error = base::Thrown([&] { LoadRecord(fake.files); });
    EXPECT_THAT(error.message(), testing::HasSubstr(std::string(kRecordFile)));
    EXPECT_THAT(error.message(), testing::Not(testing::HasSubstr("json.exception")));
  }
}

TEST(UpgradeRecord, RefusesAFieldThatItDoesNotKnow) {
  host::FakeHost fake;
  SaveRecord(fake.files, kFull);
  std::string text = fake.files.Read(host::fs::path(kRecordFile));
  text.replace(text.find('{'), 1, R"({"restored": true, )");
  fake.files.Write(host::fs::path(kRecordFile), text, {});
  EXPECT_THAT(base::MessageOf([&] { LoadRecord(fake.files); }),
              testing::HasSubstr("unknown field \"restored\""));
}

TEST(UpgradeRecord, KnowsWhichManifestsWereChangedSince) {
  host::FakeHost fake;
  const host::fs::path etcd = "/etc/kubernetes/manifests/etcd.yaml";
  fake.files.Write(etcd, "kind: Pod\n", {});
  UpgradeRecord record{.manifests = {{"etcd", "/a"}, {"kube-scheduler", "/a"}}};
  EXPECT_THAT(ChangedSince(fake.files, record), testing::IsEmpty()) << "nothing is known";
  NoteWritten(fake.files, record);
  EXPECT_THAT(ChangedSince(fake.files, record), testing::IsEmpty());
  fake.files.Write(etcd, "kind: Pod # edited\n", {});
  EXPECT_THAT(ChangedSince(fake.files, record), testing::ElementsAre("etcd"));
}

TEST(UpgradeRecord, AcceptsARecordWithoutNotesFromAnEarlierRelease) {
  host::FakeHost fake;
  fake.files.Write(host::fs::path(kRecordFile),
                   R"({"command":"apply","from":"v1.35.4","to":"v1.36.3","complete":true,
                       "manifests":{},"serving":{},"etcdData":"","kubeletConfig":""})",
                   {});
  EXPECT_EQ(LoadRecord(fake.files)->written.size(), 0U);
}

TEST(UpgradeRecord, TreatsAnEarlierReleasesRecordAsUnfinishedUntilComplete) {
  host::FakeHost fake;
  for (const bool complete : {false, true}) {
    fake.files.Write(host::fs::path(kRecordFile),
                     fmt::format(R"({{"command":"apply","from":"v1.35.4","to":"v1.36.3",
                         "complete":{},"manifests":{{"etcd":"/a"}},"serving":{{}},"etcdData":"",
                         "kubeletConfig":""}})",
                                 complete),
                     {});
    const std::optional<UpgradeRecord> record = LoadRecord(fake.files);
    EXPECT_EQ(record->manifests.at("etcd"), "/a");
    EXPECT_EQ(record->under_way.empty(), complete);
  }
}

TEST(BeginRecord, ResumesTheSameCommandToTheSameVersion) {
  UpgradeRecord wanted{.command = "apply", .from = "v1.36.3", .to = "v1.36.3"};
  EXPECT_EQ(BeginRecord(std::nullopt, wanted), wanted);
  UpgradeRecord cut_off = kFull;
  cut_off.complete = false;
  EXPECT_EQ(BeginRecord(cut_off, wanted), cut_off);
  const UpgradeRecord again = BeginRecord(kFull, wanted);
  EXPECT_EQ(again.manifests, kFull.manifests);
  EXPECT_THAT(again.under_way, testing::IsEmpty()) << "it was complete";
  EXPECT_EQ(again.kubelet_config, kFull.kubelet_config);
  EXPECT_FALSE(again.writes_kubelet);
  EXPECT_FALSE(again.complete);
  wanted.to = "v1.36.4";
  EXPECT_EQ(BeginRecord(kFull, wanted), wanted);
  wanted = {.command = "node", .from = "v1.36.3", .to = "v1.36.3"};
  EXPECT_EQ(BeginRecord(kFull, wanted), wanted);
}

TEST(LastUpgrade, RequiresTheCopiesOfRestoredFiles) {
  host::FakeHost fake;
  const auto problem = [&]() -> std::string {
    return base::MessageOf([&] { LastUpgrade(fake.files); });
  };
  EXPECT_THAT(problem(), testing::HasSubstr("there is no upgrade of this node to undo"));
  SaveRecord(fake.files, kFull);
  EXPECT_THAT(problem(), testing::HasSubstr("the backup /a/etcd.yaml is missing"));
  fake.files.Write("/a/etcd.yaml", "kind: Pod\n", {});
  EXPECT_THAT(problem(), testing::HasSubstr("the backup /c/config.yaml is missing"));
  fake.files.Write("/c/config.yaml", "", {});
  EXPECT_EQ(LastUpgrade(fake.files), kFull);
}

TEST(IsReplacing, IsTrueUntilEachReplacedPodHasServed) {
  UpgradeRecord record{.command = "apply", .from = "v1.36.3", .to = "v1.37.2"};
  EXPECT_FALSE(IsReplacing(record)) << "nothing was begun";
  record.under_way = {{"etcd", "/a"}, {"kube-apiserver", "/a"}};
  EXPECT_TRUE(IsReplacing(record));
  record.serving["etcd"] = true;
  EXPECT_TRUE(IsReplacing(record));
  record.serving["kube-apiserver"] = true;
  EXPECT_FALSE(IsReplacing(record));
  record.restarting = "etcd";
  EXPECT_TRUE(IsReplacing(record));
  record.complete = true;
  EXPECT_FALSE(IsReplacing(record));
}

TEST(WasCutOff, IsTrueForAnIncompleteApplyToThatVersion) {
  host::FakeHost fake;
  EXPECT_FALSE(WasCutOff(fake.files, "v1.36.3"));
  SaveRecord(fake.files, kFull);
  EXPECT_FALSE(WasCutOff(fake.files, "v1.36.3"));
  UpgradeRecord under_way = kFull;
  under_way.complete = false;
  SaveRecord(fake.files, under_way);
  EXPECT_TRUE(WasCutOff(fake.files, "v1.36.3"));
  EXPECT_FALSE(WasCutOff(fake.files, "v1.36.4"));
}

}  // namespace
}  // namespace control_plane
