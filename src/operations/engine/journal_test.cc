// SPDX-License-Identifier: Apache-2.0
#include "engine/journal.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "base/fake_error.h"
#include "host/fake_host.h"

namespace engine {
namespace {

using testing::HasSubstr;

constexpr std::string_view kName = "test";

Journal FullJournal() {
  return {.operation = std::string(kName),
          .id = "0123456789abcdef",
          .state = State::kRollingBack,
          .intent = {{"to", "10.0.0.2"}},
          .facts = {{"movesPods", true}},
          .until = 1700000000,
          .directory = "/etc/kubernetes/tmp/kubeadm-test",
          .steps = {{.id = "files", .state = StepState::kDone}, {.id = "kubelet"}},
          .files = {{.path = "/etc/hosts",
                     .copy = "/etc/kubernetes/tmp/kubeadm-test/hosts",
                     .mode = 0644,
                     .written = "aa"},
                    {.path = "/etc/new", .pod = true}}};
}

TEST(Journal, LoadsASavedJournal) {
  host::FakeHost fake;
  EXPECT_EQ(LoadJournal(fake.files, kName), std::nullopt);
  SaveJournal(fake.files, FullJournal());
  EXPECT_EQ(fake.files.Stat(JournalPath(kName))->mode, 0600U);
  const Journal journal = LoadJournal(fake.files, kName).value();
  EXPECT_EQ(json::Encode(journal), json::Encode(FullJournal()));
  EXPECT_TRUE(journal.HasDone("files"));
  EXPECT_FALSE(journal.HasDone("kubelet"));
  EXPECT_TRUE(journal.HasBegun("kubelet"));
  EXPECT_FALSE(journal.HasBegun("none"));
  EXPECT_EQ(journal.FindBackup("/etc/hosts")->written, "aa");
  EXPECT_EQ(journal.FindBackup("/etc/none"), nullptr);
  RemoveJournal(fake.files, kName);
  EXPECT_EQ(LoadJournal(fake.files, kName), std::nullopt);
}

// Each row changes the JSON of a good journal.
struct BadCase {
  const char* name;
  const char* patch;  // merged into the journal
  const char* says;
};

class BadJournal : public testing::TestWithParam<BadCase> {};

TEST_P(BadJournal, IsRefusedByNameAndReason) {
  host::FakeHost fake;
  json::Value json = json::Encode(FullJournal());
  json.merge_patch(json::Parse(GetParam().patch));
  fake.files.Write(JournalPath(kName), json.dump(), {});
  const base::Error error = base::Thrown([&] { LoadJournal(fake.files, kName); });
  EXPECT_EQ(error.kind(), base::Error::Kind::kInvalid);
  EXPECT_THAT(error.message(),
              HasSubstr("/var/lib/slipway/operation-test.json is not the journal"));
  EXPECT_THAT(error.message(), HasSubstr(GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    Cases, BadJournal,
    testing::Values(
        BadCase{"LaterVersion", R"({"version": 2, "new": 1})", "its version is 2"},
        BadCase{"NoVersion", R"({"version": null})", "its version is null"},
        BadCase{"UnknownField", R"({"colour": "red"})", "unknown field \"colour\""},
        BadCase{"UnknownState", R"({"state": "resting"})", "unknown value \"resting\""},
        BadCase{"UnknownStepState", R"({"steps": [{"id": "a", "state": "?"}]})", "unknown value"},
        BadCase{"OtherOperation", R"({"operation": "other"})", "of another operation"},
        BadCase{"WrongType", R"({"files": "none"})", "expected a list"},
        BadCase{"RelativePath", R"({"files": [{"path": "etc/hosts"}]})", "not an absolute path"},
        BadCase{"RelativeDirectory", R"({"directory": "tmp", "files": []})",
                "not an absolute path"},
        BadCase{"CopyElsewhere", R"({"files": [{"path": "/a", "copy": "/tmp/a"}]})",
                "not in the directory"},
        BadCase{"CopyAbove",
                R"({"files": [{"path": "/a", "copy": "/etc/kubernetes/tmp/kubeadm-test/../a"}]})",
                "not in the directory"}),
    [](const auto& info) { return info.param.name; });

TEST(Journal, RefusesAMalformedFile) {
  host::FakeHost fake;
  for (const char* text : {"", "[1]", "{", "{}"}) {
    fake.files.Write(JournalPath(kName), text, {});
    EXPECT_EQ(base::Thrown([&] { LoadJournal(fake.files, kName); }).kind(),
              base::Error::Kind::kInvalid)
        << text;
  }
}

}  // namespace
}  // namespace engine
