// SPDX-License-Identifier: Apache-2.0
#include "resume/resume.h"

#include <gtest/gtest.h>

#include "host/fake_host.h"
#include "workflow/resume.h"

namespace resume {
namespace {

class ResumeTest : public testing::Test {
 protected:
  ResumeTest() {
    config_.cluster.certificates_dir = "/etc/kubernetes/pki";
    config_.cluster.etcd.local.emplace().data_dir = "/var/lib/etcd";
    config_.init.local_api_endpoint.bind_port = 6443;
  }

  // A run that wrote these files and was cut off.
  void LeaveBehind(const std::string& origin, const std::vector<std::string>& paths) {
    const auto journal = workflow::OpenJournal(host_.host, "init", origin);
    for (const std::string& path : paths) {
      journal->FileWritten("phase", path, workflow::FileHash("made"));
      host_.files.Write(path, "made", {});
    }
  }

  void Begin(const std::string& origin) {
    journal_ = workflow::OpenJournal(host_.host, "init", origin);
  }

  Node Left() {
    return {.files = host_.files,
            .journal = journal_.get(),
            .config = config_,
            .kubeconfig_dir = "/etc/kubernetes",
            .kubeconfigs = kubeconfigs::InitSpecs()};
  }

  host::FakeHost host_;
  config::Init config_;
  std::unique_ptr<workflow::Journal> journal_;
};

TEST_F(ResumeTest, AChangedConfigurationMakesLeavesAgainAndKeepsWhatMayBeInUse) {
  LeaveBehind("config", {"/etc/kubernetes/pki/apiserver.crt", "/etc/kubernetes/pki/apiserver.key",
                         "/etc/kubernetes/pki/ca.crt", "/etc/kubernetes/pki/sa.key",
                         "/etc/kubernetes/pki/sa.pub", "/etc/kubernetes/admin.conf",
                         "/etc/kubernetes/manifests/etcd.yaml"});
  host_.files.Write("/etc/kubernetes/pki/apiserver.key", "the user's own", {});
  Begin("changed");
  DropStaleFiles(Left());
  EXPECT_FALSE(host_.files.Exists("/etc/kubernetes/pki/apiserver.crt"));
  EXPECT_FALSE(host_.files.Exists("/etc/kubernetes/admin.conf"));
  EXPECT_TRUE(host_.files.Exists("/etc/kubernetes/pki/apiserver.key"));
  EXPECT_TRUE(host_.files.Exists("/etc/kubernetes/pki/ca.crt"));
  EXPECT_TRUE(host_.files.Exists("/etc/kubernetes/pki/sa.key"));
  EXPECT_TRUE(host_.files.Exists("/etc/kubernetes/manifests/etcd.yaml"));
}

TEST_F(ResumeTest, TheSameConfigurationKeepsEverything) {
  LeaveBehind("config", {"/etc/kubernetes/pki/apiserver.crt"});
  Begin("config");
  DropStaleFiles(Left());
  EXPECT_TRUE(host_.files.Exists("/etc/kubernetes/pki/apiserver.crt"));
}

TEST_F(ResumeTest, AKeyAloneIsMadeAgainUnlessItIsTheUsers) {
  LeaveBehind("config", {"/etc/kubernetes/pki/ca.key", "/etc/kubernetes/pki/sa.key",
                         "/etc/kubernetes/pki/etcd/ca.key", "/etc/kubernetes/pki/etcd/ca.crt",
                         "/etc/kubernetes/pki/etcd/peer.key"});
  host_.files.Write("/etc/kubernetes/pki/front-proxy-ca.key", "made", {});
  host_.files.Write("/etc/kubernetes/pki/etcd/peer.key", "the user's own", {});
  Begin("config");
  DropStaleFiles(Left());
  EXPECT_FALSE(host_.files.Exists("/etc/kubernetes/pki/ca.key"));
  EXPECT_FALSE(host_.files.Exists("/etc/kubernetes/pki/sa.key"));
  EXPECT_TRUE(host_.files.Exists("/etc/kubernetes/pki/etcd/ca.key"));
  EXPECT_TRUE(host_.files.Exists("/etc/kubernetes/pki/etcd/peer.key"));
  EXPECT_TRUE(host_.files.Exists("/etc/kubernetes/pki/front-proxy-ca.key"));
}

TEST_F(ResumeTest, ChecksOfWhatTheRunMadeItselfAreSettled) {
  Begin("config");
  EXPECT_TRUE(SettledChecks(Left()).empty());
  LeaveBehind("config", {"/etc/kubernetes/manifests/etcd.yaml",
                         "/etc/kubernetes/manifests/kube-apiserver.yaml",
                         "/etc/kubernetes/bootstrap-kubelet.conf"});
  host_.files.Write("/etc/kubernetes/manifests/kube-apiserver.yaml", "the user's own", {});
  Begin("config");
  EXPECT_EQ(
      SettledChecks(Left()),
      (std::set<std::string>{
          "DirAvailable--var-lib-etcd", "FileAvailable--etc-kubernetes-bootstrap-kubelet.conf",
          "FileAvailable--etc-kubernetes-kubelet.conf",
          "FileAvailable--etc-kubernetes-manifests-etcd.yaml", "Port-2379", "Port-2380"}));
}

TEST_F(ResumeTest, AKubeletWithoutAnIdentityIsNoNode) {
  LeaveBehind("config", {"/etc/kubernetes/bootstrap-kubelet.conf"});
  Begin("config");
  EXPECT_FALSE(IsOwnNode(host_.files, journal_.get(), "node-1"));
  host_.files.Write("/etc/kubernetes/kubelet.conf", "no kubeconfig", {});
  EXPECT_FALSE(IsOwnNode(host_.files, journal_.get(), "node-1"));
}

}  // namespace
}  // namespace resume
