// SPDX-License-Identifier: Apache-2.0
// What a run that was cut off has left on this node: which of it no longer fits, and which checks
// complain of it in vain.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "certs/tree.h"
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
  host::fs::path kubeconfig_dir;  // of the kubeconfig files
};

// For the phase that makes a file, before it looks whether there is one. A key that the resumed run
// wrote, without what belongs to it, is removed: that run was cut off between the two. When the
// configuration was changed since, leaf certificates and kubeconfigs which that run made, and
// nobody changed, are removed, so that they are made again. The CAs and the service account key
// stay: what was signed or stored with them may be in use already. Throw base::Error when a file
// cannot be read or removed.
void DropStaleCertificate(const Node& node, const certs::CertSpec& spec);
void DropStaleServiceAccountKey(const Node& node);
void DropStaleKubeconfig(const Node& node, const kubeconfigs::KubeconfigSpec& spec);

// IsOwnNode tells whether the resumed join has started this machine's kubelet already, and it has
// the identity of the node of that name: then the node in the cluster is this machine.
bool IsOwnNode(const host::Files& files, const workflow::Journal* journal, const std::string& name);

// Identity is what a joining node's kubelet is to have.
struct Identity {
  std::string node;                   // its name
  std::string ca_pem;                 // of its cluster
  std::optional<std::string> server;  // that it is to ask; nothing: any of the cluster's
};

// RequireFittingIdentity throws base::Error, naming `kubeadm reset`, when the kubelet that the
// resumed join has started has got another identity: it keeps that, whatever it is told later.
void RequireFittingIdentity(const host::Files& files, const workflow::Journal* journal,
                            const Identity& wanted);

// SettledChecks are the preflight checks that complain of what the resumed run has made itself:
// files, and the ports and data that these files name.
std::set<std::string> SettledChecks(const Node& node);

}  // namespace resume
