// SPDX-License-Identifier: Apache-2.0
#include "config/field_tree.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace config {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

std::vector<std::string> Found(std::string_view text) {
  std::vector<std::string> found;
  for (const FoundField& field : FindFields(text)) {
    found.push_back(field.kind->root.name + ":" + field.path + " " + field.node->TypeText());
  }
  return found;
}

TEST(FindFields, FindsFieldsByPath) {
  const struct {
    std::string_view text;
    std::vector<std::string> want;
  } kCases[] = {
      {"ClusterConfiguration", {"ClusterConfiguration: object"}},
      {"reset", {"ResetConfiguration: object"}},
      {"clusterconfiguration.NETWORKING.podsubnet",
       {"ClusterConfiguration:networking.podSubnet string"}},
      {"init.nodeRegistration.taints[0].key",
       {"InitConfiguration:nodeRegistration.taints.key string"}},
      {"cluster.apiServer.extraArgs", {"ClusterConfiguration:apiServer.extraArgs []object"}},
      {"cluster.featureGates", {"ClusterConfiguration:featureGates map[string]bool"}},
      {"init.timeouts.discovery", {"InitConfiguration:timeouts.discovery duration"}},
      {"cluster.etcd.local.extraEnvs.valueFrom.fieldRef.fieldPath",
       {"ClusterConfiguration:etcd.local.extraEnvs.valueFrom.fieldRef.fieldPath string"}},
      {"networking.dnsDomain", {"ClusterConfiguration:networking.dnsDomain string"}},
      {"podSubnet", {"ClusterConfiguration:networking.podSubnet string"}},
      {"kubelet.cgroupDriver", {"KubeletConfiguration:cgroupDriver string"}},
      {"kubeProxy.conntrack.maxPerCore", {"KubeProxyConfiguration:conntrack.maxPerCore int32"}},
      {"dryRun",
       {"InitConfiguration:dryRun bool", "JoinConfiguration:dryRun bool",
        "ResetConfiguration:dryRun bool"}},
      {"clusterName", {"ClusterConfiguration:clusterName string"}},
  };
  for (const auto& [text, want] : kCases) {
    EXPECT_EQ(Found(text), want) << text;
  }
}

TEST(FindFields, ReturnsNoFieldForAnUnknownPath) {
  for (const std::string_view text : {"", ".", "init.", "init..x", "podSubnet.x", "nonsense",
                                      "ClusterConfiguration.timeoutForControlPlane", "[0]"}) {
    EXPECT_THAT(Found(text), IsEmpty()) << text;
  }
}

TEST(FieldTrees, OmitOldFieldsAndMarkChangedFields) {
  const auto since = [](std::string_view text) {
    return FindFields(text).front().node->since_v1beta4;
  };
  EXPECT_TRUE(since("cluster.apiServer.extraArgs"));
  EXPECT_TRUE(since("cluster.encryptionAlgorithm"));
  EXPECT_FALSE(since("cluster.networking.podSubnet"));
  EXPECT_THAT(Found("timeoutForControlPlane"), IsEmpty());
}

TEST(FieldTrees, ExplainEveryFieldOfKubeadmKinds) {
  std::vector<std::string> unexplained;
  const std::function<void(const FieldNode&, const std::string&)> look =
      [&](const FieldNode& node, const std::string& path) {
        for (const FieldNode& field : node.fields) {
          if (field.name == "extraEnvs") {
            continue;
          }
          if (field.help.empty()) {
            unexplained.push_back(path + "." + field.name);
          }
          look(field, path + "." + field.name);
        }
      };
  for (const KindTree& kind : FieldTrees()) {
    if (kind.api_version == "kubeadm.k8s.io/v1beta4") {
      look(kind.root, kind.root.name);
    }
  }
  EXPECT_THAT(unexplained, IsEmpty());
}

TEST(FieldNames, ListEachKindAndFieldOnce) {
  const std::vector<std::string> names = FieldNames();
  EXPECT_TRUE(std::ranges::is_sorted(names));
  for (const char* name : {"ClusterConfiguration", "podSubnet", "dataDir"}) {
    EXPECT_EQ(std::ranges::count(names, name), 1) << name;
  }
}

}  // namespace
}  // namespace config
