// SPDX-License-Identifier: Apache-2.0
// The upgrade of this node's kubelet after its control plane: from prepared files, or by a command
// of the user.
#pragma once

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/show_line.h"
#include "base/version.h"
#include "host/host.h"
#include "kube/client.h"
#include "upgrade/policy.h"
#include "upgrade_path/kubelet_files.h"

namespace upgrade_path {

// Returns a sentence with the remedy if the control plane's new certificates would have keys that a
// kubelet cannot use. ClusterConfiguration.encryptionAlgorithm selects the algorithm of these keys.
// Otherwise returns std::nullopt.
std::optional<std::string> FindKubeletKeyHazard(
    const std::string& algorithm, const std::vector<control_plane::NodeVersion>& kubelets);

// The inputs of one step. References must outlive it.
struct KubeletStep {
  host::Host& host;
  kube::Client& client;
  std::string node;
  base::Version version;
  std::vector<KubeletProgram> programs;  // found by FindKubelets; unused if `command` is set
  // A command for `sh -c`, with KUBELET_VERSION ("1.35.4") and NODE_NAME in its environment. The
  // user sees its output.
  std::string command = {};
  std::chrono::milliseconds limit;  // for the new kubelet to register and be Ready
  std::stop_token stop = {};
  base::ShowLine say;
};

// Returns whether an interrupted run has replaced the kubelet's file by one of the directory, and
// has neither confirmed nor undone that. BringKubelet then completes it. Returns false for a step
// with a command. Throws the errors of KubeletFile.
bool HasUnconfirmedKubelet(host::Host& host, const std::vector<KubeletProgram>& programs,
                           const std::stop_token& stop);

// Replaces the kubelet's file (kubelet_files.h). If `command` is set, runs the command instead.
// Then restarts the kubelet and waits until the node is Ready with the new version in the cluster.
// If that fails, restores the previous kubelet, and waits until the node is Ready again. It uses
// the previous file, or the command with the previous version.
//
// Throws base::Error, which says whether the previous kubelet was restored. kNotFound: the new
// kubelet is missing, or PATH has no kubelet to replace. kTimeout: the command or the kubelet takes
// too long. kOther: the command or the kubelet failed. Restores nothing after base::Interrupted.
void BringKubelet(const KubeletStep& step);

}  // namespace upgrade_path
