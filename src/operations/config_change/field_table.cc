// SPDX-License-Identifier: Apache-2.0
#include "config_change/field_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace config_change {
namespace {

constexpr std::string_view kCluster = "ClusterConfiguration";

constexpr std::array kRows = std::to_array<FieldRow>({
    {kCluster, "apiServer", Effort::kRestart, "kube-apiserver", ""},
    {kCluster, "apiServer.certSANs", Effort::kRestart, "kube-apiserver, with a new certificate",
     "apiserver"},
    {kCluster, "controllerManager", Effort::kRestart, "kube-controller-manager", ""},
    {kCluster, "scheduler", Effort::kRestart, "kube-scheduler", ""},
    {kCluster, "etcd.local", Effort::kNever, "etcd's data would stay where it is", ""},
    {kCluster, "etcd.local.dataDir", Effort::kNever, "etcd's data would stay where it is", ""},
    {kCluster, "etcd.local.extraArgs", Effort::kRestart, "etcd, and kube-apiserver with it", ""},
    {kCluster, "etcd.local.extraEnvs", Effort::kRestart, "etcd, and kube-apiserver with it", ""},
    {kCluster, "etcd.local.imageRepository", Effort::kRestart, "etcd, and kube-apiserver with it",
     ""},
    {kCluster, "etcd.local.imageTag", Effort::kNever,
     "another version of etcd comes with 'kubeadm upgrade apply', which keeps its data", ""},
    {kCluster, "etcd.local.serverCertSANs", Effort::kRestart, "etcd, with a new certificate",
     "etcd-server"},
    {kCluster, "etcd.local.peerCertSANs", Effort::kRestart, "etcd, with a new certificate",
     "etcd-peer"},
    {kCluster, "etcd.external", Effort::kNever, "the cluster's data is moved by hand", ""},
    {kCluster, "etcd.external.endpoints", Effort::kRestart, "kube-apiserver", ""},
    {kCluster, "etcd.external.httpEndpoints", Effort::kRestart, "kube-apiserver", ""},
    {kCluster, "etcd.external.caFile", Effort::kRestart, "kube-apiserver", ""},
    {kCluster, "etcd.external.certFile", Effort::kRestart, "kube-apiserver", ""},
    {kCluster, "etcd.external.keyFile", Effort::kRestart, "kube-apiserver", ""},
    {kCluster, "networking.serviceSubnet", Effort::kNever,
     "Services keep their addresses, the API's own among them; Kubernetes adds ranges by objects "
     "of kind ServiceCIDR",
     ""},
    {kCluster, "networking.podSubnet", Effort::kNewNodes,
     "nodes keep the ranges that they were given, and the network plugin has its own settings", ""},
    {kCluster, "networking.dnsDomain", Effort::kNever,
     "names, tokens' issuer and certificates of the cluster are made with it", ""},
    {kCluster, "kubernetesVersion", Effort::kNever, "'kubeadm upgrade apply' changes it", ""},
    {kCluster, "controlPlaneEndpoint", Effort::kNever,
     "'kubeadm endpoint set' changes it, with all that names it", ""},
    {kCluster, "dns", Effort::kLive, "CoreDNS' Pods are replaced one after the other", ""},
    {kCluster, "proxy", Effort::kLive, "what runs is left alone", ""},
    {kCluster, "certificatesDir", Effort::kNever, "the certificates would stay where they are", ""},
    {kCluster, "imageRepository", Effort::kRestart, "the control plane; the addons are replaced",
     ""},
    {kCluster, "featureGates", Effort::kRestart, "what the gate is about", ""},
    {kCluster, "clusterName", Effort::kRestart, "kube-controller-manager", ""},
    {kCluster, "encryptionAlgorithm", Effort::kNewNodes,
     "new keys are made by 'kubeadm certs renew'", ""},
    {kCluster, "certificateValidityPeriod", Effort::kLive, "certificates issued from now on", ""},
    {kCluster, "caCertificateValidityPeriod", Effort::kLive, "authorities made from now on", ""},
    {"KubeletConfiguration", "", Effort::kRestart, "the kubelet; Pods go on", ""},
    {"KubeProxyConfiguration", "", Effort::kLive, "kube-proxy's Pods are replaced", ""},
});

bool Holds(std::string_view row, std::string_view path) {
  return row.empty() || row == path ||
         (path.starts_with(row) && (path[row.size()] == '.' || path[row.size()] == '['));
}

}  // namespace

std::span<const FieldRow> FieldTable() { return kRows; }

const FieldRow& RowFor(std::string_view kind, std::string_view path) {
  const FieldRow* found = nullptr;
  for (const FieldRow& row : kRows) {
    if (row.kind == kind && Holds(row.path, path) &&
        (found == nullptr || row.path.size() > found->path.size())) {
      found = &row;
    }
  }
  if (found == nullptr) {
    throw std::logic_error(fmt::format("no row for {} {}", kind, path));
  }
  return *found;
}

std::string_view Name(Effort effort) {
  switch (effort) {
    case Effort::kLive:
      return "live";
    case Effort::kRestart:
      return "restart";
    case Effort::kNewNodes:
      return "new nodes";
    case Effort::kNever:
      break;
  }
  return "never";
}

}  // namespace config_change
