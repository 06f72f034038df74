// SPDX-License-Identifier: Apache-2.0
#include "steps/resume.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "base/fake_error.h"
#include "host/fake_host.h"
#include "kube/kubeconfig.h"
#include "pki/certificate.h"
#include "workflow/resume.h"

namespace steps {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;

class ResumeTest : public testing::Test {
 protected:
  ResumeTest() {
    config_.cluster.certificates_dir = "/etc/kubernetes/pki";
    config_.cluster.etcd.local.emplace().data_dir = "/var/lib/etcd";
    config_.init.local_api_endpoint.bind_port = 6443;
  }

  // Simulates a run that has written these files and was interrupted.
  void LeaveBehind(const workflow::Origin& origin, const std::vector<std::string>& paths) {
    const auto journal = workflow::OpenJournal(host_.host, "init", origin);
    for (const std::string& path : paths) {
      journal->FileWritten("phase", path, workflow::FileHash("made"));
      host_.files.Write(path, "made", {});
    }
  }

  void Begin(const workflow::Origin& origin) {
    journal_ = workflow::OpenJournal(host_.host, "init", origin);
  }

  ResumedNode Left() {
    return {.files = host_.files,
            .journal = journal_.get(),
            .config = config_,
            .kubeconfig_dir = "/etc/kubernetes"};
  }

  // Calls the functions that the phases call before they check for existing files.
  void DropStaleFiles() {
    for (const certs::CertSpec& spec : certs::Tree()) {
      DropStaleCertificate(Left(), spec);
    }
    DropStaleServiceAccountKey(Left());
    for (const kubeconfigs::KubeconfigSpec& spec : kubeconfigs::InitSpecs()) {
      DropStaleKubeconfig(Left(), spec);
    }
  }

  host::FakeHost host_;
  config::Init config_;
  std::unique_ptr<workflow::Journal> journal_;
};

TEST_F(ResumeTest, RecreatesLeavesAfterAChangedConfiguration) {
  LeaveBehind({"config"}, {"/etc/kubernetes/pki/apiserver.crt", "/etc/kubernetes/pki/apiserver.key",
                           "/etc/kubernetes/pki/ca.crt", "/etc/kubernetes/pki/sa.key",
                           "/etc/kubernetes/pki/sa.pub", "/etc/kubernetes/admin.conf",
                           "/etc/kubernetes/manifests/etcd.yaml"});
  host_.files.Write("/etc/kubernetes/pki/apiserver.key", "the user's own", {});
  Begin({"changed"});
  DropStaleFiles();
  EXPECT_FALSE(host_.files.Exists("/etc/kubernetes/pki/apiserver.crt"));
  EXPECT_FALSE(host_.files.Exists("/etc/kubernetes/admin.conf"));
  EXPECT_TRUE(host_.files.Exists("/etc/kubernetes/pki/apiserver.key"));
  EXPECT_TRUE(host_.files.Exists("/etc/kubernetes/pki/ca.crt"));
  EXPECT_TRUE(host_.files.Exists("/etc/kubernetes/pki/sa.key"));
  EXPECT_TRUE(host_.files.Exists("/etc/kubernetes/manifests/etcd.yaml"));
}

TEST_F(ResumeTest, RecreatesOnlyFilesOfThePhase) {
  LeaveBehind({"config"}, {"/etc/kubernetes/pki/apiserver.crt", "/etc/kubernetes/pki/apiserver.key",
                           "/etc/kubernetes/pki/front-proxy-client.crt",
                           "/etc/kubernetes/pki/front-proxy-client.key"});
  Begin({"changed"});
  DropStaleCertificate(Left(), certs::FindSpec("apiserver"));
  EXPECT_FALSE(host_.files.Exists("/etc/kubernetes/pki/apiserver.crt"));
  EXPECT_FALSE(host_.files.Exists("/etc/kubernetes/pki/apiserver.key"));
  EXPECT_TRUE(host_.files.Exists("/etc/kubernetes/pki/front-proxy-client.crt"));
}

TEST_F(ResumeTest, TheSameConfigurationKeepsEverything) {
  LeaveBehind({"config"}, {"/etc/kubernetes/pki/apiserver.crt"});
  Begin({"config"});
  DropStaleFiles();
  EXPECT_TRUE(host_.files.Exists("/etc/kubernetes/pki/apiserver.crt"));
}

TEST_F(ResumeTest, RecreatesAKeyWithoutCertificateUnlessItIsTheUsers) {
  LeaveBehind({"config"}, {"/etc/kubernetes/pki/ca.key", "/etc/kubernetes/pki/sa.key",
                           "/etc/kubernetes/pki/etcd/ca.key", "/etc/kubernetes/pki/etcd/ca.crt",
                           "/etc/kubernetes/pki/etcd/peer.key"});
  host_.files.Write("/etc/kubernetes/pki/front-proxy-ca.key", "made", {});
  host_.files.Write("/etc/kubernetes/pki/etcd/peer.key", "the user's own", {});
  Begin({"config"});
  DropStaleFiles();
  EXPECT_FALSE(host_.files.Exists("/etc/kubernetes/pki/ca.key"));
  EXPECT_FALSE(host_.files.Exists("/etc/kubernetes/pki/sa.key"));
  EXPECT_TRUE(host_.files.Exists("/etc/kubernetes/pki/etcd/ca.key"));
  EXPECT_TRUE(host_.files.Exists("/etc/kubernetes/pki/etcd/peer.key"));
  EXPECT_TRUE(host_.files.Exists("/etc/kubernetes/pki/front-proxy-ca.key"));
}

// The parts of manifests that the checks read.
constexpr const char* kEtcdPod = R"(apiVersion: v1
kind: Pod
spec:
  containers:
  - name: etcd
    command: [etcd, --data-dir=/var/lib/etcd]
  volumes:
  - {name: etcd-data, hostPath: {path: /var/lib/etcd}}
)";
constexpr const char* kApiServerPod = R"(apiVersion: v1
kind: Pod
spec:
  containers:
  - name: kube-apiserver
    command: [kube-apiserver, --secure-port=6443]
)";

class SettledChecksTest : public ResumeTest {
 protected:
  void LeaveControlPlaneBehind() {
    LeaveBehind({"config"}, {"/etc/kubernetes/manifests/etcd.yaml",
                             "/etc/kubernetes/manifests/kube-apiserver.yaml",
                             "/etc/kubernetes/bootstrap-kubelet.conf"});
    const auto journal = workflow::OpenJournal(host_.host, "init", {"config"});
    for (const auto& [path, text] :
         {std::pair("/etc/kubernetes/manifests/etcd.yaml", kEtcdPod),
          std::pair("/etc/kubernetes/manifests/kube-apiserver.yaml", kApiServerPod)}) {
      journal->FileWritten("phase", path, workflow::FileHash(text));
      host_.files.Write(path, text, {});
    }
    Begin({"config"});
  }
};

TEST_F(SettledChecksTest, SkipChecksOfTheRunsOwnFiles) {
  Begin({"config"});
  EXPECT_TRUE(SettledChecks(Left()).empty());
  LeaveControlPlaneBehind();
  host_.files.Write("/etc/kubernetes/manifests/kube-apiserver.yaml", "the: user's own", {});
  EXPECT_EQ(
      SettledChecks(Left()),
      (std::set<std::string>{
          "DirAvailable--var-lib-etcd", "FileAvailable--etc-kubernetes-bootstrap-kubelet.conf",
          "FileAvailable--etc-kubernetes-kubelet.conf",
          "FileAvailable--etc-kubernetes-manifests-etcd.yaml", "Port-2379", "Port-2380"}));
}

TEST_F(SettledChecksTest, SkipTheCheckOfEtcdsDataIfItsManifestWasRemovedAlready) {
  LeaveControlPlaneBehind();
  host_.files.Remove("/etc/kubernetes/manifests/etcd.yaml");
  EXPECT_THAT(SettledChecks(Left()), Contains("DirAvailable--var-lib-etcd"));
  Begin({"another config"});
  EXPECT_THAT(SettledChecks(Left()), Not(Contains("DirAvailable--var-lib-etcd")))
      << "a directory that no earlier run has checked";
}

TEST_F(SettledChecksTest, SkipChecksOfPortAndDataInItsManifestsOnly) {
  config_.cluster.etcd.local->data_dir = "/data/etcd";
  config_.init.local_api_endpoint.bind_port = 8443;
  LeaveControlPlaneBehind();
  const std::set<std::string> settled = SettledChecks(Left());
  EXPECT_THAT(settled, IsSupersetOf({"DirAvailable--var-lib-etcd", "Port-6443"}));
  EXPECT_THAT(settled, Not(Contains("DirAvailable--data-etcd")));
  EXPECT_THAT(settled, Not(Contains("Port-8443")));
}

TEST_F(ResumeTest, DoesNotTreatAKubeletWithoutIdentityAsANode) {
  LeaveBehind({"config"}, {"/etc/kubernetes/bootstrap-kubelet.conf"});
  Begin({"config"});
  EXPECT_FALSE(IsOwnNode(host_.files, journal_.get(), "node-1"));
  host_.files.Write("/etc/kubernetes/kubelet.conf", "no kubeconfig", {});
  EXPECT_FALSE(IsOwnNode(host_.files, journal_.get(), "node-1"));
}

// A resumed join that has obtained the certificate of node-1's kubelet. The cluster has its own CA.
class IdentityTest : public ResumeTest {
 protected:
  IdentityTest() {
    LeaveBehind({"config"}, {"/etc/kubernetes/bootstrap-kubelet.conf"});
    Begin({"config"});
    kube::Kubeconfig conf;
    conf.clusters["c"] = {.server = "https://a:6443", .certificate_authority_data = ca_};
    conf.users["u"] = {.client_certificate_data = NewCa("system:node:node-1")};
    conf.contexts["x"] = {.cluster = "c", .user = "u"};
    conf.current_context = "x";
    host_.files.Write("/etc/kubernetes/kubelet.conf", conf.Text(), {});
  }

  // Returns a new CA certificate with this name.
  static std::string NewCa(const std::string& name) {
    const pki::CertificateSpec spec{.subject = {.common_name = name}};
    return pki::NewSelfSignedCa(spec, pki::PrivateKey::Generate(pki::Algorithm::kEcdsaP256)).Pem();
  }

  std::string ErrorFor(const Identity& wanted) {
    return base::MessageOf([&] { RequireFittingIdentity(host_.files, journal_.get(), wanted); });
  }

  const std::string ca_ = NewCa("kubernetes");
};

TEST_F(IdentityTest, AcceptsTheNodeOfThisMachine) {
  EXPECT_TRUE(IsOwnNode(host_.files, journal_.get(), "node-1"));
  EXPECT_EQ(ErrorFor({.node = "node-1", .ca_pem = NewCa("new") + ca_}), "");
  EXPECT_EQ(ErrorFor({.node = "node-1", .ca_pem = ca_, .server = "https://a:6443"}), "");
}

TEST_F(IdentityTest, RefusesAnotherNodeClusterOrServer) {
  EXPECT_FALSE(IsOwnNode(host_.files, journal_.get(), "node-2"));
  EXPECT_THAT(ErrorFor({.node = "node-2", .ca_pem = ca_}), HasSubstr("not node \"node-2\""));
  EXPECT_THAT(ErrorFor({.node = "node-1", .ca_pem = NewCa("kubernetes")}), HasSubstr("another CA"));
  EXPECT_THAT(ErrorFor({.node = "node-1", .ca_pem = ca_, .server = "https://b:6443"}),
              AllOf(HasSubstr("https://b:6443"), HasSubstr("kubeadm reset")));
}

TEST_F(IdentityTest, IgnoresARunThatIsNotAResumedJoin) {
  journal_->Complete();
  Begin({"config"});
  EXPECT_EQ(ErrorFor({.node = "node-2", .ca_pem = ca_}), "");
}

}  // namespace
}  // namespace steps
