// SPDX-License-Identifier: Apache-2.0
// The Job that runs a task on its node.
#pragma once

#include <string>

#include "fleet/cluster_operation.h"
#include "fleet/plan.h"
#include "fleet/trace.h"
#include "json/fwd.h"

namespace fleet {

// The namespace and the image of Jobs.
struct JobSettings {
  std::string name_space;
  std::string image;  // has kubeadm as /usr/bin/kubeadm; UpgradeAction::kubelet_image replaces it
  TraceSettings traces = {};
};

// Returns the Job. Its Pod is pinned to the node, tolerates every taint, and has no ServiceAccount
// token. The Pod is privileged, because it enters the host's namespaces. A Pod that was killed or
// evicted is replaced, because kubeadm resumes an interrupted run. If kubeadm itself fails (status
// 1), the Job fails immediately.
json::Value JobFor(const ClusterOperation& operation, const NodeTask& task,
                   const JobSettings& settings);

// Returns the name of the Secret with the certificate key that control planes share.
std::string KeySecretName(const ClusterOperation& operation);
// Returns the Secret of that name, with the certificate key in hex.
json::Value KeySecretFor(const ClusterOperation& operation, const JobSettings& settings,
                         const std::string& key);

// Returns the namespace of the Jobs, which admits privileged Pods.
json::Value NamespaceFor(const std::string& name);

}  // namespace fleet
