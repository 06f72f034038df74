// SPDX-License-Identifier: Apache-2.0
#include "steps/node/steps.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "host/fake_host.h"
#include "steps/node/dry_run_keys.h"
#include "workflow/fake_context.h"

namespace node_steps {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// The data of a run with the test's configuration.
class Data : public NodeData {
 public:
  explicit Data(steps::World& of_run) : NodeData(of_run, kubeconfigs::InitSpecs()) {}
  std::optional<config::Timeouts> timeouts;

 protected:
  const std::optional<config::Timeouts>& Timeouts() const override { return timeouts; }
  steps::Transports ClientTransports(std::stop_token) const override { return {}; }
};

class StepsTest : public testing::Test {
 protected:
  host::FakeHost fake_;
  std::unique_ptr<steps::World> machine_ = steps::ChooseWorld(fake_.host, false, {});
  std::unique_ptr<steps::World> dry_ = steps::ChooseWorld(fake_.host, true, {});
  Data data_{*machine_};
  Data dry_data_{*dry_};
  workflow::FakeContext context_;
};

TEST_F(StepsTest, ATimeoutIsTheConfiguredOneOrItsDefault) {
  EXPECT_EQ(data_.Timeout(&config::Timeouts::discovery), std::chrono::minutes(5));
  data_.timeouts.emplace().discovery = std::chrono::seconds(7);
  EXPECT_EQ(data_.Timeout(&config::Timeouts::discovery), std::chrono::seconds(7));
  EXPECT_EQ(data_.Timeout(&config::Timeouts::tls_bootstrap), std::chrono::minutes(5));
}

TEST_F(StepsTest, UsesTheRuntimeSocketOfTheKubelet) {
  data_.config.init.node_registration.cri_socket = "unix:///assumed.sock";
  EXPECT_EQ(data_.RuntimeSocket(), "unix:///assumed.sock");
  fake_.files.Write("/var/lib/kubelet/instance-config.yaml",
                    "containerRuntimeEndpoint: unix:///own.sock\n", {});
  EXPECT_EQ(data_.RuntimeSocket(), "unix:///own.sock");
}

TEST_F(StepsTest, ADryRunPullsNoImages) {
  PullImages(dry_data_, context_);
  EXPECT_THAT(context_.lines, ElementsAre(HasSubstr("Would pull the images")));
}

TEST_F(StepsTest, ADryRunWaitsForNoKubelet) {
  const json::Value config = {{"healthzBindAddress", "127.0.0.1"}, {"healthzPort", 10248}};
  WaitForHealthyKubelet(dry_data_, config, context_);
  EXPECT_THAT(context_.lines,
              ElementsAre(HasSubstr("answers 'ok' at http://127.0.0.1:10248/healthz")));
}

TEST_F(StepsTest, ReadsAndReportsPatchesOnce) {
  EXPECT_EQ(data_.Patches(context_), nullptr);
  data_.options.patches_directory = "/patches";
  fake_.files.Write("/patches/etcd.yaml", "metadata: {}\n", {});
  EXPECT_EQ(data_.Patches(context_), data_.Patches(context_));
  EXPECT_THAT(context_.lines, ElementsAre(HasSubstr("/patches"), HasSubstr("[etcd.yaml]")));
}

TEST_F(StepsTest, ReportsCheckedPatchesOnce) {
  data_.CheckPatches();  // has no effect without a directory of patches
  data_.options.patches_directory = "/patches";
  EXPECT_THROW(data_.CheckPatches(), base::Error);
  fake_.files.Write("/patches/etcd.yaml", "metadata: {}\n", {});
  data_.CheckPatches();
  EXPECT_THAT(context_.lines, IsEmpty());
  data_.Patches(context_);
  data_.Patches(context_);
  EXPECT_THAT(context_.lines, ElementsAre(HasSubstr("/patches"), HasSubstr("[etcd.yaml]")));
}

TEST_F(StepsTest, ReportsTheKubeletsServiceOnlyOnFailure) {
  SayServiceTrouble({.outcome = kubelet::ServiceResult::Outcome::kDone}, "start", context_);
  EXPECT_THAT(context_.lines, IsEmpty());
  SayServiceTrouble({.outcome = kubelet::ServiceResult::Outcome::kNoService}, "start", context_);
  EXPECT_THAT(context_.lines, ElementsAre(HasSubstr("start the kubelet yourself")));
  SayServiceTrouble({.outcome = kubelet::ServiceResult::Outcome::kFailed, .problem = "no"}, "stop",
                    context_);
  EXPECT_THAT(context_.warnings, ElementsAre("could not stop the kubelet: no"));
}

const DryRun kWhole{.variable = "OTHER"};  // the environment does not name a directory

class DryRunKeysTest : public testing::Test {
 protected:
  DryRunKeysTest() {
    fake_.files.Write("/dry/ca.key", "a", {});
    fake_.files.Write("/dry/etcd/ca.key", "b", {});
    fake_.files.Write("/dry/apiserver.key", "c", {});
    fake_.files.Write("/dry/sa.key", "s", {});
    fake_.files.Write("/etc/kubernetes/pki/front-proxy-ca.key", "d", {});
    data_.config.cluster.certificates_dir = "/etc/kubernetes/pki";
  }

  struct Host : host::FakeHost {
    Host() { environment.variables["DIR"] = "/dry"; }
  };

  Host fake_;
  std::unique_ptr<steps::World> world_ =
      steps::ChooseWorld(fake_.host, true, StandInFor("DIR", "x", {"/etc/kubernetes/pki"}));
  Data data_{*world_};
};

TEST_F(DryRunKeysTest, KeysOfAuthoritiesAndServiceAccountsAreRemovedAndNoOthers) {
  EXPECT_EQ(SettleCaKeys(data_, kWhole),
            "[dryrun] The keys of its certificate authorities were removed (--keep leaves them): "
            "/dry/ca.key, /dry/etcd/ca.key, /dry/sa.key");
  EXPECT_FALSE(fake_.files.Exists("/dry/ca.key"));
  EXPECT_FALSE(fake_.files.Exists("/dry/etcd/ca.key"));
  EXPECT_FALSE(fake_.files.Exists("/dry/sa.key"));
  EXPECT_TRUE(fake_.files.Exists("/dry/apiserver.key"));
  EXPECT_TRUE(fake_.files.Exists("/etc/kubernetes/pki/front-proxy-ca.key"));
  EXPECT_EQ(SettleCaKeys(data_, kWhole), std::nullopt);
}

TEST_F(DryRunKeysTest, RemovesTheKeyOfAnExternalEtcd) {
  data_.config.cluster.etcd = {.external = config::ExternalEtcd{.key_file = "/srv/etcd.key"}};
  fake_.files.Write("/dry/srv/etcd.key", "e", {});
  EXPECT_THAT(SettleCaKeys(data_, kWhole).value_or(""), HasSubstr("/dry/srv/etcd.key"));
  EXPECT_FALSE(fake_.files.Exists("/dry/srv/etcd.key"));
}

TEST_F(DryRunKeysTest, AnExternalEtcdMayHaveNoKey) {
  data_.config.cluster.etcd = {.external = config::ExternalEtcd{}};
  EXPECT_THAT(SettleCaKeys(data_, kWhole).value_or(""),
              testing::EndsWith(": /dry/ca.key, /dry/etcd/ca.key, /dry/sa.key"));
}

TEST_F(DryRunKeysTest, NamesKeptKeys) {
  data_.options.keep_dry_run_keys = true;
  EXPECT_THAT(SettleCaKeys(data_, kWhole).value_or(""),
              HasSubstr("are in /dry/ca.key, /dry/etcd/ca.key, /dry/sa.key"));
  EXPECT_TRUE(fake_.files.Exists("/dry/ca.key"));
}

TEST_F(DryRunKeysTest, KeepsTheContentsOfANamedDirectory) {
  EXPECT_THAT(SettleCaKeys(data_, {.variable = "DIR"}).value_or(""), HasSubstr("are in /dry/ca"));
  EXPECT_EQ(SettleCaKeys(data_, {.variable = "DIR", .whole = false}), std::nullopt);
  EXPECT_TRUE(fake_.files.Exists("/dry/ca.key"));
}

TEST_F(DryRunKeysTest, APhaseAloneNamesTheVariableThatKeepsKeys) {
  EXPECT_THAT(SettleCaKeys(data_, {.variable = "OTHER", .whole = false}).value_or(""),
              HasSubstr("removed (they stay in a directory that OTHER names): /dry/ca.key"));
  EXPECT_FALSE(fake_.files.Exists("/dry/ca.key"));
}

TEST_F(DryRunKeysTest, ARunWithoutAConfigurationHasNoKeys) {
  data_.config.cluster.certificates_dir.clear();
  EXPECT_EQ(SettleCaKeys(data_, kWhole), std::nullopt);
  EXPECT_TRUE(fake_.files.Exists("/dry/ca.key"));
}

TEST_F(StepsTest, KeepsTheKeysOfTheHost) {
  data_.config.cluster.certificates_dir = "/etc/kubernetes/pki";
  fake_.files.Write("/etc/kubernetes/pki/ca.key", "a", {});
  EXPECT_EQ(SettleCaKeys(data_, kWhole), std::nullopt);
  EXPECT_TRUE(fake_.files.Exists("/etc/kubernetes/pki/ca.key"));
}

TEST(StandInFor, RedirectsTheNodesFilesToOneDirectory) {
  const steps::StandIn stand_in = StandInFor("DIR", "x", {"/pki"});
  std::vector<std::string> from;
  for (const host::Redirect& redirect : stand_in.redirects("/dry")) {
    from.push_back(redirect.from.string());
    EXPECT_EQ(redirect.to, "/dry");
  }
  EXPECT_THAT(from, ElementsAre("/pki", "/etc/kubernetes/manifests", "/etc/kubernetes",
                                "/var/lib/kubelet"));
}

TEST(IsDefaultAdminConf, AcceptsAnEmptyPath) {
  EXPECT_TRUE(IsDefaultAdminConf(""));
  EXPECT_TRUE(IsDefaultAdminConf("/etc/kubernetes/admin.conf"));
  EXPECT_FALSE(IsDefaultAdminConf("/root/.kube/config"));
}

}  // namespace
}  // namespace node_steps
