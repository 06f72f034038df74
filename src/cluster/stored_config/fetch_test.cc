// SPDX-License-Identifier: Apache-2.0
#include "stored_config/fetch.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "config/fake_facts.h"
#include "host/fake_host.h"
#include "kube/fake_server.h"
#include "kube/objects.h"
#include "stored_config/config_hash.h"

namespace stored_config {
namespace {

using kube::resources::kConfigMap;
using testing::HasSubstr;

class Fetch : public testing::Test {
 protected:
  void Put(const std::string& name, const std::string& key, const std::string& text) {
    server_.Put(kConfigMap, kube::ConfigMap({"kube-system", name}, {{key, text}}));
  }
  kube::FakeApiServer server_;
  host::FakeClock clock_;
  kube::Client client_{
      server_.NewTransport(), clock_, {.limit = std::chrono::milliseconds(0), .grace = {}}};
};

TEST_F(Fetch, DistinguishesTheUsersConfigurationFromAGeneratedOne) {
  Put("kubeadm-config", "ClusterConfiguration", "c");
  Put("kubelet-config", "kubelet", "k");
  json::Value proxy = kube::ConfigMap({"kube-system", "kube-proxy"}, {{"config.conf", "p"}});
  AnnotateHash(proxy, {});
  server_.Put(kConfigMap, proxy);
  config::StoredConfig stored = FetchStoredConfig(client_);
  EXPECT_EQ(stored.cluster, "c");
  EXPECT_EQ(stored.kubelet->text, "k");
  EXPECT_FALSE(stored.kubelet->generated);
  EXPECT_TRUE(stored.kube_proxy->generated);
  proxy["data"]["config.conf"] = "changed by the user";
  server_.Put(kConfigMap, proxy);
  EXPECT_FALSE(FetchStoredConfig(client_).kube_proxy->generated);
}

TEST_F(Fetch, AcceptsAClusterWithoutKubeProxy) {
  Put("kubeadm-config", "ClusterConfiguration", "c");
  Put("kubelet-config", "kubelet", "k");
  EXPECT_FALSE(FetchStoredConfig(client_).kube_proxy);
}

TEST_F(Fetch, LeavesOutTheComponentsWhenAsked) {
  Put("kubeadm-config", "ClusterConfiguration", "c");
  const config::StoredConfig stored = FetchStoredConfig(client_, ComponentConfigs::kOmit);
  EXPECT_EQ(stored.cluster, "c");
  EXPECT_FALSE(stored.kubelet);
}

TEST_F(Fetch, NamesAMissingConfigMapOrKey) {
  EXPECT_THAT(base::MessageOf([&] { FetchStoredConfig(client_); }), HasSubstr("kubeadm-config"));
  Put("kubeadm-config", "other", "c");
  EXPECT_THAT(base::MessageOf([&] { FetchStoredConfig(client_); }),
              HasSubstr("ConfigMap \"kubeadm-config\" has no key \"ClusterConfiguration\""));
  Put("kubeadm-config", "ClusterConfiguration", "c");
  EXPECT_THAT(base::MessageOf([&] { FetchStoredConfig(client_); }), HasSubstr("kubelet-config"));
}

TEST_F(Fetch, KeepsTheGivenAdvertiseAddress) {
  Put("kubeadm-config", "ClusterConfiguration",
      "apiVersion: kubeadm.k8s.io/v1beta4\nkind: ClusterConfiguration\n"
      "kubernetesVersion: v1.36.0\nclusterName: c1\n");
  Put("kubelet-config", "kubelet",
      "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n");
  const config::Init config =
      LoadClusterConfig(client_, {.advertise_address = "192.0.2.1"}, config::FakeFacts());
  EXPECT_EQ(config.cluster.cluster_name, "c1");
  EXPECT_EQ(config.init.local_api_endpoint.advertise_address, "192.0.2.1");
}

}  // namespace
}  // namespace stored_config
