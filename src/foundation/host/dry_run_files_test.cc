// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "base/error.h"
#include "host/fake_host.h"
#include "host/files.h"

namespace host {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class DryRunFilesTest : public testing::Test {
 protected:
  TemporaryDirectory directory_;
  RealFiles machine_{directory_.path()};
  DryRunFiles files_{machine_,
                     {{"/etc/kubernetes", "/dry/kubernetes"},
                      {"/etc/kubernetes/manifests", "/dry"},
                      {"/var/lib/kubelet", "/dry"}},
                     "/dry/rest"};
};

TEST_F(DryRunFilesTest, AppliesTheLongestMatchingRedirect) {
  const std::pair<const char*, const char*> cases[] = {
      {"/etc/kubernetes/admin.conf", "/dry/kubernetes/admin.conf"},
      {"/etc/kubernetes/manifests/etcd.yaml", "/dry/etcd.yaml"},
      {"/etc/kubernetes/manifests", "/dry"},
      {"/etc/kubernetes", "/dry/kubernetes"},
      {"/etc/kubernetes2/x", "/dry/rest/etc/kubernetes2/x"},
      {"/var/lib/kubelet/pki/x", "/dry/pki/x"},
      {"/var/lib/etcd", "/dry/rest/var/lib/etcd"},
      {"/dry/kubernetes/admin.conf", "/dry/kubernetes/admin.conf"},
      {"/dry/rest/x", "/dry/rest/x"}};
  for (const auto& [path, want] : cases) {
    EXPECT_EQ(files_.Location(path), want) << path;
  }
}

TEST_F(DryRunFilesTest, WritesToItsDirectoryAndReadsItBack) {
  machine_.Write("/etc/kubernetes/pki/ca.crt", "old", {.mode = 0640});
  files_.Write("/etc/kubernetes/pki/ca.crt", "new", {.mode = 0644});
  EXPECT_EQ(files_.Stat("/etc/kubernetes/pki/ca.crt")->mode, 0640U);
  machine_.Write("/etc/kubernetes/admin.conf", "old", {.mode = 0640});
  files_.Write("/etc/kubernetes/admin.conf", "new", {.mode = 0600});
  EXPECT_EQ(files_.Read("/etc/kubernetes/admin.conf"), "new");
  EXPECT_EQ(files_.Stat("/etc/kubernetes/admin.conf")->mode, 0640U) << "as its owner has it";
  EXPECT_EQ(machine_.Read("/etc/kubernetes/admin.conf"), "old");
  EXPECT_EQ(machine_.Read("/dry/kubernetes/admin.conf"), "new");
}

TEST_F(DryRunFilesTest, ReadsOtherFilesFromTheHost) {
  machine_.Write("/etc/kubernetes/pki/ca.crt", "ca", {});
  EXPECT_EQ(files_.Read("/etc/kubernetes/pki/ca.crt"), "ca");
  files_.Write("/etc/kubernetes/pki/sa.key", "sa", {});
  EXPECT_THAT(files_.List("/etc/kubernetes/pki"), ElementsAre("ca.crt", "sa.key"));
  EXPECT_THROW(files_.List("/none"), base::Error);
}

TEST_F(DryRunFilesTest, ChangesNothingOnTheHost) {
  machine_.Write("/etc/kubernetes/kubelet.conf", "x", {.mode = 0600});
  machine_.MakeDirectories("/dry", 0755);
  EXPECT_TRUE(files_.Remove("/etc/kubernetes/kubelet.conf"));
  files_.RemoveTree("/etc/kubernetes");
  files_.SetMode("/etc/kubernetes/kubelet.conf", 0777);
  files_.SetOwner("/etc/kubernetes/kubelet.conf", 1, 1);
  files_.MakeDirectories("/var/lib/etcd", 0700);
  EXPECT_EQ(machine_.Read("/etc/kubernetes/kubelet.conf"), "x");
  EXPECT_EQ(machine_.Stat("/etc/kubernetes/kubelet.conf")->mode, 0600U);
  EXPECT_FALSE(machine_.Exists("/var/lib/etcd"));
  EXPECT_TRUE(machine_.Exists("/dry/rest/var/lib/etcd"));
  EXPECT_FALSE(files_.Remove("/none"));
}

TEST_F(DryRunFilesTest, CanChangeAndRemoveItsOwnWrites) {
  files_.Write("/etc/kubernetes/a", "x", {});
  files_.SetMode("/etc/kubernetes/a", 0644);
  EXPECT_EQ(files_.Stat("/etc/kubernetes/a")->mode, 0644U);
  EXPECT_TRUE(files_.Remove("/etc/kubernetes/a"));
  EXPECT_FALSE(files_.Exists("/etc/kubernetes/a"));
}

TEST(FakeFilesTest, FailsAtTheScriptedPath) {
  FakeHost fake;
  fake.files.FailWritesTo("/etc/x");
  EXPECT_THROW(fake.host.files.Write("/etc/x", "", {}), base::Error);
  fake.host.files.Write("/etc/y", "", {});
  EXPECT_THAT(fake.files.written(), ElementsAre("/etc/y"));
  EXPECT_THAT(fake.processes.calls(), IsEmpty());
}

}  // namespace
}  // namespace host
