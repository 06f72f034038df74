// SPDX-License-Identifier: Apache-2.0
// This node's kubelet follows its control plane: from programs that the user has laid ready, or by
// a command of theirs.
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

namespace upgrade_path {

// KubeletProgram is one that was found in the user's directory.
struct KubeletProgram {
  base::Version version;  // as the program itself says
  host::fs::path path;
};

// KubeletVersion asks the kubelet `program` (a path, or a name in PATH) for its version; nothing
// when it does not tell one. Throws base::Error(kNotFound) when there is no such program.
std::optional<base::Version> KubeletVersion(host::Host& host, const host::fs::path& program);

// FindKubelets asks each program "kubelet" in a directory of `directory` (DIR/v1.35.4/kubelet) for
// its version. Throws base::Error naming the one that does not tell, and kNotFound when there is
// none at all.
std::vector<KubeletProgram> FindKubelets(host::Host& host, const host::fs::path& directory);

// KubeletStep is what is needed for one step. References outlive it.
struct KubeletStep {
  host::Host& host;
  kube::Client& client;
  std::string node;
  base::Version version;
  std::vector<KubeletProgram> programs;  // of FindKubelets; used when there is no command
  // Run by `sh -c`, with KUBELET_VERSION ("1.35.4") and NODE_NAME in its environment; its output
  // goes to the user.
  std::string command = {};
  std::chrono::milliseconds limit;  // for the new kubelet to register and be Ready
  std::stop_token stop = {};
  base::ShowLine say;
};

// BringKubelet replaces the program (the old one is kept beside it, as kubelet.previous) or runs
// the command, restarts the kubelet and waits until the cluster has the node Ready with that
// version. Throws base::Error that says what the kubelet is now and what to do.
void BringKubelet(const KubeletStep& step);

}  // namespace upgrade_path
