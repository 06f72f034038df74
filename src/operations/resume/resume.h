// SPDX-License-Identifier: Apache-2.0
// What a run that was cut off has left on this node: which of it no longer fits, and which checks
// complain of it in vain.
#pragma once

#include <set>
#include <span>
#include <string>

#include "config/types.h"
#include "host/files.h"
#include "kubeconfigs/specs.h"
#include "workflow/journal.h"

namespace resume {

// Node is where the resumed run worked, and for what. What it refers to must outlive it.
struct Node {
  host::Files& files;
  const workflow::Journal* journal;  // null: no run is resumed, and nothing is its leftover
  const config::Init& config;
  host::fs::path kubeconfig_dir;                             // of the kubeconfig files
  std::span<const kubeconfigs::KubeconfigSpec> kubeconfigs;  // those that the command makes
};

// DropStaleFiles: a key that the resumed run wrote, without what belongs to it, is removed: that
// run was cut off between the two. When the configuration was changed since, the leaf certificates
// and kubeconfigs which that run made, and nobody changed, are removed, so that they are made
// again. The CAs and the service account key stay: what was signed or stored with them may be in
// use already. Throws base::Error when a file cannot be read or removed.
void DropStaleFiles(const Node& node);

// IsOwnNode tells whether the resumed run has started this machine's kubelet already, and it has
// the identity of the node of that name: then the node in the cluster is this machine.
bool IsOwnNode(const host::Files& files, const workflow::Journal* journal, const std::string& name);

// SettledChecks are the preflight checks that complain of what the resumed run has made itself:
// files, and the ports and data of what the kubelet started from them.
std::set<std::string> SettledChecks(const Node& node);

}  // namespace resume
