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
    {kCluster, "apiServer", Impact::kRestart, "kube-apiserver", ""},
    {kCluster, "apiServer.certSANs", Impact::kRestart, "kube-apiserver, with a new certificate",
     "apiserver"},
    {kCluster, "controllerManager", Impact::kRestart, "kube-controller-manager", ""},
    {kCluster, "scheduler", Impact::kRestart, "kube-scheduler", ""},
    {kCluster, "etcd.local", Impact::kNever, "a new value would not move etcd's data", ""},
    {kCluster, "etcd.local.dataDir", Impact::kNever, "a new value would not move etcd's data", ""},
    {kCluster, "etcd.local.extraArgs", Impact::kRestart, "etcd, and kube-apiserver with it", ""},
    {kCluster, "etcd.local.extraEnvs", Impact::kRestart, "etcd, and kube-apiserver with it", ""},
    {kCluster, "etcd.local.imageRepository", Impact::kRestart, "etcd, and kube-apiserver with it",
     ""},
    {kCluster, "etcd.local.imageTag", Impact::kNever,
     "'kubeadm upgrade apply' changes etcd's version and keeps its data", ""},
    {kCluster, "etcd.local.serverCertSANs", Impact::kRestart, "etcd, with a new certificate",
     "etcd-server"},
    {kCluster, "etcd.local.peerCertSANs", Impact::kRestart, "etcd, with a new certificate",
     "etcd-peer"},
    {kCluster, "etcd.external", Impact::kNever, "you must move the cluster's data yourself", ""},
    {kCluster, "etcd.external.endpoints", Impact::kRestart, "kube-apiserver", ""},
    {kCluster, "etcd.external.httpEndpoints", Impact::kRestart, "kube-apiserver", ""},
    {kCluster, "etcd.external.caFile", Impact::kRestart, "kube-apiserver", ""},
    {kCluster, "etcd.external.certFile", Impact::kRestart, "kube-apiserver", ""},
    {kCluster, "etcd.external.keyFile", Impact::kRestart, "kube-apiserver", ""},
    {kCluster, "networking.serviceSubnet", Impact::kNever,
     "Services keep their addresses, also the API server's; objects of kind ServiceCIDR add ranges",
     ""},
    {kCluster, "networking.podSubnet", Impact::kNewNodes,
     "existing nodes keep their ranges; the network add-on has its own settings", ""},
    {kCluster, "networking.dnsDomain", Impact::kNever,
     "names, certificates and the issuer of tokens contain this domain", ""},
    {kCluster, "kubernetesVersion", Impact::kNever, "'kubeadm upgrade apply' changes it", ""},
    {kCluster, "controlPlaneEndpoint", Impact::kNever,
     "'kubeadm endpoint set' changes the endpoint everywhere", ""},
    {kCluster, "dns", Impact::kLive, "CoreDNS' Pods are replaced one after the other", ""},
    {kCluster, "proxy", Impact::kLive, "a running kube-proxy is not changed", ""},
    {kCluster, "certificatesDir", Impact::kNever, "a new value would not move the certificates",
     ""},
    {kCluster, "imageRepository", Impact::kRestart,
     "the control plane; the add-ons' Pods are replaced", ""},
    {kCluster, "featureGates", Impact::kRestart, "the components that know the gate", ""},
    {kCluster, "clusterName", Impact::kRestart, "kube-controller-manager", ""},
    {kCluster, "encryptionAlgorithm", Impact::kNewNodes, "'kubeadm certs renew' creates new keys",
     ""},
    {kCluster, "certificateValidityPeriod", Impact::kLive,
     "applies to certificates issued from now on", ""},
    {kCluster, "caCertificateValidityPeriod", Impact::kLive,
     "applies to authorities created from now on", ""},
    {"KubeletConfiguration", "", Impact::kRestart, "the kubelet; Pods keep running", ""},
    {"KubeProxyConfiguration", "", Impact::kLive, "kube-proxy's Pods are replaced", ""},
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

std::string_view Name(Impact impact) {
  switch (impact) {
    case Impact::kLive:
      return "live";
    case Impact::kRestart:
      return "restart";
    case Impact::kNewNodes:
      return "new nodes";
    case Impact::kNever:
      break;
  }
  return "never";
}

}  // namespace config_change
