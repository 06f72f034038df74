// SPDX-License-Identifier: Apache-2.0
#include "reset/places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/fake_host.h"

namespace reset {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

TEST(Places, AreTheDirectoriesAndKubeconfigsOfANode) {
  const Places places = PlacesOf({.certificates_dir = "/etc/kubernetes/pki"});
  EXPECT_THAT(places.contents,
              ElementsAre("/etc/kubernetes/manifests", "/var/lib/kubelet", "/etc/kubernetes/pki"));
  EXPECT_THAT(
      places.files,
      ElementsAre("/etc/kubernetes/admin.conf", "/etc/kubernetes/super-admin.conf",
                  "/etc/kubernetes/kubelet.conf", "/etc/kubernetes/bootstrap-kubelet.conf",
                  "/etc/kubernetes/controller-manager.conf", "/etc/kubernetes/scheduler.conf"));
  EXPECT_THAT(places.kept, SizeIs(0));
  EXPECT_EQ(PlacesOf({.cleanup_tmp_dir = true, .certificates_dir = "/x/pki"}).contents.back(),
            "/etc/kubernetes/tmp");
}

TEST(Places, LeaveOutDirectoriesThatOthersUse) {
  const Places places = PlacesOf({.certificates_dir = "/etc/ssl/"});
  EXPECT_THAT(places.contents, ElementsAre("/etc/kubernetes/manifests", "/var/lib/kubelet"));
  EXPECT_THAT(places.kept, ElementsAre(HasSubstr("/etc/ssl/: other programs")));
  for (const char* directory :
       {"/", "//", "/etc", "/etc/", "/etc/kubernetes/..", "/usr/../var/lib", "pki", "./etc", ""}) {
    EXPECT_TRUE(WhyKept(directory)) << directory;
  }
  for (const char* directory : {"/etc/kubernetes/pki", "/data", "/var/lib/etcd/"}) {
    EXPECT_FALSE(WhyKept(directory)) << directory;
  }
}

TEST(CredentialCopies, IncludeTheCopiesThatCommandsKeep) {
  host::FakeHost fake;
  EXPECT_THAT(CredentialCopies(fake.files), SizeIs(0));
  for (const char* name :
       {"kubeadm-rotate-ca-etcd-trust-2026", "kubeadm-endpoint-2026", "kubeadm-backup-etcd-2026",
        "kubeadm-backup-manifests-2026", "kubeadm-kubelet-config-2026", "kubeadm-x", "mine"}) {
    fake.files.Write(fs::path("/etc/kubernetes/tmp") / name / "f", "", {});
  }
  fake.files.Write("/var/lib/slipway/restore/snapshot.db", "", {});
  fake.files.Write("/var/lib/slipway/upgrade-backups/kubeadm-cp-20261129T073608Z.tar.zst", "", {});
  EXPECT_THAT(CredentialCopies(fake.files),
              ElementsAre("/etc/kubernetes/tmp/kubeadm-endpoint-2026",
                          "/etc/kubernetes/tmp/kubeadm-rotate-ca-etcd-trust-2026",
                          "/var/lib/slipway/restore", "/var/lib/slipway/upgrade-backups"));
}

TEST(Empty, RemovesContentsOnlyAndFollowsNoLinks) {
  const config::ResetConfiguration config{.certificates_dir = "/etc/kubernetes/pki"};
  host::FakeHost fake;
  fake.files.Write("/keep/data", "mine", {});
  fake.files.Write("/var/lib/kubelet/b/c", "x", {});
  fake.files.Write("/var/lib/kubelet/d", "x", {});
  fs::create_directory_symlink(fake.directory.path() / "keep",
                               fake.directory.path() / "var/lib/kubelet/link");
  EXPECT_THAT(Empty(fake.files, "/var/lib/kubelet", config), SizeIs(0));
  EXPECT_TRUE(fake.files.Exists("/var/lib/kubelet"));
  EXPECT_TRUE(reset::IsEmpty(fake.files, "/var/lib/kubelet"));
  EXPECT_EQ(fake.files.Read("/keep/data"), "mine");
  EXPECT_THAT(Empty(fake.files, "/absent", config), SizeIs(0));
  EXPECT_TRUE(reset::IsEmpty(fake.files, "/absent"));
  EXPECT_THAT(Empty(fake.files, "/keep/data", config), ElementsAre(HasSubstr("/keep/data")));
  EXPECT_FALSE(reset::IsEmpty(fake.files, "/keep"));
}

TEST(Empty, RecognizesFilesOfKubernetesInEachDirectory) {
  const config::ResetConfiguration config{.certificates_dir = "/etc/kubernetes/pki/"};
  host::FakeHost fake;
  for (const char* path :
       {"/var/lib/etcd/member.restoring/x", "/var/lib/etcd/etcd-backup-2/x", "/var/lib/etcd/mine",
        "/etc/kubernetes/tmp/kubeadm-endpoint/x", "/etc/kubernetes/tmp/mine"}) {
    fake.files.Write(path, "", {});
  }
  const auto recognized = [&](const char* path) {
    return RulesFor(fake.files, path, config).recognized;
  };
  EXPECT_THAT(recognized("/var/lib/etcd"),
              ElementsAre("etcd-backup-2", "member.restoring", "member"));
  EXPECT_THAT(recognized("/etc/kubernetes/tmp/"), ElementsAre("kubeadm-endpoint"));
  EXPECT_THAT(recognized("/etc/kubernetes/manifests"),
              ElementsAre("etcd.yaml", "kube-apiserver.yaml", "kube-controller-manager.yaml",
                          "kube-scheduler.yaml"));
  for (const char* name : {".2868965419", ".28a", "2868965419"}) {
    fake.files.Write(fs::path("/var/lib/kubelet") / name, "x", {});
  }
  EXPECT_THAT(recognized("/var/lib/kubelet"),
              testing::IsSupersetOf({"pods", "pki", "config.yaml", ".2868965419"}));
  EXPECT_THAT(
      recognized("/var/lib/kubelet"),
      testing::Not(testing::AnyOf(testing::Contains(".28a"), testing::Contains("2868965419"))));
  EXPECT_THAT(recognized("/etc/kubernetes/pki"),
              testing::IsSupersetOf({"ca.key", "etcd/peer.crt", "sa.pub"}));
}

TEST(Empty, RemovesOnlyRecognizedFilesInAConfiguredDirectory) {
  const config::ResetConfiguration config{.certificates_dir = "/usr/bin"};
  host::FakeHost fake;
  for (const char* name : {"ca.crt", "ca.key", "apiserver.crt", "apiserver.csr", "sa.pub",
                           "etcd/ca.key", "etcd/server.crt", ".slipway-Ab12cd", "bash", "ca.pem"}) {
    fake.files.Write(fs::path("/usr/bin") / name, "x", {});
  }
  EXPECT_THAT(Empty(fake.files, "/usr/bin/", config),
              ElementsAre(HasSubstr("/usr/bin: \"bash\", \"ca.pem\"")));
  EXPECT_THAT(NamesIn(fake.files, "/usr/bin"), ElementsAre("bash", "ca.pem"));

  fake.files.Write("/var/member/snap/db", "x", {});
  EXPECT_THAT(Empty(fake.files, "/var/", config), ElementsAre(HasSubstr("another name")));
  fake.files.Write("/data/member/snap/db", "x", {});
  fake.files.Write("/data/www/index", "x", {});
  EXPECT_THAT(Empty(fake.files, "/data", config), ElementsAre(HasSubstr("\"www\"")));
  EXPECT_THAT(NamesIn(fake.files, "/data"), ElementsAre("www"));
}

TEST(Empty, RemovesEverythingInADefaultDirectory) {
  const host::FakeHost fake;
  for (const char* certificates : {"/etc/kubernetes/pki", "/etc/kubernetes/pki/", "/pki"}) {
    const config::ResetConfiguration config{.certificates_dir = certificates};
    for (const char* path :
         {"/etc/kubernetes/manifests", "/var/lib/kubelet/", "/etc/kubernetes/tmp",
          "/etc/kubernetes/pki", "/etc/kubernetes//pki", "/var/lib/etcd"}) {
      EXPECT_FALSE(RulesFor(fake.files, path, config).only) << path;
    }
  }
  EXPECT_FALSE(
      RulesFor(fake.files, "/var/lib/kubelet", {.certificates_dir = "/var/lib/kubelet"}).only);
}

TEST(NamesIn, IsEmptyWithoutTheDirectory) {
  host::FakeHost fake;
  fake.files.Write("/directory/a", "x", {});
  EXPECT_THAT(NamesIn(fake.files, "/directory"), ElementsAre("a"));
  for (const char* path : {"/directory/a", "/absent"}) {
    EXPECT_THAT(NamesIn(fake.files, path), ElementsAre()) << path;
    EXPECT_TRUE(IsEmpty(fake.files, path)) << path;
  }
}

TEST(Remove, SkipsMissingFiles) {
  host::FakeHost fake;
  fake.files.Write("/a", "x", {});
  fake.files.Write("/full/b", "x", {});
  EXPECT_THAT(Remove(fake.files, {"/a", "/absent", "/full"}), ElementsAre(HasSubstr("/full")));
  EXPECT_FALSE(fake.files.Exists("/a"));
}

TEST(EmptiedParent, FindsTheDirectoryWhoseRemovalWouldDeleteABackup) {
  host::FakeHost fake;
  fake.files.Write("/etc/kubernetes/pki/ca.crt", "", {});
  fake.files.MakeDirectories("/srv", 0755);
  std::filesystem::create_directory_symlink(fake.files.Location("/etc/kubernetes/pki"),
                                            fake.files.Location("/srv/link"));
  config::ResetConfiguration config;
  config.certificates_dir = "/etc/kubernetes/pki";
  const std::vector<std::pair<const char*, std::optional<fs::path>>> cases = {
      {"/srv/backups", std::nullopt},
      {"/etc/kubernetes/pki-old/b", std::nullopt},
      {"/etc/kubernetes/pki/b.age", "/etc/kubernetes/pki"},
      {"/srv/link/b.age", "/etc/kubernetes/pki"},
      {"/var/lib/etcd", "/var/lib/etcd"},
      {"/var/lib/slipway/upgrade-backups", "/var/lib/slipway"},
      {"/etc/kubernetes/tmp/b", "/etc/kubernetes/tmp"}};
  for (const auto& [path, parent] : cases) {
    EXPECT_EQ(EmptiedParent(fake.files, path, config), parent) << path;
  }
}

}  // namespace
}  // namespace reset
