// SPDX-License-Identifier: Apache-2.0
// The state of a kubelet's credentials: the certificate, its key and kubelet.conf.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "host/host.h"
#include "kube/kubeconfig.h"

namespace kubelet_recovery {

// KubeletConf is /etc/kubernetes/kubelet.conf; RotatedPair is the kubelet's file for certificates
// and keys that it has renewed itself.
std::filesystem::path KubeletConf();
std::filesystem::path RotatedPair(const host::Files& files);

// The files on this node.
struct Found {
  std::string node;  // its name in the cluster
  // Why the kubelet cannot log in with these files; std::nullopt: it can.
  std::optional<std::string> problem;
  std::chrono::sys_seconds until;          // of a certificate without a problem
  std::optional<kube::Kubeconfig> config;  // kubelet.conf if it names a cluster
  // kubelet.conf contains a valid certificate itself: an interrupted run wrote it, and the kubelet
  // did not have it yet, or kubelet.conf did not name the kubelet's own file yet.
  bool unfinished = false;
};

// Judges the certificate by its period, its key, and the authority that kubelet.conf trusts. The
// node's name is `name` if that is not empty, else that of the certificate, even an expired one.
// Otherwise it is that of the kubelet's arguments or the machine. Throws base::Error(kInvalid) for
// a certificate that is not a node's.
Found Look(const host::Host& host, const std::string& name);

}  // namespace kubelet_recovery
