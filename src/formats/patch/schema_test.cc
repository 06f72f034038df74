// SPDX-License-Identifier: Apache-2.0
#include "patch/schema.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace patch {
namespace {

using List = MergeRule::List;

// The patchMergeKey and patchStrategy of the API's fields (Kubernetes API reference, core/v1,
// apps/v1).
TEST(RuleAt, ReturnsTheMergeKeysOfTheApi) {
  struct Row {
    Schema schema;
    std::string path;
    List list;
    std::string key;
  };
  std::vector<Row> rows = {
      {Schema::kPod, "metadata.finalizers", List::kAsSet, ""},
      {Schema::kPod, "metadata.ownerReferences", List::kByKey, "uid"},
      {Schema::kPod, "metadata.labels", List::kReplaced, ""},
      {Schema::kPod, "spec.hostAliases", List::kByKey, "ip"},
      {Schema::kPod, "spec.imagePullSecrets", List::kByKey, "name"},
      {Schema::kPod, "spec.resourceClaims", List::kByKey, "name"},
      {Schema::kPod, "spec.schedulingGates", List::kByKey, "name"},
      {Schema::kPod, "spec.topologySpreadConstraints", List::kByKey, "topologyKey"},
      {Schema::kPod, "spec.tolerations", List::kReplaced, ""},
      {Schema::kPod, "spec.volumes", List::kByKey, "name"},
      {Schema::kPod, "status.conditions", List::kByKey, "type"},
      {Schema::kPod, "status.hostIPs", List::kByKey, "ip"},
      {Schema::kPod, "status.podIPs", List::kByKey, "ip"},
      {Schema::kDeployment, "spec.template.spec.containers.env", List::kByKey, "name"},
      {Schema::kDeployment, "spec.template.spec.volumes", List::kByKey, "name"},
      {Schema::kDeployment, "spec.containers", List::kReplaced, ""},
      {Schema::kDeployment, "metadata.finalizers", List::kAsSet, ""},
      {Schema::kDeployment, "status.conditions", List::kByKey, "type"},
      {Schema::kNode, "spec.podCIDRs", List::kAsSet, ""},
      {Schema::kNode, "spec.taints", List::kReplaced, ""},
      {Schema::kNode, "status.addresses", List::kByKey, "type"},
      {Schema::kNode, "metadata.ownerReferences", List::kByKey, "uid"},
      {Schema::kKubeletConfiguration, "clusterDNS", List::kReplaced, ""},
      {Schema::kKubeletConfiguration, "metadata.finalizers", List::kReplaced, ""},
  };
  for (const char* list : {"spec.containers", "spec.initContainers", "spec.ephemeralContainers"}) {
    const std::string path = list;
    rows.push_back({Schema::kPod, path, List::kByKey, "name"});
    rows.push_back({Schema::kPod, path + ".env", List::kByKey, "name"});
    rows.push_back({Schema::kPod, path + ".ports", List::kByKey, "containerPort"});
    rows.push_back({Schema::kPod, path + ".volumeDevices", List::kByKey, "devicePath"});
    rows.push_back({Schema::kPod, path + ".volumeMounts", List::kByKey, "mountPath"});
    rows.push_back({Schema::kPod, path + ".command", List::kReplaced, ""});
  }
  for (const Row& row : rows) {
    const MergeRule rule = RuleAt(row.schema, row.path);
    EXPECT_EQ(static_cast<int>(rule.list), static_cast<int>(row.list)) << row.path;
    EXPECT_EQ(rule.key, row.key) << row.path;
  }
}

TEST(RuleAt, ReturnsTheUnionsOfTheApi) {
  EXPECT_TRUE(RuleAt(Schema::kPod, "spec.volumes").retain_keys);
  EXPECT_TRUE(RuleAt(Schema::kPod, "spec.resourceClaims").retain_keys);
  EXPECT_TRUE(RuleAt(Schema::kDeployment, "spec.strategy").retain_keys);
  EXPECT_FALSE(RuleAt(Schema::kPod, "spec.containers").retain_keys);
}

}  // namespace
}  // namespace patch
