// SPDX-License-Identifier: Apache-2.0
// How a kubelet stands with its way into the cluster: the certificate, its key and kubelet.conf.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "host/host.h"
#include "kube/kubeconfig.h"

namespace kubelet_recovery {

// KubeletConf is /etc/kubernetes/kubelet.conf; RotatedPair is where the kubelet keeps certificate
// and key that it has got by itself.
std::filesystem::path KubeletConf();
std::filesystem::path RotatedPair(const host::Files& files);

// Found is what lies on this node.
struct Found {
  std::string node;  // its name in the cluster
  // Why the kubelet cannot log in with what it has; nothing: it can.
  std::optional<std::string> problem;
  std::chrono::sys_seconds until;          // of a certificate without a problem
  std::optional<kube::Kubeconfig> config;  // kubelet.conf where it names a cluster
  // kubelet.conf holds a good certificate itself: whoever wrote it there was cut off before the
  // kubelet had it, or before kubelet.conf named the kubelet's own file.
  bool unfinished = false;
};

// Look judges the certificate by its period, its key, and the authority that kubelet.conf trusts.
// The node's name is `name` where that is not empty, else that of the certificate, also of one that
// has expired, else what the kubelet's arguments or the machine say. Throws base::Error(kInvalid)
// for a certificate that is not a node's.
Found Look(const host::Host& host, const std::string& name);

}  // namespace kubelet_recovery
