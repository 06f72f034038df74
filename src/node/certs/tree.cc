// SPDX-License-Identifier: Apache-2.0
#include "certs/tree.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"

namespace certs {
namespace {

using enum pki::ExtendedKeyUsage;

constexpr pki::ExtendedKeyUsage kServer[] = {kServerAuth};
constexpr pki::ExtendedKeyUsage kClient[] = {kClientAuth};
constexpr pki::ExtendedKeyUsage kBoth[] = {kServerAuth, kClientAuth};

constexpr CertSpec kTree[] = {
    {.name = kCa,
     .base_name = "ca",
     .long_name = "self-signed CA for the identities of Kubernetes components",
     .common_name = "kubernetes",
     .names = NameRule::kCommonName},
    {.name = "apiserver",
     .base_name = "apiserver",
     .long_name = "certificate for serving the Kubernetes API",
     .ca = kCa,
     .common_name = "kube-apiserver",
     .usages = kServer,
     .names = NameRule::kApiServer},
    {.name = kKubeletClient,
     .base_name = "apiserver-kubelet-client",
     .long_name = "certificate of the API server as a client of kubelets",
     .ca = kCa,
     .common_name = "kube-apiserver-kubelet-client",
     .usages = kClient},
    {.name = kFrontProxyCa,
     .base_name = "front-proxy-ca",
     .long_name = "self-signed CA for the identity of the front proxy",
     .common_name = "front-proxy-ca",
     .names = NameRule::kCommonName},
    {.name = "front-proxy-client",
     .base_name = "front-proxy-client",
     .long_name = "certificate of the front proxy as a client",
     .ca = kFrontProxyCa,
     .common_name = "front-proxy-client",
     .usages = kClient},
    {.name = kEtcdCa,
     .base_name = "etcd/ca",
     .long_name = "self-signed CA for the identities of etcd",
     .common_name = "etcd-ca",
     .names = NameRule::kCommonName,
     .of_etcd = true},
    {.name = "etcd-server",
     .base_name = "etcd/server",
     .long_name = "certificate for serving etcd",
     .ca = kEtcdCa,
     .usages = kBoth,
     .names = NameRule::kEtcdServer,
     .of_etcd = true},
    {.name = "etcd-peer",
     .base_name = "etcd/peer",
     .long_name = "certificate for etcd members to talk to each other",
     .ca = kEtcdCa,
     .usages = kBoth,
     .names = NameRule::kEtcdPeer,
     .of_etcd = true},
    {.name = "etcd-healthcheck-client",
     .base_name = "etcd/healthcheck-client",
     .long_name = "certificate for liveness probes of etcd",
     .ca = kEtcdCa,
     .common_name = "kube-etcd-healthcheck-client",
     .usages = kClient,
     .of_etcd = true},
    {.name = "apiserver-etcd-client",
     .base_name = "apiserver-etcd-client",
     .long_name = "certificate of the API server as a client of etcd",
     .ca = kEtcdCa,
     .common_name = "kube-apiserver-etcd-client",
     .usages = kClient,
     .of_etcd = true},
};

}  // namespace

std::span<const CertSpec> Tree() { return kTree; }

const CertSpec& FindSpec(std::string_view name) {
  const auto* found = std::ranges::find(kTree, name, &CertSpec::name);
  if (found == std::end(kTree)) {
    throw base::Error(base::Error::Kind::kNotFound,
                      fmt::format("there is no certificate called \"{}\"", name));
  }
  return *found;
}

}  // namespace certs
