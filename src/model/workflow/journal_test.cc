// SPDX-License-Identifier: Apache-2.0
#include "workflow/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/error.h"
#include "host/fake_host.h"
#include "workflow/run.h"

namespace workflow {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

const std::string kPath = "/var/lib/slipway/journal-init.json";

// A directory in memory.
struct Disk {
  std::map<std::string, std::string> files;
  int writes = 0;
  std::chrono::system_clock::time_point now;

  Journal Open(const JournalKey& key = {.command = "init", .config_hash = "c1", .run_id = "r"}) {
    return Journal({.get = [this](const std::string& path) -> std::optional<std::string> {
                      const auto file = files.find(path);
                      return file == files.end() ? std::nullopt : std::optional(file->second);
                    },
                    .put =
                        [this](const std::string& path, const std::string& content) {
                          ++writes;
                          files[path] = content;
                        }},
                   key, [this] { return now; });
  }
};

TEST(Journal, WritesNoFileForARunWithoutArtifacts) {
  Disk disk;
  Journal journal = disk.Open();
  journal.PhaseStarted("preflight");
  journal.PhaseFailed("preflight");
  journal.Complete();
  EXPECT_THAT(disk.files, IsEmpty());
}

TEST(Journal, HasAReadableForm) {
  Disk disk;
  Journal journal = disk.Open(
      {.command = "init", .config_hash = "c1", .run_id = "r", .settings = {{"role", "worker"}}});
  journal.PhaseStarted("certs/ca");
  journal.FileWritten("certs/ca", "/pki/ca.crt", "abc");
  journal.PhaseFinished("certs/ca");
  journal.Complete();
  EXPECT_EQ(
      json::Parse(disk.files[kPath]),
      (json::Value{
          {"version", 1},
          {"run", "r"},
          {"command", "init"},
          {"configHash", "c1"},
          {"started", "1970-01-01T00:00:00.000Z"},
          {"state", "complete"},
          {"settings", {{"role", "worker"}}},
          {"files",
           {{"/pki/ca.crt", {{"phase", "certs/ca"}, {"sha256", "abc"}, {"configHash", "c1"}}}}},
          {"phases", {{"certs/ca", "finished"}}}}));
}

TEST(Journal, IsNotResumedAfterADay) {
  for (const auto& [age, resumes] :
       {std::pair(kResumableFor, true), std::pair(kResumableFor + std::chrono::hours(1), false)}) {
    Disk disk;
    disk.Open().FileWritten("certs/ca", "/pki/ca.crt", "abc");
    disk.now += age;
    EXPECT_EQ(disk.Open().resumes(), resumes);
    EXPECT_EQ(disk.Open().OwnsFile("/pki/ca.crt", "abc"), resumes);
  }
}

TEST(Journal, RecordsTheConfigurationOfEachFileAcrossFailedRuns) {
  Disk disk;
  const JournalKey changed = {.command = "init", .config_hash = "c2", .run_id = "r"};
  {
    Journal first = disk.Open();
    first.FileWritten("certs/a", "/pki/a.crt", "abc");
    first.FileWritten("certs/b", "/pki/b.crt", "abc");
  }
  disk.Open(changed).FileWritten("certs/a", "/pki/a.crt", "def");
  const Journal third = disk.Open(changed);
  EXPECT_FALSE(third.IsForAnotherConfiguration("/pki/a.crt"));
  EXPECT_TRUE(third.IsForAnotherConfiguration("/pki/b.crt"));
  EXPECT_FALSE(third.IsForAnotherConfiguration("/pki/other.crt"));
}

TEST(Journal, KeepsThePreviousJournalForARunWithoutArtifacts) {
  Disk disk;
  disk.Open().FileWritten("certs/ca", "/pki/ca.crt", "abc");
  const std::string before = disk.files[kPath];
  disk.Open({.command = "init", .config_hash = "c2", .run_id = "s"}).PhaseFailed("preflight");
  EXPECT_EQ(disk.files[kPath], before);
}

TEST(Journal, ReturnsTheSettingsOfTheResumedRun) {
  Disk disk;
  const std::map<std::string, std::string> settings = {{"role", "worker"}};
  disk.Open({.command = "init", .config_hash = "c1", .run_id = "r", .settings = settings})
      .FileWritten("certs/ca", "/pki/ca.crt", "abc");
  EXPECT_EQ(disk.Open().earlier_settings(), settings);
  EXPECT_THAT(disk.Open().settings(), IsEmpty());
}

TEST(Journal, OwnsTheFilesOfTheFailedRunInARerun) {
  Disk disk;
  {
    Journal journal = disk.Open();
    EXPECT_FALSE(journal.resumes());
    journal.PhaseStarted("certs/ca");
    journal.FileWritten("certs/ca", "/pki/ca.crt", "abc");
    journal.PhaseFinished("certs/ca");
    journal.PhaseStarted("certs/sa");
    journal.FileWritten("certs/sa", "/pki/sa.key", "def");
  }  // a crash
  const Journal rerun = disk.Open();
  EXPECT_TRUE(rerun.resumes());
  EXPECT_TRUE(rerun.OwnsFile("/pki/ca.crt", "abc"));
  EXPECT_FALSE(rerun.OwnsFile("/pki/ca.crt", "changed"));
  EXPECT_FALSE(rerun.OwnsFile("/pki/other", "abc"));
  EXPECT_EQ(rerun.RecordedHash("/pki/sa.key"), "def");
  EXPECT_EQ(rerun.RecordedHash("/pki/other"), std::nullopt);
}

TEST(Journal, KeepsOwnershipAfterASecondFailure) {
  Disk disk;
  disk.Open().FileWritten("a", "/one", "1");
  {
    Journal rerun = disk.Open();
    rerun.FileWritten("b", "/two", "2");
    rerun.FileWritten("a", "/one", "1 again");
    rerun.PhaseFailed("b");
  }
  const Journal third = disk.Open();
  EXPECT_TRUE(third.OwnsFile("/one", "1 again"));
  EXPECT_TRUE(third.OwnsFile("/two", "2"));
}

TEST(Journal, OwnsNoFilesOfACompleteRun) {
  Disk disk;
  {
    Journal journal = disk.Open();
    journal.FileWritten("a", "/one", "1");
    journal.Complete();
  }
  const Journal later = disk.Open();
  EXPECT_FALSE(later.resumes());
  EXPECT_FALSE(later.OwnsFile("/one", "1"));
}

TEST(Journal, MarksAResumedRunWithoutNewFilesAsComplete) {
  Disk disk;
  disk.Open().FileWritten("a", "/one", "1");
  disk.Open().Complete();
  EXPECT_FALSE(disk.Open().resumes());
}

TEST(Journal, IsResumedAfterACorrectedConfiguration) {
  Disk disk;
  {
    Journal journal = disk.Open();
    journal.PhaseFinished("a");
    journal.FileWritten("b", "/one", "1");
  }
  const Journal same = disk.Open();
  EXPECT_FALSE(same.config_changed());
  const Journal changed = disk.Open({.command = "init", .config_hash = "c2", .run_id = "x"});
  EXPECT_TRUE(changed.resumes());
  EXPECT_TRUE(changed.config_changed());
  EXPECT_TRUE(changed.OwnsFile("/one", "1"));
  EXPECT_EQ(changed.earlier_files().size(), 1U);
}

TEST(Journal, IsNotResumedByAnotherCommand) {
  Disk disk;
  disk.Open().FileWritten("a", "/one", "1");
  EXPECT_FALSE(disk.Open({.command = "join", .config_hash = "c1", .run_id = "x"}).resumes());
  disk.files[JournalPath("join")] = disk.files[kPath];  // an init journal in join's place
  EXPECT_FALSE(disk.Open({.command = "join", .config_hash = "c1", .run_id = "x"}).resumes());
}

TEST(Journal, IgnoresAnUnreadableJournal) {
  for (const char* text : {"", "{", "[]", "{}", "{\"version\": 2}",
                           R"({"version": 1, "state": "running", "command": "init",
                               "configHash": "c1", "files": {"/x": {}}, "phases": {}})"}) {
    Disk disk;
    disk.files[kPath] = text;
    testing::internal::CaptureStderr();
    const Journal journal = disk.Open();
    EXPECT_FALSE(journal.resumes()) << text;
    EXPECT_FALSE(journal.RecordedHash("/x")) << text;
    testing::internal::GetCapturedStderr();
  }
}

TEST(Journal, LogsAFailedWriteAfterAFailedPhase) {
  Journal journal(
      {.get = [](const std::string&) { return std::nullopt; },
       .put = [](const std::string&, const std::string&) { throw base::Error("disk full"); }},
      {.command = "init"}, [] { return std::chrono::system_clock::time_point(); });
  EXPECT_THROW(journal.FileWritten("a", "/one", "1"), base::Error);
  testing::internal::CaptureStderr();
  journal.PhaseFailed("a");
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("disk full"));
}

TEST(Journal, IsWrittenByTheRun) {
  struct Nothing {};
  Disk disk;
  Journal journal = disk.Open();
  std::ostringstream out;
  host::FakeClock clock;
  Reporter reporter(clock, {TextLines({.out = out, .clock = clock})});
  const std::vector<Phase<Nothing>> phases = {
      {.name = "a",
       .makes = {"a"},
       .run = [](Nothing&, Context& context) { context.FileWritten("/one", "1"); }},
      {.name = "b", .needs = {"a"}, .run = [](Nothing&, Context&) { throw base::Error("no"); }}};
  Nothing data;
  EXPECT_THROW(RunPhases(MakePlan(phases, {}), data,
                         {.reporter = reporter, .clock = clock, .journal = &journal}),
               base::Error);
  const json::Value stored = json::Parse(disk.files[kPath]);
  EXPECT_EQ(stored["phases"], (json::Value{{"a", "finished"}, {"b", "failed"}}));
  EXPECT_EQ(stored["files"]["/one"]["phase"], "a");
  EXPECT_EQ(stored["state"], "running");
}

}  // namespace
}  // namespace workflow
