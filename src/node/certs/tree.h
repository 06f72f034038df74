// SPDX-License-Identifier: Apache-2.0
// The certificates of a control plane, one row each (reference: pki.md §1).
#pragma once

#include <span>
#include <string_view>

#include "pki/certificate.h"

namespace certs {

// The rule for a certificate's SubjectAltNames (alt_names.h).
enum class NameRule { kNone, kCommonName, kApiServer, kEtcdServer, kEtcdPeer };

// One row of the tree; its strings are literals.
struct CertSpec {
  std::string_view name;         // of the phase and of `certs renew`: "etcd-server"
  std::string_view base_name;    // file in the certificates directory, no suffix: "etcd/server"
  std::string_view long_name;    // shown to the user: "certificate that serves etcd"
  std::string_view ca;           // name of the signing row; empty for a CA
  std::string_view common_name;  // empty: the node's name
  std::span<const pki::ExtendedKeyUsage> usages = {};
  NameRule names = NameRule::kNone;
  bool of_etcd = false;  // not created if etcd is external

  bool is_ca() const { return ca.empty(); }
};

inline constexpr std::string_view kCa = "ca";
inline constexpr std::string_view kFrontProxyCa = "front-proxy-ca";
inline constexpr std::string_view kEtcdCa = "etcd-ca";
inline constexpr std::string_view kKubeletClient = "apiserver-kubelet-client";

// The user of a kubeconfig file of the control plane, and its group ("" for none).
struct ClientIdentity {
  std::string_view user;
  std::string_view organization;
};
inline constexpr ClientIdentity kAdmin{"kubernetes-admin", "kubeadm:cluster-admins"};
inline constexpr ClientIdentity kSuperAdmin{"kubernetes-super-admin", "system:masters"};
inline constexpr ClientIdentity kControllerManager{"system:kube-controller-manager", ""};
inline constexpr ClientIdentity kScheduler{"system:kube-scheduler", ""};

// The key pair that signs service account tokens: <dir>/sa.key, <dir>/sa.pub.
inline constexpr std::string_view kServiceAccount = "sa";

// All rows in the order of creation: each CA before its leaves.
std::span<const CertSpec> Tree();

// Returns the row of that name. Throws base::Error(kNotFound).
const CertSpec& FindSpec(std::string_view name);

}  // namespace certs
