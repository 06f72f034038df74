// SPDX-License-Identifier: Apache-2.0
#include "stored_config/this_node.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fake_error.h"
#include "host/fake_host.h"
#include "kube/fake_server.h"
#include "objects/fake_mirror_pod.h"
#include "stored_config/upload.h"

namespace stored_config {
namespace {

using testing::HasSubstr;

constexpr const char* kKubeletConf = "/etc/kubernetes/kubelet.conf";
constexpr const char* kManifest = "/etc/kubernetes/manifests/kube-apiserver.yaml";

class ThisNode : public testing::Test {
 protected:
  void PutNode(const json::Value& annotations = json::Value::object()) {
    server_.Put(kube::resources::kNode,
                {{"metadata", {{"name", "panda"}, {"annotations", annotations}}},
                 {"spec",
                  {{"taints", json::Value::array(
                                  {{{"key", "k"}, {"value", "v"}, {"effect", "NoSchedule"}}})}}}});
  }
  void PutApiServer(const std::string& endpoint) {
    server_.Put(kube::resources::kPod, ApiServerPod("panda", endpoint));
  }
  static json::Value ApiServerPod(const std::string& node, const std::string& endpoint) {
    return objects::WithAnnotation(
        objects::FakeMirrorPod(components::Component::kApiServer, node),
        "kubeadm.kubernetes.io/kube-apiserver.advertise-address.endpoint", endpoint);
  }
  config::InitConfiguration Fetch(Role role) { return FetchNode(client_, "panda", role); }

  host::FakeHost fake_;
  kube::FakeApiServer server_;
  kube::Client client_{
      server_.NewTransport(), fake_.clock, {.limit = std::chrono::milliseconds(50)}};
};

TEST_F(ThisNode, IsTheIdentityThatTheApiServerReports) {
  fake_.files.Write(kKubeletConf, server_.Config().Text(), {});
  server_.SetText("/apis/authentication.k8s.io/v1/selfsubjectreviews", 200,
                  R"({"status": {"userInfo": {"username": "system:node:panda"}}})");
  EXPECT_EQ(NodeName(fake_.files, "Host"), "panda");
}

TEST_F(ThisNode, FallsBackToTheHostsName) {
  fake_.files.Write(kKubeletConf, server_.Config().Text(), {});
  server_.SetText("/apis/authentication.k8s.io/v1/selfsubjectreviews", 200,
                  R"({"status": {"userInfo": {"username": "admin"}}})");
  EXPECT_EQ(NodeName(fake_.files, "Host"), "host");
}

TEST_F(ThisNode, NeedsItsKubeconfig) {
  EXPECT_THAT(base::MessageOf([&] { NodeName(fake_.files, "host"); }), HasSubstr(kKubeletConf));
}

TEST_F(ThisNode, IsAControlPlaneIfItHasAManifestOfTheApiServer) {
  EXPECT_EQ(RoleOf(fake_.files), Role::kWorker);
  fake_.files.Write(kManifest, "x", {});
  EXPECT_EQ(RoleOf(fake_.files), Role::kControlPlane);
}

TEST_F(ThisNode, TakesSocketTaintsAndEndpointFromTheCluster) {
  PutNode({{"kubeadm.alpha.kubernetes.io/cri-socket", "unix:///run/x.sock"}});
  PutApiServer("[fd00::1]:6444");
  const config::InitConfiguration node = Fetch(Role::kControlPlane);
  EXPECT_EQ(node.node_registration.name, "panda");
  EXPECT_EQ(node.node_registration.cri_socket, "unix:///run/x.sock");
  EXPECT_EQ(node.node_registration.taints.value().at(0).effect, "NoSchedule");
  EXPECT_EQ(node.local_api_endpoint.advertise_address, "fd00::1");
  EXPECT_EQ(node.local_api_endpoint.bind_port, 6444);
}

TEST_F(ThisNode, HasNoEndpointOnAWorker) {
  PutNode();
  EXPECT_EQ(Fetch(Role::kWorker).local_api_endpoint.advertise_address, "");
}

TEST_F(ThisNode, NamesTheMissingPart) {
  EXPECT_THAT(base::MessageOf([&] { Fetch(Role::kWorker); }), HasSubstr("node \"panda\""));
  PutNode();
  EXPECT_THAT(base::MessageOf([&] { Fetch(Role::kControlPlane); }),
              HasSubstr("no Pod \"kube-apiserver-panda\""));
  PutApiServer("");
  EXPECT_THAT(base::MessageOf([&] { Fetch(Role::kControlPlane); }), HasSubstr("lacks annotation"));
  for (const char* wrong : {"10.0.0.1", "10.0.0.1:x", "10.0.0.1:70000"}) {
    PutApiServer(wrong);
    EXPECT_THAT(base::MessageOf([&] { Fetch(Role::kControlPlane); }),
                HasSubstr("not an address with a port"))
        << wrong;
  }
}

class WholeConfig : public ThisNode {
 protected:
  void SetUp() override {
    PutNode();
    fake_.files.Write(kKubeletConf, server_.Config().Text(), {});
    PutMap("kubeadm-config", "ClusterConfiguration",
           "apiVersion: kubeadm.k8s.io/v1beta4\nkind: ClusterConfiguration\n"
           "kubernetesVersion: v1.35.4\nclusterName: prod\n");
    PutMap("kubelet-config", "kubelet",
           "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n");
  }
  void PutMap(const std::string& name, const std::string& key, const std::string& text) {
    server_.Put(
        kube::resources::kConfigMap,
        {{"metadata", {{"name", name}, {"namespace", "kube-system"}}}, {"data", {{key, text}}}});
  }
  FetchedConfig FetchAll() {
    const config::Facts facts{.hostname = "panda"};
    return FetchConfig(client_, fake_.files, {.facts = facts, .role = Role::kWorker});
  }
};

TEST_F(WholeConfig, HasTheSettingsOfTheClusterAndOfThisNode) {
  const FetchedConfig fetched = FetchAll();
  EXPECT_EQ(fetched.config.cluster.cluster_name, "prod");
  EXPECT_EQ(fetched.config.init.node_registration.name, "panda");
  EXPECT_TRUE(fetched.stored.kubelet);
  EXPECT_FALSE(fetched.stored.kube_proxy);
}

TEST_F(WholeConfig, FindsTheSocketInTheKubeletsFilesBeforeTheNodesAnnotation) {
  PutNode({{"kubeadm.alpha.kubernetes.io/cri-socket", "unix:///a.sock"}});
  EXPECT_EQ(FetchAll().config.init.node_registration.cri_socket, "unix:///a.sock");
  fake_.files.Write("/var/lib/kubelet/kubeadm-flags.env",
                    "KUBELET_KUBEADM_ARGS=\"--a=b --container-runtime-endpoint=unix:///f.sock\"\n",
                    {});
  EXPECT_EQ(FetchAll().config.init.node_registration.cri_socket, "unix:///f.sock");
  fake_.files.Write("/var/lib/kubelet/instance-config.yaml",
                    "containerRuntimeEndpoint: unix:///i.sock\n", {});
  EXPECT_EQ(FetchAll().config.init.node_registration.cri_socket, "unix:///i.sock");
}

TEST_F(WholeConfig, PrefersTheEndpointOfTheManifestToThatOfPods) {
  const config::Facts facts{.hostname = "panda"};
  const auto endpoint = [&] {
    const auto got =
        FetchConfig(client_, fake_.files, {.facts = facts}).config.init.local_api_endpoint;
    return fmt::format("{} {}", got.advertise_address, got.bind_port);
  };
  PutApiServer("192.0.2.8:6443");
  fake_.files.Write(
      kManifest,
      "metadata:\n  annotations:\n    "
      "kubeadm.kubernetes.io/kube-apiserver.advertise-address.endpoint: 192.0.2.7:6443\n",
      {});
  EXPECT_EQ(endpoint(), "192.0.2.7 6443");
  fake_.files.Write(kManifest,
                    "spec:\n  containers:\n  - command: [kube-apiserver, "
                    "--advertise-address=fd00::7, --secure-port=7443]\n",
                    {});
  EXPECT_EQ(endpoint(), "fd00::7 7443") << "its arguments";
  fake_.files.Write(kManifest, "{}", {});
  EXPECT_EQ(endpoint(), "192.0.2.8 6443") << "the node's own mirror Pod";
}

// Every kubelet may create a mirror Pod of any name on its own node. FetchConfig must not take the
// endpoint from a Pod of another node.
TEST_F(WholeConfig, TakesNoEndpointOfAStrangersPod) {
  const config::Facts facts{.hostname = "panda"};
  json::Value pod = ApiServerPod("worker", "10.66.66.66:6443");
  pod["metadata"]["name"] = "kube-apiserver-panda";
  server_.Put(kube::resources::kPod, pod);
  fake_.files.Write(kManifest, "{}", {});
  EXPECT_THAT(base::MessageOf([&] { FetchConfig(client_, fake_.files, {.facts = facts}); }),
              HasSubstr("is not of the kubelet of node \"panda\": it is on node \"worker\""));
  pod["spec"]["nodeName"] = "panda";
  server_.Put(kube::resources::kPod, pod);
  EXPECT_THAT(base::MessageOf([&] { FetchConfig(client_, fake_.files, {.facts = facts}); }),
              HasSubstr("is not of the kubelet"))
      << "the owner is another Node";
}

TEST_F(WholeConfig, NamesTheConfigMapThatIsMissing) {
  server_.Remove(kube::resources::kConfigMap, "kube-system", "kubeadm-config");
  EXPECT_THAT(base::MessageOf([&] { FetchAll(); }), HasSubstr("kubeadm-config"));
}

}  // namespace
}  // namespace stored_config
