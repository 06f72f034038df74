#include "kubeadm/resume.h"

#include <gtest/gtest.h>

#include "host/fake_host.h"
#include "kubeadm/init/data.h"
#include "kubeadm/written_files.h"

namespace kubeadm {
namespace {

class ResumeTest : public testing::Test {
 protected:
  ResumeTest() {
    data_.options.kubeconfig_dir = "/etc/kubernetes";
    data_.config.cluster.certificates_dir = "/etc/kubernetes/pki";
  }

  // A run that wrote these files and was cut off.
  void LeaveBehind(const std::string& origin, const std::vector<std::string>& paths) {
    const auto journal = OpenJournal(host_.host, "init", origin);
    for (const std::string& path : paths) {
      journal->FileWritten("phase", path, FileHash("made"));
      host_.files.Write(path, "made", {});
    }
  }

  void Begin(const std::string& origin) {
    journal_ = OpenJournal(host_.host, "init", origin);
    data_.journal = journal_.get();
  }

  host::FakeHost host_;
  InitData data_{host_.host, host_.host};
  std::unique_ptr<workflow::Journal> journal_;
};

TEST_F(ResumeTest, KnowsItsOwnLeftoversByContent) {
  LeaveBehind("config", {"/etc/kubernetes/manifests/etcd.yaml", "/etc/kubernetes/admin.conf"});
  host_.files.Write("/etc/kubernetes/admin.conf", "changed by somebody", {});
  host_.files.Write("/etc/kubernetes/other.conf", "made", {});
  Begin("config");
  EXPECT_TRUE(IsOwnLeftover(data_, "/etc/kubernetes/manifests/etcd.yaml"));
  EXPECT_FALSE(IsOwnLeftover(data_, "/etc/kubernetes/admin.conf"));
  EXPECT_FALSE(IsOwnLeftover(data_, "/etc/kubernetes/other.conf"));
  EXPECT_FALSE(IsOwnLeftover(data_, "/etc/kubernetes/none.conf"));
}

TEST_F(ResumeTest, ACompleteRunLeavesNothingToResume) {
  LeaveBehind("config", {"/etc/kubernetes/manifests/etcd.yaml"});
  Begin("config");
  journal_->Complete();
  Begin("config");
  EXPECT_FALSE(IsOwnLeftover(data_, "/etc/kubernetes/manifests/etcd.yaml"));
}

TEST_F(ResumeTest, AMendedConfigurationMakesLeavesAnewAndKeepsWhatMayBeInUse) {
  LeaveBehind("config", {"/etc/kubernetes/pki/apiserver.crt", "/etc/kubernetes/pki/apiserver.key",
                         "/etc/kubernetes/pki/ca.crt", "/etc/kubernetes/pki/sa.key",
                         "/etc/kubernetes/pki/sa.pub", "/etc/kubernetes/admin.conf",
                         "/etc/kubernetes/manifests/etcd.yaml"});
  host_.files.Write("/etc/kubernetes/pki/apiserver.key", "the user's own", {});
  Begin("mended");
  DropStaleFiles(data_);
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
  DropStaleFiles(data_);
  EXPECT_TRUE(host_.files.Exists("/etc/kubernetes/pki/apiserver.crt"));
}

TEST_F(ResumeTest, AKeyAloneIsMadeAnewUnlessItIsTheUsers) {
  LeaveBehind("config", {"/etc/kubernetes/pki/ca.key", "/etc/kubernetes/pki/sa.key",
                         "/etc/kubernetes/pki/etcd/ca.key", "/etc/kubernetes/pki/etcd/ca.crt",
                         "/etc/kubernetes/pki/etcd/peer.key"});
  host_.files.Write("/etc/kubernetes/pki/front-proxy-ca.key", "made", {});
  host_.files.Write("/etc/kubernetes/pki/etcd/peer.key", "the user's own", {});
  Begin("config");
  DropStaleFiles(data_);
  EXPECT_FALSE(host_.files.Exists("/etc/kubernetes/pki/ca.key"));
  EXPECT_FALSE(host_.files.Exists("/etc/kubernetes/pki/sa.key"));
  EXPECT_TRUE(host_.files.Exists("/etc/kubernetes/pki/etcd/ca.key"));
  EXPECT_TRUE(host_.files.Exists("/etc/kubernetes/pki/etcd/peer.key"));
  EXPECT_TRUE(host_.files.Exists("/etc/kubernetes/pki/front-proxy-ca.key"));
}

}  // namespace
}  // namespace kubeadm
