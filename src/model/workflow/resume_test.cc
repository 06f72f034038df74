// SPDX-License-Identifier: Apache-2.0
#include "workflow/resume.h"

#include <gtest/gtest.h>

#include "host/fake_host.h"

namespace workflow {
namespace {

// Simulates an interrupted run that wrote this file.
void LeaveBehind(host::FakeHost& host, const std::string& path, const std::string& content) {
  OpenJournal(host.host, "init", {"config"})->FileWritten("phase", path, FileHash(content));
  host.files.Write(path, content, {});
}

TEST(IsOwnLeftover, ComparesPathAndContent) {
  host::FakeHost host;
  LeaveBehind(host, "/etc/kubernetes/manifests/etcd.yaml", "made");
  LeaveBehind(host, "/etc/kubernetes/admin.conf", "made");
  host.files.Write("/etc/kubernetes/admin.conf", "changed by somebody", {});
  host.files.Write("/etc/kubernetes/other.conf", "made", {});
  const auto journal = OpenJournal(host.host, "init", {"config"});
  const auto is_own = [&](const char* path) {
    return IsOwnLeftover(journal.get(), host.files, path);
  };
  EXPECT_TRUE(is_own("/etc/kubernetes/manifests/etcd.yaml"));
  EXPECT_FALSE(is_own("/etc/kubernetes/admin.conf"));
  EXPECT_FALSE(is_own("/etc/kubernetes/other.conf"));
  EXPECT_FALSE(is_own("/etc/kubernetes/none.conf"));
  EXPECT_FALSE(IsOwnLeftover(nullptr, host.files, "/etc/kubernetes/manifests/etcd.yaml"));
}

TEST(OpenJournal, ResumesNothingAfterACompleteRun) {
  host::FakeHost host;
  LeaveBehind(host, "/etc/kubernetes/manifests/etcd.yaml", "made");
  OpenJournal(host.host, "init", {"config"})->Complete();
  const auto journal = OpenJournal(host.host, "init", {"config"});
  EXPECT_FALSE(journal->resumes());
  EXPECT_FALSE(IsOwnLeftover(journal.get(), host.files, "/etc/kubernetes/manifests/etcd.yaml"));
}

TEST(OpenJournal, DetectsAnotherConfigurationOrCommand) {
  host::FakeHost host;
  LeaveBehind(host, "/etc/kubernetes/manifests/etcd.yaml", "made");
  EXPECT_FALSE(OpenJournal(host.host, "join", {"config"})->resumes());
  EXPECT_FALSE(OpenJournal(host.host, "init", {"config"})->config_changed());
  EXPECT_TRUE(OpenJournal(host.host, "init", {"fixed"})->config_changed());
  EXPECT_EQ(host.files.Stat(JournalPath("init"))->mode, 0600U);
}

}  // namespace
}  // namespace workflow
