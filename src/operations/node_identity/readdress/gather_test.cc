// SPDX-License-Identifier: Apache-2.0
#include "node_identity/readdress/gather.h"

#include <gmock/gmock.h>

#include "certs/fake_context.h"
#include "host/link.h"
#include "kube/fake_cluster.h"

namespace readdress {
namespace {

using testing::ElementsAre;
namespace resources = kube::resources;

constexpr const char* kApiServer = R"(
apiVersion: v1
kind: Pod
metadata:
  name: kube-apiserver
  namespace: kube-system
  annotations:
    kubeadm.kubernetes.io/kube-apiserver.advertise-address.endpoint: 10.0.0.10:7443
spec:
  containers:
  - name: kube-apiserver
    command: [kube-apiserver, --client-ca-file=/etc/kubernetes/pki/ca.crt]
)";

class CollectTest : public testing::Test {
 protected:
  CollectTest() {
    made_.MakeAll();
    files_.Write("/etc/kubernetes/kubelet.conf", R"(
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: https://10.0.0.10:6443}}]
users: [{name: u, user: {}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
)",
                 {});
    files_.Write("/var/lib/kubelet/kubeadm-flags.env",
                 "KUBELET_KUBEADM_ARGS=\"--node-ip=10.0.0.9\"\n", {});
  }

  certs::FakeContext made_;
  host::Files& files_ = made_.fake.files;
};

TEST_F(CollectTest, AWorkerHasTheAddressOfItsKubelet) {
  const NodeFacts node = CollectNode(made_.fake.host);
  EXPECT_FALSE(node.control_plane);
  EXPECT_FALSE(node.etcd);
  EXPECT_EQ(node.address, net::IpAddress::Parse("10.0.0.9"));
}

TEST_F(CollectTest, ReadsBothAddressesOfADualStackKubelet) {
  files_.Write("/var/lib/kubelet/kubeadm-flags.env",
               "KUBELET_KUBEADM_ARGS=\"--node-ip=10.0.0.9,fd00::9\"\n", {});
  const NodeFacts node = CollectNode(made_.fake.host);
  EXPECT_EQ(node.address, net::IpAddress::Parse("10.0.0.9"));
  EXPECT_THAT(node.node_ips,
              ElementsAre(*net::IpAddress::Parse("10.0.0.9"), *net::IpAddress::Parse("fd00::9")));
}

TEST_F(CollectTest, ReadsTheUsersKubeletArguments) {
  files_.Write("/etc/default/kubelet", "KUBELET_EXTRA_ARGS=\"--v=2 --node-ip=10.0.0.7\"\n", {});
  EXPECT_EQ(CollectNode(made_.fake.host).address, net::IpAddress::Parse("10.0.0.7"));
}

TEST_F(CollectTest, AControlPlaneHasTheAddressOfItsApiServer) {
  files_.Write("/etc/kubernetes/manifests/kube-apiserver.yaml", kApiServer, {});
  const NodeFacts node = CollectNode(made_.fake.host);
  EXPECT_TRUE(node.control_plane);
  EXPECT_FALSE(node.etcd) << "an external one";
  EXPECT_EQ(node.address, net::IpAddress::Parse("10.0.0.10"));
  EXPECT_EQ(node.config.init.local_api_endpoint.bind_port, 7443);
  EXPECT_EQ(node.config.cluster.certificates_dir, "/etc/kubernetes/pki");
}

TEST_F(CollectTest, CollectsFilesOfKubeadmAndTheKubelet) {
  files_.MakeDirectories("/etc/kubernetes/empty");
  files_.Write("/var/lib/kubelet/pki/kubelet.crt", "x", {});
  files_.Write("/var/lib/kubelet/pods/uid/token", "x", {});
  files_.Write("/var/lib/kubelet/kubeadm-patches/etcd.yaml", "x", {});
  files_.Write("/etc/default/kubelet", "x", {});
  files_.Write("/etc/hosts", "x", {});
  files_.Write("/etc/systemd/system/kubelet.service.d/20-own.conf", "x", {});
  host::ReplaceByLink(files_, "/var/lib/kubelet/elsewhere", "/nowhere");
  host::ReplaceByLink(files_, "/var/lib/kubelet/volumes", "pods");
  files_.Write("/var/lib/kubelet/large", std::string((1U << 20U) + 1, 'x'), {});
  std::vector<std::string> kubelets;
  std::vector<std::string> unread;
  bool authority = false;
  for (const SearchedFile& file : SearchFiles(files_)) {
    if (!file.unread.empty()) {
      unread.push_back(file.path.string() + ": " + file.unread);
    } else if (!file.path.string().starts_with("/etc/kubernetes")) {
      kubelets.push_back(file.path.string());
    }
    authority = authority || file.path == "/etc/kubernetes/pki/ca.crt";
  }
  EXPECT_THAT(kubelets, ElementsAre("/var/lib/kubelet/kubeadm-flags.env",
                                    "/var/lib/kubelet/kubeadm-patches/etcd.yaml",
                                    "/var/lib/kubelet/pki/kubelet.crt",
                                    "/etc/systemd/system/kubelet.service.d/20-own.conf",
                                    "/etc/default/kubelet", "/etc/hosts"));
  EXPECT_THAT(unread,
              ElementsAre("/var/lib/kubelet/elsewhere: a link that leads nowhere",
                          "/var/lib/kubelet/large: larger than a MiB: no configuration",
                          "/var/lib/kubelet/pods: the kubelet's data of Pods, plugins and devices",
                          "/var/lib/kubelet/volumes: a link to a missing file"));
  EXPECT_TRUE(authority);
}

class SearchObjectsTest : public kube::FakeCluster {};

TEST_F(SearchObjectsTest, ListsObjectsThatMayContainAnAddress) {
  const auto put = [&](const kube::Resource& resource, const char* name_space) {
    server_.Put(resource, {{"metadata", {{"name", "x"}, {"namespace", name_space}}}});
  };
  put(resources::kConfigMap, "any");
  put(resources::kService, "any");
  put(kube::resources::kEndpointSlice, "default");
  put(resources::kPod, "kube-system");
  put(resources::kPod, "any");
  put(resources::kSecret, "kube-system");
  server_.Put(resources::kSecret, {{"metadata", {{"name", "y"}, {"namespace", "any"}}},
                                   {"data", {{"a", "MTAuMC4wLjE="}, {"b", "?"}}}});
  put({"", "v1", "endpoints", "Endpoints"}, "any");
  std::vector<std::string> found;
  for (const json::Value& object : SearchObjects(client_)) {
    found.push_back(json::TextAt(object, {"kind"}) + " " +
                    json::TextAt(object, {"metadata", "namespace"}));
    if (json::TextAt(object, {"metadata", "name"}) == "y") {
      EXPECT_EQ(json::TextAt(object, {"data", "a"}), "10.0.0.1") << "as it is meant";
    }
  }
  EXPECT_THAT(found, ElementsAre("ConfigMap any", "Secret any", "Secret kube-system", "Service any",
                                 "Endpoints any", "EndpointSlice default", "Pod kube-system"));
}

}  // namespace
}  // namespace readdress
