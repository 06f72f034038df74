// SPDX-License-Identifier: Apache-2.0
// Collects the state of a kubelet's credentials: the certificate, its key and kubelet.conf.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "host/host.h"
#include "kube/kubeconfig.h"

namespace kubelet_recovery {

// KubeletConf is /etc/kubernetes/kubelet.conf. RotatedPair is the file in which the kubelet stores
// renewed certificates with their keys.
std::filesystem::path KubeletConf();
std::filesystem::path RotatedPair(const host::Files& files);

// The files on this node.
struct Found {
  std::string node;  // its name in the cluster
  // Why the kubelet cannot authenticate with these files; std::nullopt if it can.
  std::optional<std::string> problem;
  std::chrono::sys_seconds until;          // expiration; set without a problem
  std::optional<kube::Kubeconfig> config;  // kubelet.conf; not set if it names no cluster
  // True if an interrupted run has written a valid certificate into kubelet.conf, and the recovery
  // is incomplete. Either the kubelet has not used this certificate yet, or kubelet.conf does not
  // name the kubelet's own certificate file yet.
  bool unfinished = false;
};

// Reads the files and judges the certificate: its validity period, its key, and the authority that
// kubelet.conf trusts. The node's name is `name`, if that is not empty. Otherwise it is the name in
// the certificate, even in an expired one. Without a certificate, the name comes from the kubelet's
// arguments or the hostname. Throws base::Error(kInvalid) if the certificate is not a node's
// certificate.
Found CollectFound(const host::Host& host, const std::string& name);

}  // namespace kubelet_recovery
