// SPDX-License-Identifier: Apache-2.0
#include "reset/steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <functional>

#include "base/error.h"
#include "base/fake_error.h"
#include "host/fake_host.h"

namespace reset {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ResetStepsTest : public testing::Test {
 protected:
  ResetStepsTest() {
    teardown_.config = {.certificates_dir = "/etc/kubernetes/pki",
                        .cri_socket = "unix:///nonexistent/x.sock"};
    teardown_.kubeconfig = "/etc/kubernetes/admin.conf";
  }
  void LeaveEtcd() { Do(EtcdSteps(teardown_, notes_), teardown_, notes_); }
  void CleanNode() { Do(NodeSteps(teardown_, notes_), teardown_, notes_); }
  void Write(const std::string& path, const std::string& text = "x") {
    fake_.files.Write(path, text, {});
  }

  host::FakeHost fake_;
  Teardown teardown_{fake_.host};
  std::string said_;
  std::string warned_;
  Notes notes_{.say = [this](const std::string& line) { said_ += line + "\n"; },
               .warn = [this](const std::string& text) { warned_ += text + "\n"; }};
};

TEST_F(ResetStepsTest, EmptiesEtcdsDirectoryOfTheManifest) {
  Write("/etc/kubernetes/manifests/etcd.yaml",
        "apiVersion: v1\nkind: Pod\n"
        "spec: {containers: [{name: etcd}], volumes: [{name: etcd-data, hostPath: {path: /e}}]}");
  Write("/e/member/db");
  Write("/var/lib/etcd/other");
  LeaveEtcd();
  EXPECT_THAT(fake_.files.List("/e"), IsEmpty());
  EXPECT_TRUE(fake_.files.Exists("/var/lib/etcd/other"));
  EXPECT_EQ(warned_, "");
}

TEST_F(ResetStepsTest, KeepsEtcdsDirectoryWhenTheManifestIsBroken) {
  Write("/etc/kubernetes/manifests/etcd.yaml", "spec: [");
  Write("/var/lib/etcd/member/db");
  LeaveEtcd();
  EXPECT_TRUE(fake_.files.Exists("/var/lib/etcd/member/db"));
  EXPECT_THAT(warned_, HasSubstr("the manifest of etcd cannot be read"));
  EXPECT_THAT(said_, HasSubstr("external"));
}

TEST_F(ResetStepsTest, ContinuesWithoutAReachableMember) {
  Write("/etc/kubernetes/manifests/etcd.yaml",
        "apiVersion: v1\nkind: Pod\n"
        "spec: {containers: [{name: etcd, command: [etcd, "
        "'--initial-advertise-peer-urls=https://10.0.0.1:2380']}], "
        "volumes: [{name: etcd-data, hostPath: {path: /e}}]}");
  Write("/e/member/db");
  LeaveEtcd();
  EXPECT_THAT(warned_, HasSubstr("this node's etcd member was not removed"));
  EXPECT_THAT(fake_.files.List("/e"), IsEmpty());
}

TEST_F(ResetStepsTest, KeepsTheDataOfAMemberThatOthersMayNeed) {
  Write("/etc/kubernetes/manifests/etcd.yaml",
        "apiVersion: v1\nkind: Pod\n"
        "spec: {containers: [{name: etcd, command: [etcd, --name=two, "
        "'--initial-cluster=one=https://10.0.0.1:2380,two=https://10.0.0.2:2380', "
        "'--initial-advertise-peer-urls=https://10.0.0.2:2380']}], "
        "volumes: [{name: etcd-data, hostPath: {path: /e}}]}");
  Write("/e/member/db");
  const base::Error error = base::Thrown([&] { LeaveEtcd(); });
  EXPECT_EQ(error.kind(), base::Error::Kind::kConflict);
  EXPECT_THAT(error.message(), HasSubstr("https://10.0.0.1:2380"));
  EXPECT_THAT(error.message(), HasSubstr("give --force"));
  EXPECT_TRUE(fake_.files.Exists("/e/member/db"));
  teardown_.config.force = true;
  LeaveEtcd();
  EXPECT_THAT(warned_, HasSubstr("this node's etcd member was not removed"));
  EXPECT_THAT(fake_.files.List("/e"), IsEmpty());
}

TEST_F(ResetStepsTest, RefusesWhileARunningMemberCannotBeQueried) {
  Write("/etc/kubernetes/manifests/etcd.yaml",
        "apiVersion: v1\nkind: Pod\n"
        "spec: {containers: [{name: etcd, command: [etcd, "
        "'--advertise-client-urls=https://10.0.0.1:2379', "
        "'--initial-advertise-peer-urls=https://10.0.0.1:2380']}], "
        "volumes: [{name: etcd-data, hostPath: {path: /e}}]}");
  Write("/e/member/db");
  fake_.network.port_problems[2379] = "in use";  // and no client certificate exists to query it
  for (const auto& phase :
       {std::function<void()>([&] { LeaveEtcd(); }), std::function<void()>([&] { CleanNode(); })}) {
    const base::Error error = base::Thrown(phase);
    EXPECT_EQ(error.kind(), base::Error::Kind::kConflict);
    EXPECT_THAT(error.message(), HasSubstr("it runs, and it is unknown whether etcd"));
    EXPECT_THAT(error.message(), HasSubstr("give --force"));
  }
  EXPECT_TRUE(fake_.files.Exists("/e/member/db"));
  EXPECT_TRUE(fake_.files.Exists("/etc/kubernetes/manifests/etcd.yaml"));
  teardown_.config.force = true;
  CleanNode();
  EXPECT_FALSE(fake_.files.Exists("/etc/kubernetes/manifests/etcd.yaml"));
}

TEST_F(ResetStepsTest, CleansTheNode) {
  fake_.mounts.mounts = {{"tmpfs", "/var/lib/kubelet/pods/v", "tmpfs"}};
  for (const char* path : {"/etc/kubernetes/manifests/a.yaml", "/var/lib/kubelet/config.yaml",
                           "/etc/kubernetes/pki/ca.crt", "/etc/kubernetes/admin.conf",
                           "/etc/kubernetes/mine.txt", "/var/lib/slipway/journal-init.json",
                           "/var/lib/slipway/readdress.json", "/var/lib/slipway/upgrade.json"}) {
    Write(path);
  }
  CleanNode();
  EXPECT_THAT(fake_.mounts.unmounted, ElementsAre("/var/lib/kubelet/pods/v"));
  EXPECT_THAT(fake_.files.List("/etc/kubernetes"), ElementsAre("manifests", "mine.txt", "pki"));
  EXPECT_THAT(fake_.files.List("/etc/kubernetes/pki"), IsEmpty());
  EXPECT_THAT(fake_.files.List("/var/lib/kubelet"), IsEmpty());
  EXPECT_FALSE(fake_.files.Exists("/var/lib/slipway"));
  EXPECT_THAT(warned_, HasSubstr("container runtime"));
}

TEST_F(ResetStepsTest, EndsATrialBeforeAnythingElse) {
  const char* unit = "/etc/systemd/system/kubeadm-config-keep.service";
  for (const char* path :
       {unit, "/var/lib/slipway/operation-config-apply.json", "/var/lib/slipway/config-change.json",
        "/var/lib/slipway/config-change-pods.json"}) {
    Write(path);
  }
  fake_.processes.AddExecutable("systemctl");
  const Steps steps = NodeSteps(teardown_, notes_);
  EXPECT_THAT(steps.front().begins.value_or(""), HasSubstr("last change by 'kubeadm config'"));
  steps.front().run(teardown_, notes_);
  EXPECT_FALSE(fake_.files.Exists(unit));
  EXPECT_THAT(fake_.files.List("/var/lib/slipway"), IsEmpty());
  EXPECT_THAT(fake_.processes.changes(),
              testing::Contains("systemctl stop kubeadm-config-keep.service"));
  CleanNode();
  EXPECT_FALSE(fake_.files.Exists("/var/lib/slipway"));
}

TEST_F(ResetStepsTest, RemovesRecognizedFilesThroughLinksAndMounts) {
  const auto real = [&](const char* path) { return fake_.files.Location(path); };
  for (const char* path :
       {"/srv/kubelet/config.yaml", "/srv/kubelet/pods/p/volumes/v", "/srv/kubelet/mine",
        "/srv/pki/ca.key", "/srv/pki/etcd/peer.crt", "/srv/pki/mine",
        "/srv/manifests/kube-scheduler.yaml", "/srv/manifests/mine.yaml"}) {
    Write(path);
  }
  for (const char* path : {"/var/lib/etcd", "/etc/kubernetes/pki", "/etc/kubernetes/manifests"}) {
    fake_.files.MakeDirectories(path, 0755);
  }
  fs::create_directory_symlink(real("/srv/kubelet"), real("/var/lib/kubelet"));
  const auto bind = [&](const char* from, const char* to) {
    return ::mount(real(from).c_str(), real(to).c_str(), nullptr, MS_BIND, nullptr) == 0;
  };
  if (!bind("/srv/pki", "/etc/kubernetes/pki") ||
      !bind("/srv/manifests", "/etc/kubernetes/manifests") ||
      ::mount("none", real("/var/lib/etcd").c_str(), "tmpfs", 0, "size=16m") != 0) {
    GTEST_SKIP() << "needs the right to mount";
  }
  for (const char* path : {"/var/lib/etcd/member/db", "/var/lib/etcd/etcd-backup-1/db",
                           "/var/lib/etcd/member.failed-upgrade/db", "/var/lib/etcd/lost+found/x",
                           "/var/lib/etcd/mine"}) {
    Write(path);
  }
  LeaveEtcd();
  CleanNode();
  EXPECT_THAT(fake_.files.List("/var/lib/etcd"), ElementsAre("lost+found", "mine"));
  for (const char* path : {"/etc/kubernetes/pki", "/etc/kubernetes/manifests", "/var/lib/etcd"}) {
    ::umount2(real(path).c_str(), MNT_DETACH);
  }
  EXPECT_THAT(fake_.files.List("/srv/kubelet"), ElementsAre("mine"));
  EXPECT_THAT(fake_.files.List("/srv/pki"), ElementsAre("mine"));
  EXPECT_THAT(fake_.files.List("/srv/manifests"), ElementsAre("mine.yaml"));
  EXPECT_EQ(fake_.files.Stat("/var/lib/kubelet")->kind, host::FileInfo::Kind::kLink);
  EXPECT_THAT(warned_, HasSubstr("/srv/kubelet: \"mine\""));
  EXPECT_THAT(warned_, HasSubstr("/var/lib/etcd: \"mine\""));
}

TEST_F(ResetStepsTest, LeavesNoCredentialsInCopies) {
  for (const char* kind :
       {"kubeadm-node-readdress", "kubeadm-endpoint", "kubeadm-config-change",
        "kubeadm-config-apply", "kubeadm-node-recover", "kubeadm-node-rename",
        "kubeadm-rotate-ca-etcd", "kubeadm-init-dryrun123", "kubeadm-backup-etcd"}) {
    Write("/etc/kubernetes/tmp/" + std::string(kind) + "-2026/kubelet.conf");
  }
  CleanNode();
  EXPECT_THAT(fake_.files.List("/etc/kubernetes/tmp"), ElementsAre("kubeadm-backup-etcd-2026"));
}

TEST_F(ResetStepsTest, EmptiesEtcdsDirectoryAgainWhenEtcdStillWrote) {
  LeaveEtcd();
  Write("/var/lib/etcd/member/late");
  CleanNode();
  EXPECT_THAT(fake_.files.List("/var/lib/etcd"), IsEmpty());
}

TEST_F(ResetStepsTest, EndsBeforeAnythingIsDeletedWhenAMountIsBusy) {
  fake_.mounts.mounts = {{"nfs", "/var/lib/kubelet/v", "nfs"}};
  fake_.mounts.failures["/var/lib/kubelet/v"] = "Device or resource busy";
  Write("/var/lib/kubelet/config.yaml");
  const base::Error error = base::Thrown([&] { CleanNode(); });
  EXPECT_THAT(error.message(), HasSubstr("unmountFlags"));
  EXPECT_TRUE(fake_.files.Exists("/var/lib/kubelet/config.yaml"));
}

TEST_F(ResetStepsTest, RemovesTheEtcdMemberOnlyIfTheManifestNamesIt) {
  EXPECT_EQ(EtcdSteps(teardown_, notes_).size(), 1U) << "the data alone";
  Write("/etc/kubernetes/manifests/etcd.yaml",
        "apiVersion: v1\nkind: Pod\n"
        "spec: {containers: [{name: etcd, command: [etcd, "
        "'--initial-advertise-peer-urls=https://10.0.0.1:2380']}]}");
  const Steps steps = EtcdSteps(teardown_, notes_);
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[0].planned,
            "[dryrun] Would remove the etcd member https://10.0.0.1:2380 from its cluster");
  EXPECT_EQ(steps[0].begins, std::nullopt);
}

TEST_F(ResetStepsTest, StopsTheKubeletBeforeItRemovesFiles) {
  std::vector<std::string> begins;
  for (const ResetStep& step : NodeSteps(teardown_, notes_)) {
    begins.push_back(step.begins.value_or("(no line)"));
  }
  EXPECT_THAT(begins, ElementsAre("[reset] Stopping the kubelet", HasSubstr("Unmounting"),
                                  "(no line)", HasSubstr("Deleting contents of directories"),
                                  HasSubstr("Deleting files")));
}

TEST_F(ResetStepsTest, ADryRunChangesNothing) {
  fake_.mounts.mounts = {{"tmpfs", "/var/lib/kubelet/pods/v", "tmpfs"}};
  Write("/etc/kubernetes/admin.conf", "");
  teardown_.config.certificates_dir = "/usr/../etc";
  Show(NodeSteps(teardown_, notes_), notes_);
  EXPECT_THAT(fake_.mounts.unmounted, IsEmpty());
  EXPECT_THAT(fake_.processes.changes(), IsEmpty());
  EXPECT_TRUE(fake_.files.Exists("/etc/kubernetes/admin.conf"));
  EXPECT_THAT(said_, HasSubstr("[dryrun] Would stop the kubelet\n"));
  EXPECT_THAT(warned_, HasSubstr("not emptying /usr/../etc: other programs"));
}

TEST_F(ResetStepsTest, ReportTheTargetsOfRemovedLinks) {
  const auto link = [&](const std::string& path, const std::string& target) {
    fake_.files.MakeDirectories(fs::path(path).parent_path(), 0755);
    fs::create_symlink(fake_.files.Location(target), fake_.files.Location(path));
  };
  for (const char* kept : {"/srv/sa.key", "/srv/etcd/ca.key", "/srv/admin.conf"}) {
    Write(kept);
  }
  fake_.files.MakeDirectories("/srv/empty", 0755);
  link("/etc/kubernetes/pki/sa.key", "/srv/sa.key");
  link("/etc/kubernetes/pki/etcd", "/srv/etcd");
  link("/etc/kubernetes/pki/empty", "/srv/empty");
  link("/etc/kubernetes/admin.conf", "/srv/admin.conf");
  Write("/var/lib/kubelet/pki/kubelet-client-1.pem");
  link("/var/lib/kubelet/pki/kubelet-client-current.pem",
       "/var/lib/kubelet/pki/kubelet-client-1.pem");
  fake_.mounts.mounts = {};
  CleanNode();
  std::vector<std::string> links = teardown_.LeftBehind();
  std::erase_if(links,
                [](const std::string& line) { return !line.contains("was a symbolic link"); });
  EXPECT_THAT(links, testing::UnorderedElementsAre(
                         HasSubstr("/srv/sa.key still exists"), HasSubstr("/srv/etcd still exists"),
                         HasSubstr("/etc/kubernetes/admin.conf was a symbolic link")));
}

TEST_F(ResetStepsTest, ReportsEmptiedAndKeptDirectories) {
  Write("/var/lib/kubelet/config.yaml");
  fake_.mounts.mounts = {};
  CleanNode();
  EXPECT_THAT(teardown_.emptied, testing::Contains("/var/lib/kubelet"));
  Write("/var/lib/kubelet/late");
  EXPECT_THAT(teardown_.LeftBehind(),
              testing::Contains(HasSubstr("/var/lib/kubelet is not empty: late")));
}

}  // namespace
}  // namespace reset
