// SPDX-License-Identifier: Apache-2.0
// The files that an interrupted run left: removes outdated files, and finds the checks that would
// needlessly refuse the other files.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "certs/tree.h"
#include "config/types.h"
#include "host/files.h"
#include "kubeconfigs/specs.h"
#include "workflow/journal.h"

namespace steps {

// The node of the resumed run. References must outlive it.
struct ResumedNode {
  host::Files& files;
  const workflow::Journal* journal;  // null: no run is resumed, and no file is its leftover
  const config::Init& config;
  host::fs::path kubeconfig_dir;  // of the kubeconfig files
};

// Remove stale files of the resumed run. The phase that creates a file calls them before it checks
// for an existing one. A key without its certificate is removed: the resumed run was interrupted
// between the two. If the configuration has changed since, unmodified leaf certificates and
// kubeconfigs of that run are removed, and so created again. The CAs and the service account key
// stay: certificates or objects may depend on them already. All throw base::Error with the kind of
// the file's error if a file cannot be read or removed.
void DropStaleCertificate(const ResumedNode& node, const certs::CertSpec& spec);
void DropStaleServiceAccountKey(const ResumedNode& node);
void DropStaleKubeconfig(const ResumedNode& node, const kubeconfigs::KubeconfigSpec& spec);

// Returns whether the resumed join has started this machine's kubelet, and the kubelet has the
// identity of the node of that name. Then the node in the cluster is this machine.
bool IsOwnNode(const host::Files& files, const workflow::Journal* journal, const std::string& name);

// The wanted identity of a joining node's kubelet.
struct Identity {
  std::string node;                   // its name
  std::string ca_pem;                 // of its cluster
  std::optional<std::string> server;  // its server; std::nullopt: any of the cluster's
};

// Throws base::Error(kConflict), naming `kubeadm reset`, if the resumed join's kubelet already has
// another identity: the kubelet keeps its identity, whatever its later settings.
void RequireFittingIdentity(const host::Files& files, const workflow::Journal* journal,
                            const Identity& wanted);

// Returns the preflight checks that would complain about the resumed run's own results: its files,
// the ports of the components that these files configure, and etcd's data directory.
std::set<std::string> SettledChecks(const ResumedNode& node);

}  // namespace steps
