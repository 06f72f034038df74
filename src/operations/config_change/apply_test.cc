// SPDX-License-Identifier: Apache-2.0
#include "config_change/apply.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "config/component_configs.h"
#include "config_change/fake_engine.h"
#include "config_change/field_table.h"
#include "json/value.h"

namespace config_change {
namespace {

using base::Thrown;
using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kSet = "/apis/apps/v1/namespaces/kube-system/daemonsets/kube-proxy";

// A change of kube-proxy's settings, which changes no node's files.
class ApplyTest : public testing::Test {
 protected:
  ApplyTest() { with_.Store("before"); }

  void ApplyIt() {
    const Plan plan{.to = Complete(FakeEngine::Stored("after"), with_.node, with_.facts),
                    .fields = {{.difference = {}, .row = &RowFor(config::kKubeProxyKind, "mode")}},
                    .kube_proxy = true};
    Apply(plan, {.state = Change::State::kKept, .before = FakeEngine::Stored("before")},
          with_.engine);
  }

  std::string RestartedAt() {
    const auto set = with_.server.Find(kube::resources::kDaemonSet, "kube-system", "kube-proxy");
    return json::TextAt(set.value_or(json::Value()), {"spec", "template", "metadata", "annotations",
                                                      "kubectl.kubernetes.io/restartedAt"});
  }

  FakeEngine with_;
};

TEST_F(ApplyTest, ReplacesTheProxiesOfOtherSettings) {
  ApplyIt();
  EXPECT_EQ(with_.StoredName(), "after");
  EXPECT_NE(RestartedAt(), "");
  const std::optional<Change> change = LoadChange(with_.fake.files);
  EXPECT_EQ(change->state, Change::State::kKept);
  EXPECT_TRUE(change->kube_proxy);
  EXPECT_NE(change->stored_as, "");
}

TEST_F(ApplyTest, TakesSettingsBackWithWhichTheProxiesDoNotServe) {
  with_.server.Inject({.what = std::string("GET ") + kSet,
                       .status = 503,
                       .reason = "ServiceUnavailable",
                       .message = "of 2 Pods none",
                       .times = -1});
  EXPECT_THAT(Thrown([&] { ApplyIt(); }).message(), StartsWith("the change was taken back"));
  EXPECT_EQ(with_.StoredName(), "before");
  EXPECT_FALSE(LoadChange(with_.fake.files));
  EXPECT_THAT(with_.said, Contains(HasSubstr("It goes on by itself")));
  const std::vector<std::string> requests = with_.server.Requests();
  EXPECT_EQ(std::ranges::count_if(requests,
                                  [](const std::string& one) {
                                    return one.starts_with(std::string("PATCH ") + kSet);
                                  }),
            2)
      << "the old settings are read only at a start, too";
}

TEST_F(ApplyTest, TriesNoOtherKeysOfWhatIsStored) {
  const json::Value pod = {
      {"spec",
       {{"containers", {{{"command", {"kube-apiserver", "--encryption-provider-config=/x"}}}}}}}};
  Plan plan{.to = Complete(FakeEngine::Stored("after"), with_.node, with_.facts)};
  plan.pods = {{.component = components::Component::kApiServer,
                .pod = pod,
                .what = upgrade::PodChange::What::kReplace}};
  const base::Error refused = Thrown([&] {
    Apply(plan, {.state = Change::State::kTrying, .before = FakeEngine::Stored("before")},
          with_.engine);
  });
  EXPECT_EQ(refused.kind(), base::Error::Kind::kInvalid);
  EXPECT_THAT(refused.message(), HasSubstr("encryption-provider-config becomes /x, and was none"));
  EXPECT_FALSE(LoadChange(with_.fake.files));
}

TEST_F(ApplyTest, GivesEachChangeItsOwnIdBeforeItBegins) {
  std::vector<std::string> ids;
  with_.engine.begun = [&](const Change& change) {
    ids.push_back(change.id);
    EXPECT_EQ(LoadChange(with_.fake.files)->id, change.id);
  };
  ApplyIt();
  EXPECT_EQ(LoadChange(with_.fake.files)->id, ids.at(0));
  ApplyIt();
  EXPECT_NE(ids.at(1), ids.at(0));
  EXPECT_NE(ids.at(1), "");
}

TEST_F(ApplyTest, LeavesNoTimerAfterARollback) {
  constexpr const char* kUnit = "/etc/systemd/system/kubeadm-config-keep.service";
  with_.fake.processes.AddExecutable("systemctl");
  with_.engine.begun = [&](const Change&) { with_.fake.files.Write(kUnit, "", {}); };
  with_.server.Inject({.what = std::string("GET ") + kSet,
                       .status = 503,
                       .reason = "ServiceUnavailable",
                       .message = "of 2 Pods none",
                       .times = -1});
  EXPECT_THAT(Thrown([&] { ApplyIt(); }).message(), StartsWith("the change was taken back"));
  EXPECT_FALSE(with_.fake.files.Exists(kUnit));
}

TEST_F(ApplyTest, ForgetsWhatTheLastChangeDidToThePods) {
  upgrade::Record record = NewRecord({});
  record.manifests["etcd"] = "/of/the/last";
  SaveRecord(with_.fake.files, record);
  with_.engine.begun = [](const Change&) { throw base::Error("no keeper"); };
  EXPECT_THAT(Thrown([&] { ApplyIt(); }).message(), "no keeper");
  EXPECT_FALSE(LoadChange(with_.fake.files));
  EXPECT_FALSE(upgrade::LoadRecord(with_.fake.files, kPodsFile));
}

}  // namespace
}  // namespace config_change
