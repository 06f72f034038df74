// SPDX-License-Identifier: Apache-2.0
#include "stored_config/upload.h"

#include <gmock/gmock.h>

#include "config/fake_facts.h"
#include "config/load.h"
#include "kube/fake_cluster.h"
#include "kube/objects.h"
#include "stored_config/config_hash.h"

namespace stored_config {
namespace {

using kube::resources::kConfigMap;
using testing::HasSubstr;
using namespace std::chrono_literals;

using StoredConfig = kube::FakeCluster;

TEST_F(StoredConfig, KeepsOtherKeysOfTheKubeadmConfig) {
  server_.Put(kConfigMap, kube::ConfigMap({"kube-system", "kubeadm-config"},
                                          {{"ClusterConfiguration", "old"}, {"Other", "kept"}}));
  const config::Init config =
      config::LoadInit({.text = config::ClusterText()}, config::FakeFacts());
  UploadKubeadmConfig(client_, config.cluster);
  const json::Value map = Stored(kConfigMap, "kubeadm-config");
  EXPECT_EQ(json::TextAt(map, {"data", "Other"}), "kept");
  EXPECT_THAT(json::TextAt(map, {"data", "ClusterConfiguration"}),
              HasSubstr("kind: ClusterConfiguration\nkubernetesVersion: v1.36.3\n"));
  EXPECT_EQ(
      Stored(kube::resources::kRoleBinding, "kubeadm:nodes-kubeadm-config")["subjects"].dump(),
      R"([{"kind":"Group","name":"system:bootstrappers:kubeadm:default-node-token"},)"
      R"({"kind":"Group","name":"system:nodes"}])");
}

TEST_F(StoredConfig, MarksAGeneratedKubeletConfig) {
  config::Init config = config::LoadInit({.text = config::ClusterText()}, config::FakeFacts());
  UploadKubeletConfig(client_, config.cluster.kubelet);
  json::Value map = Stored(kConfigMap, "kubelet-config");
  EXPECT_EQ(json::TextAt(map, {"metadata", "annotations", kHashAnnotation}), ConfigHash(map));
  EXPECT_THAT(json::TextAt(map, {"data", "kubelet"}),
              HasSubstr("containerRuntimeEndpoint: \"\"\n"));
  config.cluster.kubelet.user_supplied = true;
  UploadKubeletConfig(client_, config.cluster.kubelet);
  map = Stored(kConfigMap, "kubelet-config");
  EXPECT_EQ(json::TextAt(map, {"metadata", "annotations", kHashAnnotation}), "");
}

}  // namespace
}  // namespace stored_config
