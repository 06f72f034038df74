// SPDX-License-Identifier: Apache-2.0
#include "upgrade/apply.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "base/fake_error.h"
#include "certs/fake_context.h"
#include "cri/fake_runtime.h"
#include "etcd/fake_client.h"
#include "static_pods/static_pod.h"

namespace upgrade {
namespace {

using components::Component;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// A node whose etcd is one of `members`; no replaced component ever serves.
class ApplyTest : public testing::Test {
 protected:
  ApplyTest() {
    made_.config.cluster.etcd.local->data_dir = "/var/lib/etcd";
    made_.fake.files.Write("/var/lib/etcd/member/snap/db", "data", {});
    made_.fake.processes.AddExecutable("cp");
    made_.fake.processes.AddExecutable("sync");
    made_.fake.machine.free_disk_bytes = 1ULL << 30U;
    static_pods::WriteManifest(made_.fake.files, Component::kEtcd, Pod("old"));
  }

  static json::Value Pod(const std::string& image) {
    return {{"apiVersion", "v1"},
            {"kind", "Pod"},
            {"metadata", {{"name", "etcd"}}},
            {"spec", {{"containers", {{{"name", "etcd"}, {"image", image}}}}}}};
  }

  Node At() {
    return {.host = made_.fake.host,
            .config = made_.config,
            .runtime = runtime_,
            .record = record_,
            .start = certs::FakeContext::kStart,
            .limit = std::chrono::milliseconds(20),
            .renews = Renews::kNo,
            .connect_etcd =
                [this] {
                  auto client = std::make_unique<etcd::FakeClient>();
                  prepare_(*client);
                  return client;
                },
            .say = [this](Area, const std::string& line) { lines_.push_back(line); }};
  }

  std::string Problem(PodChange::What what = PodChange::What::kReplace) {
    const PodChange change{.component = Component::kEtcd, .pod = Pod("new"), .what = what};
    return base::MessageOf([&] { Apply(std::span(&change, 1), At()); });
  }

  certs::FakeContext made_;
  cri::FakeRuntime runtime_;
  Record record_{.command = "apply", .from = "v1.35.4", .to = "v1.36.3"};
  std::function<void(etcd::FakeClient&)> prepare_ = [](etcd::FakeClient& client) {
    client.Start(1, "cp-one");
  };
  std::vector<std::string> lines_;
};

TEST_F(ApplyTest, EtcdMustKeepItsMajority) {
  prepare_ = [](etcd::FakeClient& client) {
    client.Start(1, "cp-one");
    client.Start(2, "cp-two");
    client.Start(3, "cp-three");
    const std::string url = client.members.back().client_urls.front();
    client.statuses.erase(url);
  };
  EXPECT_THAT(Problem(), StartsWith("nothing was changed: "));
  EXPECT_THAT(Problem(PodChange::What::kRestart), StartsWith("nothing was changed: "));
  EXPECT_THAT(made_.fake.processes.changes(), IsEmpty());
  EXPECT_EQ(record_.etcd_data, "");
}

TEST_F(ApplyTest, ThisNodesMemberIsKnownByItsUrl) {
  json::Value pod = Pod("old");
  pod["spec"]["containers"][0]["command"] = {"etcd", "--name=another",
                                             "--initial-advertise-peer-urls=https://10.0.0.1:2380"};
  static_pods::WriteManifest(made_.fake.files, Component::kEtcd, pod);
  prepare_ = [](etcd::FakeClient& client) {
    client.Start(1, "another");
    client.members.back().peer_urls = {"https://10.0.0.1:2380"};
    client.Start(2, "cp-two");
    client.Start(3, "cp-three");
    client.statuses.erase(client.members.back().client_urls.front());
  };
  EXPECT_THAT(Problem(), StartsWith("nothing was changed: "));
}

TEST_F(ApplyTest, OnlyTheFilesOfAMemberThatDoesNotRunAreCopiedAsTheyAre) {
  const std::string url = etcd::FakeClient().Start(1, "cp-one").client_urls.front();
  json::Value pod = Pod("old");
  pod["spec"]["containers"][0]["command"] = {"etcd", "--advertise-client-urls=" + url};
  static_pods::WriteManifest(made_.fake.files, Component::kEtcd, pod);
  std::string refusal = "it took too long";
  prepare_ = [&](etcd::FakeClient& client) {
    client.Start(1, "cp-one");
    client.refusals[url] = refusal;
  };
  const auto whole = Contains(StartsWith("cp -aL --reflink=auto -- /var/lib/etcd "));
  EXPECT_THAT(Problem(), HasSubstr("copy etcd's data"));
  EXPECT_THAT(made_.fake.processes.changes(), testing::Not(whole)) << "it may be writing them";
  EXPECT_EQ(record_.etcd_data, "");
  refusal = "connection refused";
  Problem();
  EXPECT_THAT(made_.fake.processes.changes(), whole);
}

TEST_F(ApplyTest, EtcdsDataIsCopiedBeforeItIsTouched) {
  EXPECT_THAT(Problem(), HasSubstr("could not upgrade \"etcd\""));
  EXPECT_THAT(record_.etcd_data, StartsWith("/etc/kubernetes/tmp/kubeadm-backup-etcd-"));
  EXPECT_THAT(lines_.front(), StartsWith("Copying etcd's data to "));
  EXPECT_THAT(made_.fake.processes.changes(),
              Contains(StartsWith("cp -aL --reflink=auto -- /var/lib/etcd ")))
      << "no manifest says where the member is";
  // A continued run may find the new etcd's data: the first copy counts.
  record_.under_way["etcd"] = "/kept";
  made_.fake.files.Write("/kept/etcd.yaml", static_pods::Text(Pod("old")), {});
  record_.serving.clear();
  const std::string first = record_.etcd_data;
  Problem();
  EXPECT_EQ(record_.etcd_data, first);
}

TEST_F(ApplyTest, EachHopHasOneCopyOfEtcdsDataWhateverBecomesOfEtcd) {
  const auto copies = [&](PodChange::What what, bool always) {
    record_ = {.command = "apply", .from = "v1.35.4", .to = "v1.36.3"};
    const std::size_t before = made_.fake.processes.changes().size();
    for (int run = 0; run < 2; ++run) {  // the second run continues at the end of the first
      const PodChange change{.component = Component::kEtcd, .pod = Pod("old"), .what = what};
      Node node = At();
      node.copies_etcd = always;
      base::MessageOf([&] { Apply(std::span(&change, 1), node); });
    }
    const auto& all = made_.fake.processes.changes();
    return std::count_if(all.begin() + static_cast<std::ptrdiff_t>(before), all.end(),
                         [](const std::string& call) { return call.starts_with("cp -aL "); });
  };
  EXPECT_EQ(copies(PodChange::What::kNothing, false), 0);
  EXPECT_EQ(copies(PodChange::What::kNothing, true), 1);
  EXPECT_EQ(copies(PodChange::What::kRestart, true), 1);
  made_.config.cluster.etcd.local.reset();  // an external etcd is not backed up
  EXPECT_EQ(copies(PodChange::What::kNothing, true), 0);
}

TEST_F(ApplyTest, AdministratorsWithoutAFileAreSkipped) {
  made_.MakeAll();
  RenewAdministrators(At());
  EXPECT_THAT(lines_, IsEmpty());
}

TEST(HasToRenewAdministrators, AlsoAfterAnInterruptedRunThatHadChangedThePods) {
  const PodChange change{.component = Component::kScheduler, .what = PodChange::What::kReplace};
  const Record first{.command = "node"};
  Record cut_off = first;
  cut_off.under_way["kube-scheduler"] = "/etc/kubernetes/tmp/x";
  Record complete = cut_off;
  complete.complete = true;
  EXPECT_FALSE(HasToRenewAdministrators(first, {}));
  EXPECT_TRUE(HasToRenewAdministrators(first, std::span(&change, 1)));
  EXPECT_TRUE(HasToRenewAdministrators(cut_off, {}));
  EXPECT_FALSE(HasToRenewAdministrators(complete, {}));
  EXPECT_TRUE(HasToRenewAdministrators({.command = "apply"}, {}));
}

TEST(Changes, AreEmptyWithoutADifference) {
  PodChange change{.component = Component::kEtcd, .pod = {}};
  EXPECT_FALSE(Changes(std::span(&change, 1)));
  change.what = PodChange::What::kAwait;
  EXPECT_TRUE(Changes(std::span(&change, 1)));
}

}  // namespace
}  // namespace upgrade
