// SPDX-License-Identifier: Apache-2.0
#include "discovery/canned.h"

#include <fmt/core.h>

#include <atomic>
#include <memory>
#include <utility>

#include "base/error.h"
#include "base/show_line.h"
#include "base/strings.h"
#include "config/paths.h"
#include "kube/dry_run.h"
#include "releases/releases.h"

namespace discovery {
namespace {

// The fake cluster's CA certificate, PEM in base64; its key was discarded. kCannedPin is the pin of
// this CA. The signature below covers the kubeconfig with this CA, and was made with kCannedToken.
constexpr std::string_view kCa =
    "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSURCVENDQWUyZ0F3SUJBZ0lJTkpmdGFCK09Xd0F3RFFZSktvWk"
    "lodmNOQVFFTEJRQXdGVEVUTUJFR0ExVUUKQXhNS2EzVmlaWEp1WlhSbGN6QWVGdzB5TkRBM01EZ3hNalF3TURSYUZ3"
    "MHpOREEzTURZeE1qUTFNRFJhTUJVeApFekFSQmdOVkJBTVRDbXQxWW1WeWJtVjBaWE13Z2dFaU1BMEdDU3FHU0liM0"
    "RRRUJBUVVBQTRJQkR3QXdnZ0VLCkFvSUJBUURhUURkaWdPeVdpbTZXLzQ4bjNQSG9WZVZCU2lkNldjbmRFV3VVcTVn"
    "QldYZGx0OTk2aCtWbkl0bHQKOHpDaGwvb1I1V2ZSYVJDODA1WitvTW4vWThJR1ZRM3QxaG55SW1ZbjR3M3Z6UlhvdU"
    "dlQmVpdTJTU1ZqZ0J3agpYanliYk1DbXJBZEljYkllWm1INjZldjV6KzVZS21aUlVZYzNoRGFIcFhkMEVFblp5SlY1"
    "d2FaczBYTVFVSE03CmVxT1pBWko5L21PM05VQnBsdnJQbnBPTUs3a1NFUFBnNzVjVTdXSG9KSEZrZVlXNTkzZ3NnQ3"
    "MyQnRVdTY0Y3EKYlZYOWJpZ3JZZGRwWmtvRUtLeFU4SEl3SHNJNVY4Um9uM21LRkdsckUxN2IybC84Q3FtQXVPdnl6"
    "TEllaVFHWAplZ0lhUi9uUkhISUQ5QVRpNnRYOEVhRERwZXYvQWdNQkFBR2pXVEJYTUE0R0ExVWREd0VCL3dRRUF3SU"
    "NwREFQCkJnTlZIUk1CQWY4RUJUQURBUUgvTUIwR0ExVWREZ1FXQkJRWWFDRGU2eXVWcVNhV1Y3M3pMaldtR2hpYVR6"
    "QVYKQmdOVkhSRUVEakFNZ2dwcmRXSmxjbTVsZEdWek1BMEdDU3FHU0liM0RRRUJDd1VBQTRJQkFRQ2NlTW5uaVBhcQ"
    "pHUkVqR3A2WFJTN1FFWW1RcmJFZCtUVjVKUTE4byttVzZvR3BaOENBM0pBSFFETk5QRW1QYzB5dVhEeE85QkZYCmJn"
    "MlhSSCtLTkozVzJKZlExVEgzVFhKRWF4Zkh1WDRtQjU5UkNsQzExNGtsV2RIeDFqN0FtRWt1eTZ0ZGpuYWkKZmh0U0"
    "dueEEwM2JwN2I4Z28zSWpXNE5wV1JOMVdHNTl2YTBKOEJIRmg3Q0RpZUxuK0RNdUk2M0Jna1kveTJzMApML2RtOVBm"
    "cWdVSzFBMy8wZGhDVjZiRUNqekEzSkJld21kSC8rVUJPeVkybUMwNVlQMzNkMHA5eXlrYmtkWE5xCkRONXlBc3ZNUC"
    "9PV0NuQjFlQlFUb2pNODJMU3F3dHZtbU1SNHRXYXVoOXVkVktHY2s0eEJaV3Vkcm5LRFVVWEkKUURNUFJnSkMvTng0"
    "Ci0tLS0tRU5EIENFUlRJRklDQVRFLS0tLS0K";
constexpr const char* kSignature =
    "eyJhbGciOiJIUzI1NiIsImtpZCI6ImFiY2RlZiJ9..rh3cVKiU2mdt3CqHzC81sNE-4WQLRHMtXduHWfSbrIM";

constexpr const char* kClusterConfiguration = R"(apiServer: {}
apiVersion: kubeadm.k8s.io/v1beta4
caCertificateValidityPeriod: 87600h0m0s
certificateValidityPeriod: 100h0m0s
certificatesDir: /etc/kubernetes/pki
clusterName: kubernetes
controllerManager:
  extraArgs:
  - name: cluster-signing-duration
    value: 24h
controlPlaneEndpoint: 192.168.0.101:6443
dns: {}
encryptionAlgorithm: RSA-2048
etcd:
  local:
    dataDir: /var/lib/etcd
    imageTag: ETCD
imageRepository: registry.k8s.io
kind: ClusterConfiguration
kubernetesVersion: VERSION
networking:
  dnsDomain: cluster.local
  podSubnet: 192.168.0.0/16
  serviceSubnet: 10.96.0.0/12
proxy: {}
scheduler: {}
)";

constexpr const char* kKubeletConfiguration = R"(apiVersion: kubelet.config.k8s.io/v1beta1
authentication:
  anonymous:
    enabled: false
  webhook:
    enabled: true
  x509:
    clientCAFile: /etc/kubernetes/pki/ca.crt
authorization:
  mode: Webhook
cgroupDriver: systemd
clusterDNS:
- 10.96.0.10
clusterDomain: cluster.local
healthzBindAddress: 127.0.0.1
healthzPort: 10248
kind: KubeletConfiguration
memorySwap: {}
resolvConf: /run/systemd/resolve/resolv.conf
rotateCertificates: true
staticPodPath: /etc/kubernetes/manifests
)";

constexpr const char* kProxyConfiguration = R"(apiVersion: kubeproxy.config.k8s.io/v1alpha1
bindAddress: 0.0.0.0
bindAddressHardFail: false
clientConnection:
  kubeconfig: /var/lib/kube-proxy/kubeconfig.conf
clusterCIDR: 192.168.0.0/16
kind: KubeProxyConfiguration
)";

constexpr const char* kProxyKubeconfig = R"(apiVersion: v1
kind: Config
clusters:
- cluster:
    certificate-authority: /var/run/secrets/kubernetes.io/serviceaccount/ca.crt
    server: https://192.168.0.101:6443
  name: default
contexts:
- context:
    cluster: default
    namespace: default
    user: default
  name: default
current-context: default
users:
- name: default
  user:
    tokenFile: /var/run/secrets/kubernetes.io/serviceaccount/token
)";

// Returns the data of the fake cluster's ClusterConfiguration. The cluster has the second newest
// minor version, with the etcd version that a kubeadm of the newest minor version chooses for it.
json::Value ClusterConfigurationData() {
  const releases::Release& newest = releases::Newest();
  const std::string version = fmt::format("1.{}.0", newest.minor - 1);
  const std::string text = base::ReplaceAll(kClusterConfiguration, "VERSION", version);
  return {{"ClusterConfiguration", base::ReplaceAll(text, "ETCD", std::string(newest.etcd))}};
}

json::Value ClusterInfoData() {
  const std::string kubeconfig = fmt::format(
      "apiVersion: v1\nclusters:\n- cluster:\n    certificate-authority-data: {}\n    server: {}\n"
      "  name: \"\"\ncontexts: null\ncurrent-context: \"\"\nkind: Config\nusers: null\n",
      kCa, kCannedServer);
  return {{"kubeconfig", kubeconfig}, {"jws-kubeconfig-abcdef", kSignature}};
}

json::Value CertificatesData() {
  json::Value data = json::Value::object();
  for (const char* name : {"ca.crt", "ca.key", "etcd-ca.crt", "etcd-ca.key", "front-proxy-ca.crt",
                           "front-proxy-ca.key", "sa.key", "sa.pub"}) {
    data[name] = "";
  }
  return data;
}

struct Row {
  const kube::Resource& resource;
  std::string_view name_space;
  std::string_view name;
  json::Value (*data)();
};

const Row kRows[] = {
    {kube::resources::kConfigMap, "kube-public", "cluster-info", ClusterInfoData},
    {kube::resources::kConfigMap, "kube-system", "kubeadm-config", ClusterConfigurationData},
    {kube::resources::kConfigMap, "kube-system", "kubelet-config",
     [] { return json::Value{{"kubelet", kKubeletConfiguration}}; }},
    {kube::resources::kConfigMap, "kube-system", "kube-proxy",
     [] {
       return json::Value{{"config.conf", kProxyConfiguration},
                          {"kubeconfig.conf", kProxyKubeconfig}};
     }},
    {kube::resources::kSecret, "kube-system", "kubeadm-certs", CertificatesData},
};

json::Value Node(const std::string& name) {
  return {
      {"apiVersion", "v1"},
      {"kind", "Node"},
      {"metadata",
       {{"name", name},
        {"labels", {{"kubernetes.io/hostname", name}}},
        {"annotations",
         {{"kubeadm.alpha.kubernetes.io/cri-socket", std::string(config::kContainerdSocket)}}}}}};
}

// A transport that returns an answer already received.
class OneAnswer : public kube::Transport {
 public:
  explicit OneAnswer(json::Value object) : object_(std::move(object)) {}
  json::Value Do(const kube::Call& /*call*/, std::stop_token /*stop*/) override { return object_; }
  std::string GetPath(const std::string& /*path*/, std::stop_token /*stop*/) override { return ""; }
  void Watch(const kube::Call& /*call*/, const std::string& /*resource_version*/,
             const OnEvent& /*on_event*/, std::stop_token /*stop*/) override {}

 private:
  json::Value object_;
};

// Queries a real server. Uses the fake cluster instead if the first query has no usable answer.
class DryRun {
 public:
  DryRun(base::ShowLine log, Ask real) : log_(std::move(log)), real_(std::move(real)) {}

  Answer operator()(const Question& question) {
    if (question.path != kClusterInfoPath) {  // a discovery file has no substitute
      return real_(question);
    }
    if (auto answer = AskReal(question)) {
      Report(std::make_shared<OneAnswer>(json::TryParse(answer->body)));
      return *std::move(answer);
    }
    return {.status = 200, .body = json::Compact(Report(nullptr)), .canned = true};
  }

 private:
  // Returns std::nullopt if no query has ever had a usable answer.
  std::optional<Answer> AskReal(const Question& question) {
    if (away_) {
      return std::nullopt;
    }
    try {
      Answer answer = real_(question);
      answered_ = answered_ || answer.status == 200;
      away_ = !answered_;
      return answered_ ? std::optional(std::move(answer)) : std::nullopt;
    } catch (const base::Error&) {
      if (answered_) {
        throw;
      }
      away_ = true;
      return std::nullopt;
    }
  }

  json::Value Report(std::shared_ptr<kube::Transport> real) const {
    kube::DryRunTransport transport({.log = log_, .real = std::move(real), .canned = CannedObject});
    return transport.Do({.resource = kube::resources::kConfigMap,
                         .name_space = "kube-public",
                         .name = "cluster-info"},
                        {});
  }

  base::ShowLine log_;
  Ask real_;
  bool answered_ = false;
  bool away_ = false;
};

}  // namespace

std::optional<json::Value> CannedObject(const kube::Call& call) {
  if (call.verb != kube::Verb::kGet) {
    return std::nullopt;
  }
  if (call.resource.resource == kube::resources::kNode.resource) {
    return Node(call.name);
  }
  for (const Row& row : kRows) {
    if (row.resource.resource == call.resource.resource && row.name_space == call.name_space &&
        row.name == call.name) {
      return json::Value{{"apiVersion", "v1"},
                         {"kind", row.resource.kind},
                         {"metadata", {{"name", row.name}, {"namespace", row.name_space}}},
                         {"data", row.data()}};
    }
  }
  return std::nullopt;
}

Ask DryRunAsk(base::ShowLine log, Ask real) { return DryRun(std::move(log), std::move(real)); }

}  // namespace discovery
