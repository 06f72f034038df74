// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/reset/phases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "ca_rotation/place.h"
#include "host/fake_host.h"
#include "workflow/fake_context.h"

namespace kubeadm {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class ResetPhasesTest : public testing::Test {
 protected:
  ResetPhasesTest() {
    for (ResetData* data : {&data_, &dry_data_}) {
      data->teardown.config = {.certificates_dir = "/etc/kubernetes/pki",
                               .cri_socket = "unix:///nonexistent/x.sock"};
      data->teardown.kubeconfig = "/etc/kubernetes/admin.conf";
      data->confirm = [this](const std::string& question) {
        questions_.push_back(question);
        return answer_;
      };
    }
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
  std::unique_ptr<steps::World> machine_ = steps::ChooseWorld(fake_.host, false, {});
  std::unique_ptr<steps::World> dry_ = steps::ChooseWorld(fake_.host, true, {});
  ResetData data_{.world = *machine_, .teardown = reset::Teardown(fake_.host)};
  ResetData dry_data_{.world = *dry_, .teardown = reset::Teardown(fake_.host)};
  workflow::FakeContext heard_;
  std::vector<std::string> questions_;
  bool answer_ = true;
};

TEST_F(ResetPhasesTest, AsksUnlessToldNotTo) {
  Run("preflight");
  EXPECT_THAT(questions_, ElementsAre("[reset] Are you sure you want to proceed? [y/N]: "));
  EXPECT_THAT(heard_.remarks, Contains(HasSubstr("WARNING")));
  answer_ = false;
  EXPECT_THROW(Run("preflight"), base::Error);
  questions_.clear();
  data_.teardown.config.force = true;
  Run("preflight");
  Run("preflight", dry_data_);
  EXPECT_THAT(questions_, IsEmpty());
}

TEST_F(ResetPhasesTest, RequiresRoot) {
  fake_.machine.effective_user = 1000;
  EXPECT_THROW(Run("preflight"), base::Error);
  data_.ignored_preflight_errors = {"isprivilegeduser"};
  EXPECT_NO_THROW(Run("preflight"));
}

TEST_F(ResetPhasesTest, LeavesNoKeyInACertificatesDirectoryOfTheUsersChoice) {
  data_.teardown.config.certificates_dir = "/srv/pki";
  Write("/srv/pki/ca.key");
  for (const ca_rotation::Authority& authority : ca_rotation::Authorities()) {
    const ca_rotation::AuthorityFiles place{
        .files = fake_.files, .authority = authority, .certs_dir = "/srv/pki"};
    Write(ca_rotation::SavedKeyPath(place, ca_rotation::Generation::kNew).string());
    Write(ca_rotation::SavedKeyPath(place, ca_rotation::Generation::kOld).string());
  }
  Write("/srv/pki/mine");
  Run("cleanup-node");
  EXPECT_THAT(fake_.files.List("/srv/pki"), ElementsAre("mine"));
  EXPECT_THAT(heard_.warnings, Contains(HasSubstr("are kept in")));
}

TEST_F(ResetPhasesTest, ADryRunOnlyReportsItsActions) {
  dry_data_.all = true;
  dry_data_.teardown.cluster_ca = "none";
  Write("/var/lib/etcd/member/db");
  Write("/etc/kubernetes/admin.conf", "");
  fake_.mounts.mounts = {{"tmpfs", "/var/lib/kubelet/pods/v", "tmpfs"}};
  fake_.processes.On("nft list tables", {.out = "table ip kube-proxy\n"});
  for (const char* phase : {"preflight", "remove-etcd-member", "cleanup-node", "cleanup-all"}) {
    Run(phase, dry_data_);
  }
  EXPECT_THAT(fake_.mounts.unmounted, IsEmpty());
  EXPECT_THAT(fake_.processes.changes(), IsEmpty());
  EXPECT_TRUE(fake_.files.Exists("/var/lib/etcd/member/db"));
  EXPECT_TRUE(fake_.files.Exists("/etc/kubernetes/admin.conf"));
  for (const char* text : {"/var/lib/etcd", "/etc/kubernetes/manifests", "/etc/kubernetes/pki",
                           "/etc/kubernetes/bootstrap-kubelet.conf", "below /var/lib/kubelet",
                           "unix:///nonexistent/x.sock", "nftables table ip kube-proxy"}) {
    EXPECT_THAT(heard_.lines, Contains(HasSubstr(text)));
  }
  EXPECT_THAT(heard_.lines, Not(Contains(HasSubstr("Deleting"))));
}

TEST_F(ResetPhasesTest, RemovesTheNetworkOnlyOnConfirmedRequest) {
  fake_.processes.On("nft list tables", {.out = "table ip kube-proxy\n"});
  Run("cleanup-all");
  EXPECT_THAT(heard_.lines, IsEmpty());
  data_.all = true;
  answer_ = false;
  Run("cleanup-all");
  EXPECT_THAT(heard_.lines, Contains(HasSubstr("To remove: nftables table ip kube-proxy")));
  EXPECT_THAT(fake_.processes.changes(), IsEmpty());
  answer_ = true;
  Run("cleanup-all");
  EXPECT_THAT(fake_.processes.changes(), Contains("nft delete table ip kube-proxy"));
}

TEST_F(ResetPhasesTest, RunsTheChecksOfInitAndJoin) {
  Run("check-next-runs", dry_data_);
  EXPECT_THAT(dry_data_.next, IsEmpty());
  Run("check-next-runs");
  ASSERT_EQ(data_.next.size(), 3U);
  EXPECT_TRUE(IsFree(data_.next)) << ResetReport({}, data_.next);
  Write("/var/lib/etcd/lost+found/x");
  Run("check-next-runs");
  EXPECT_TRUE(IsFree(data_.next)) << "a disk of its own";
  Write("/var/lib/etcd/mine");
  Write("/etc/kubernetes/kubelet.conf");
  Write("/etc/kubernetes/manifests/kube-scheduler.yaml");
  Run("check-next-runs");
  EXPECT_FALSE(IsFree(data_.next));
  const std::string report = ResetReport({}, data_.next);
  EXPECT_THAT(report, HasSubstr("\"kubeadm init\" would not pass its checks of files, directories "
                                "and ports:\n  - FileAvailable--etc-kubernetes-manifests-kube-"));
  EXPECT_THAT(report, HasSubstr("  - DirAvailable--var-lib-etcd: /var/lib/etcd is not empty\n"));
  EXPECT_THAT(report, HasSubstr("\"kubeadm join\" would not pass its checks of files, directories "
                                "and ports:\n  - FileAvailable--etc-kubernetes-kubelet.conf"));
}

TEST_F(ResetPhasesTest, ChecksWhereTheNodesEtcdHadItsData) {
  data_.teardown.etcd_data = "/data/etcd";
  Write("/data/etcd/mine");
  Run("check-next-runs");
  EXPECT_THAT(ResetReport({}, data_.next), HasSubstr("DirAvailable--data-etcd"));
}

TEST(ResetReport, ListsLeftovers) {
  EXPECT_THAT(ResetReport({}, {}), HasSubstr("nothing of the cluster is left"));
  EXPECT_THAT(ResetReport({"a", "b"}, {}), HasSubstr("look at:\n  - a\n  - b\n"));
  EXPECT_THAT(ResetReport({}, {{.command = "init"}}),
              HasSubstr("\"kubeadm init\" and \"kubeadm join\" would pass"));
}

}  // namespace
}  // namespace kubeadm
