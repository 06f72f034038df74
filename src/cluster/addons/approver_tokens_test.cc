// SPDX-License-Identifier: Apache-2.0
#include "addons/approver_tokens.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "base/fake_error.h"
#include "json/value.h"
#include "kube/fake_cluster.h"

namespace addons {
namespace {

using testing::HasSubstr;

class ApproverTokens : public kube::FakeCluster {
 protected:
  void Install(const std::string& inventory, int available = 1) {
    json::Value deployment = {
        {"apiVersion", "apps/v1"},
        {"kind", "Deployment"},
        {"metadata", {{"name", "machine-approver"}, {"namespace", "kube-system"}}},
        {"status", {{"updatedReplicas", 1}, {"availableReplicas", available}}}};
    deployment["spec"]["replicas"] = 1;
    deployment["spec"]["template"]["spec"]["containers"] = json::Value::array(
        {{{"name", "machine-approver"}, {"args", {"--inventory=" + inventory, "-v=2"}}}});
    server_.Put(kube::resources::kDeployment, deployment);
  }
  std::string Inventory() {
    return Stored(kube::resources::kDeployment,
                  "machine-approver")["spec"]["template"]["spec"]["containers"][0]["args"][0];
  }
  RolloutWait Wait(std::chrono::milliseconds patience = std::chrono::seconds(1)) {
    return {.clock = clock_, .patience = patience};
  }
};

TEST_F(ApproverTokens, AddAndRemoveTheInventory) {
  Install("nodes");
  GiveApproverTokens(client_, Wait());
  EXPECT_EQ(Inventory(), "--inventory=nodes,tokens");
  GiveApproverTokens(client_, Wait());
  EXPECT_EQ(Inventory(), "--inventory=nodes,tokens");
  EXPECT_FALSE(Stored(kube::resources::kConfigMap, "cluster-machine-approver-used").is_null());
  TakeApproverTokens(client_);
  EXPECT_EQ(Inventory(), "--inventory=nodes");
}

TEST_F(ApproverTokens, KeepTheRecordOfUsedTokens) {
  Install("nodes");
  server_.Put(
      kube::resources::kConfigMap,
      {{"metadata", {{"name", "cluster-machine-approver-used"}, {"namespace", "kube-system"}}},
       {"data", {{"tokens.abcdef.1", "key"}}}});
  GiveApproverTokens(client_, Wait());
  EXPECT_EQ(Stored(kube::resources::kConfigMap,
                   "cluster-machine-approver-used")["data"]["tokens.abcdef.1"],
            "key");
}

TEST_F(ApproverTokens, RequireAnInstalledApprover) {
  const base::Error error = base::Thrown([&] { GiveApproverTokens(client_, Wait()); });
  EXPECT_EQ(error.kind(), base::Error::Kind::kNotFound);
  EXPECT_THAT(error.message(), HasSubstr("--kubelet-serving-certs"));
  EXPECT_TRUE(Writes().empty());
  TakeApproverTokens(client_);
}

TEST_F(ApproverTokens, WaitForPodsThatSupportTheInventory) {
  Install("nodes", 0);
  const base::Error error = base::Thrown([&] { GiveApproverTokens(client_, Wait()); });
  EXPECT_EQ(error.kind(), base::Error::Kind::kTimeout);
  EXPECT_THAT(error.message(),
              HasSubstr("of 1 Pods of Deployment kube-system/machine-approver, 0"));
}

TEST_F(ApproverTokens, GrantRightsOnNamedObjectsOnly) {
  for (const json::Value& object : ApproverTokenObjects()) {
    for (const json::Value& rule :
         object.contains("rules") ? object["rules"] : json::Value::array()) {
      EXPECT_TRUE(rule.contains("resourceNames")) << rule;
      EXPECT_FALSE(rule["verbs"].dump().contains("create")) << rule;
    }
  }
}

}  // namespace
}  // namespace addons
