#include "kubeadm/reset/phases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>

#include "base/error.h"
#include "ca_rotation/place.h"
#include "host/fake_host.h"
#include "host/fake_mounts.h"
#include "reset/leftovers.h"

namespace kubeadm {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Heard keeps what a phase says.
class Heard : public workflow::Context {
 public:
  std::string printed, warned, remarked;
  void Print(std::string_view text) override { Add(printed, text); }
  void Warn(std::string_view text, std::source_location) override { Add(warned, text); }
  void Remark(std::string_view text) override { Add(remarked, text); }
  void Progress(std::string_view) override {}
  void Result(std::string_view, const json::Value&) override {}
  void FileWritten(const std::string&, const std::string&) override {}
  std::stop_token Stop() const override { return {}; }

 private:
  static void Add(std::string& to, std::string_view text) { to.append(text).append("\n"); }
};

class ResetPhasesTest : public testing::Test {
 protected:
  ResetPhasesTest() {
    data_.config = {.certificates_dir = "/etc/kubernetes/pki",
                    .cri_socket = "unix:///nonexistent/x.sock"};
    data_.options.kubeconfig = "/etc/kubernetes/admin.conf";
    data_.confirm = [this](const std::string& question) {
      questions_.push_back(question);
      return answer_;
    };
  }
  void Run(const std::string& name) { Run(name, data_); }
  void Run(const std::string& name, ResetData& data) {
    for (const ResetPhase& phase : ResetPhases()) {
      if (phase.name == name && (!phase.when || phase.when(data))) {
        phase.run(data, heard_);
      }
    }
  }
  void Write(const std::string& path, const std::string& text = "x") {
    fake_.files.Write(path, text, {});
  }

  host::FakeHost fake_;
  host::FakeMounts mounts_;
  MachineWorld world_{fake_.host};
  ResetData data_{world_, mounts_};
  Heard heard_;
  std::vector<std::string> questions_;
  bool answer_ = true;
};

TEST_F(ResetPhasesTest, AsksUnlessToldNotTo) {
  Run("preflight");
  EXPECT_EQ(questions_.size(), 1U);
  EXPECT_THAT(heard_.remarked, HasSubstr("WARNING"));
  answer_ = false;
  EXPECT_THROW(Run("preflight"), base::Error);
  questions_.clear();
  const std::unique_ptr<World> dry = ChooseWorld(fake_.host, true, {});
  ResetData shown(*dry, mounts_);
  Run("preflight", shown);
  data_.config.force = true;
  Run("preflight");
  EXPECT_THAT(questions_, IsEmpty());
}

TEST_F(ResetPhasesTest, WantsRoot) {
  fake_.machine.effective_user = 1000;
  EXPECT_THROW(Run("preflight"), base::Error);
  data_.ignored_preflight_errors = {"isprivilegeduser"};
  EXPECT_NO_THROW(Run("preflight"));
}

TEST_F(ResetPhasesTest, EmptiesEtcdsFolderOfTheManifest) {
  Write("/etc/kubernetes/manifests/etcd.yaml",
        "apiVersion: v1\nkind: Pod\n"
        "spec: {containers: [{name: etcd}], volumes: [{name: etcd-data, hostPath: {path: /e}}]}");
  Write("/e/member/db");
  Write("/var/lib/etcd/other");
  Run("remove-etcd-member");
  EXPECT_THAT(fake_.files.List("/e"), IsEmpty());
  EXPECT_TRUE(fake_.files.Exists("/var/lib/etcd/other"));
  EXPECT_EQ(heard_.warned, "");
}

TEST_F(ResetPhasesTest, KeepsEtcdsFolderWhenTheManifestIsBroken) {
  Write("/etc/kubernetes/manifests/etcd.yaml", "spec: [");
  Write("/var/lib/etcd/member/db");
  Run("remove-etcd-member");
  EXPECT_TRUE(fake_.files.Exists("/var/lib/etcd/member/db"));
  EXPECT_THAT(heard_.warned, HasSubstr("the manifest of etcd cannot be read"));
  EXPECT_THAT(heard_.printed, HasSubstr("external"));
}

TEST_F(ResetPhasesTest, GoesOnWithoutAReachableMember) {
  Write("/etc/kubernetes/manifests/etcd.yaml",
        "apiVersion: v1\nkind: Pod\n"
        "spec: {containers: [{name: etcd, command: [etcd, "
        "'--initial-advertise-peer-urls=https://10.0.0.1:2380']}], "
        "volumes: [{name: etcd-data, hostPath: {path: /e}}]}");
  Write("/e/member/db");
  Run("remove-etcd-member");
  EXPECT_THAT(heard_.warned, HasSubstr("this node's etcd member was not removed"));
  EXPECT_THAT(fake_.files.List("/e"), IsEmpty());
}

TEST_F(ResetPhasesTest, CleansTheNode) {
  mounts_.mounts = {{"tmpfs", "/var/lib/kubelet/pods/v", "tmpfs"}};
  for (const char* path : {"/etc/kubernetes/manifests/a.yaml", "/var/lib/kubelet/config.yaml",
                           "/etc/kubernetes/pki/ca.crt", "/etc/kubernetes/admin.conf",
                           "/etc/kubernetes/mine.txt", "/var/lib/slipway/journal-init.json"}) {
    Write(path);
  }
  Run("cleanup-node");
  EXPECT_THAT(mounts_.unmounted, ElementsAre("/var/lib/kubelet/pods/v"));
  EXPECT_THAT(fake_.files.List("/etc/kubernetes"), ElementsAre("manifests", "mine.txt", "pki"));
  EXPECT_THAT(fake_.files.List("/etc/kubernetes/pki"), IsEmpty());
  EXPECT_THAT(fake_.files.List("/var/lib/kubelet"), IsEmpty());
  EXPECT_FALSE(fake_.files.Exists("/var/lib/slipway"));
  EXPECT_THAT(heard_.warned, HasSubstr("container runtime"));
}

TEST_F(ResetPhasesTest, LeavesNoKeyInACertificatesDirectoryOfTheUsersChoice) {
  data_.config.certificates_dir = "/srv/pki";
  Write("/srv/pki/ca.key");
  for (const ca_rotation::Authority& authority : ca_rotation::Authorities()) {
    const ca_rotation::Place place{
        .files = fake_.files, .authority = authority, .certs_dir = "/srv/pki"};
    Write(ca_rotation::SavedKeyPath(place, ca_rotation::Which::kNew).string());
    Write(ca_rotation::SavedKeyPath(place, ca_rotation::Which::kOld).string());
  }
  Write("/srv/pki/mine");
  Run("cleanup-node");
  EXPECT_THAT(fake_.files.List("/srv/pki"), ElementsAre("mine"));
  EXPECT_THAT(heard_.warned, HasSubstr("is kept in"));
}

TEST_F(ResetPhasesTest, KeepsWhatIsReachedThroughLinksAndMounts) {
  const auto real = [&](const char* path) { return fake_.files.Location(path); };
  for (const char* path : {"/srv/kubelet/f", "/srv/pki/ca.key", "/disk/etcd/member/db"}) {
    Write(path);
  }
  for (const char* path : {"/var/lib/etcd", "/etc/kubernetes/pki"}) {
    fake_.files.MakeDirectories(path, 0755);
  }
  fs::create_directory_symlink(real("/srv/kubelet"), real("/var/lib/kubelet"));
  const auto bind = [&](const char* from, const char* to) {
    return ::mount(real(from).c_str(), real(to).c_str(), nullptr, MS_BIND, nullptr) == 0;
  };
  if (!bind("/srv/pki", "/etc/kubernetes/pki") || !bind("/disk/etcd", "/var/lib/etcd")) {
    GTEST_SKIP() << "needs the right to mount";
  }
  Run("remove-etcd-member");
  Run("cleanup-node");
  for (const char* path : {"/etc/kubernetes/pki", "/var/lib/etcd"}) {
    ::umount2(real(path).c_str(), MNT_DETACH);
  }
  EXPECT_TRUE(fake_.files.Exists("/srv/kubelet/f"));
  EXPECT_TRUE(fake_.files.Exists("/srv/pki/ca.key"));
  EXPECT_THAT(fake_.files.List("/disk/etcd"), IsEmpty()) << "a disk for etcd alone";
  EXPECT_THAT(heard_.warned, HasSubstr("/var/lib/kubelet is a symbolic link to"));
  EXPECT_THAT(heard_.warned, HasSubstr("/etc/kubernetes/pki are kept: it is a mount point"));
}

TEST_F(ResetPhasesTest, EmptiesEtcdsFolderAgainWhenEtcdStillWrote) {
  Run("remove-etcd-member");
  Write("/var/lib/etcd/member/late");
  Run("cleanup-node");
  EXPECT_THAT(fake_.files.List("/var/lib/etcd"), IsEmpty());
}

TEST_F(ResetPhasesTest, EndsBeforeAnythingIsDeletedWhenAMountIsBusy) {
  mounts_.mounts = {{"nfs", "/var/lib/kubelet/v", "nfs"}};
  mounts_.failures["/var/lib/kubelet/v"] = "Device or resource busy";
  Write("/var/lib/kubelet/config.yaml");
  try {
    Run("cleanup-node");
    ADD_FAILURE() << "no error";
  } catch (const base::Error& error) {
    EXPECT_THAT(error.message(), HasSubstr("unmountFlags"));
  }
  EXPECT_TRUE(fake_.files.Exists("/var/lib/kubelet/config.yaml"));
}

TEST_F(ResetPhasesTest, OnlySaysWhatADryRunWouldDo) {
  const std::unique_ptr<World> dry = ChooseWorld(fake_.host, true, {});
  ResetData data(*dry, mounts_);
  data.config = data_.config;
  data.options = {.all = true, .kubeconfig = data_.options.kubeconfig};
  data.cluster_ca = "none";
  Write("/var/lib/etcd/member/db");
  Write("/etc/kubernetes/admin.conf", "");
  mounts_.mounts = {{"tmpfs", "/var/lib/kubelet/pods/v", "tmpfs"}};
  fake_.processes.On("nft list tables", {.out = "table ip kube-proxy\n"});
  for (const char* phase : {"preflight", "remove-etcd-member", "cleanup-node", "cleanup-all"}) {
    Run(phase, data);
  }
  EXPECT_THAT(mounts_.unmounted, IsEmpty());
  EXPECT_THAT(fake_.processes.changes(), IsEmpty());
  EXPECT_TRUE(fake_.files.Exists("/var/lib/etcd/member/db"));
  EXPECT_TRUE(fake_.files.Exists("/etc/kubernetes/admin.conf"));
  for (const char* text : {"/var/lib/etcd", "/etc/kubernetes/manifests", "/etc/kubernetes/pki",
                           "/etc/kubernetes/bootstrap-kubelet.conf", "below /var/lib/kubelet",
                           "unix:///nonexistent/x.sock", "nftables table ip kube-proxy"}) {
    EXPECT_THAT(heard_.printed, HasSubstr(text));
  }
  EXPECT_THAT(heard_.printed, Not(HasSubstr("Deleting")));
}

TEST_F(ResetPhasesTest, TakesBackTheNetworkOnlyWhenAskedAndAgreed) {
  fake_.processes.On("nft list tables", {.out = "table ip kube-proxy\n"});
  Run("cleanup-all");
  EXPECT_EQ(heard_.printed, "");
  data_.options.all = true;
  answer_ = false;
  Run("cleanup-all");
  EXPECT_THAT(heard_.printed, HasSubstr("To remove: nftables table ip kube-proxy"));
  EXPECT_THAT(fake_.processes.changes(), IsEmpty());
  answer_ = true;
  Run("cleanup-all");
  EXPECT_THAT(fake_.processes.changes(), Contains("nft delete table ip kube-proxy"));
}

TEST_F(ResetPhasesTest, RemovesTheUsersKubeconfigOnlyWhenItLeadsNowhereElse) {
  const std::string one =
      "clusters: [{name: a, cluster: {server: 'https://a', certificate-authority-data: b3Vycw==}}";
  Write("/only", one + "]");
  Write("/partly", one + ", {name: b, cluster: {server: 'https://b'}}]");
  data_.cluster_ca = "ours";
  data_.options.all = true;
  data_.user_kubeconfigs = {"/only", "/partly"};
  Run("cleanup-all");
  EXPECT_FALSE(fake_.files.Exists("/only"));
  EXPECT_TRUE(fake_.files.Exists("/partly"));
  EXPECT_THAT(heard_.warned, HasSubstr("/partly leads to other clusters, too"));
}

TEST(ResetReport, ListsWhatIsLeft) {
  EXPECT_THAT(ResetReport({}), HasSubstr("nothing of the cluster is left"));
  EXPECT_THAT(ResetReport({"a", "b"}), HasSubstr("look at:\n  - a\n  - b\n"));
}

}  // namespace
}  // namespace kubeadm
