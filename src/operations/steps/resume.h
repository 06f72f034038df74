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

// Remove stale files of the resumed run. The phase that creates a file calls these functions before
// it checks whether the file exists. A key without its certificate is removed, because the resumed
// run was interrupted between the two writes. If the configuration has changed since, the
// unmodified leaf certificates and kubeconfigs of the resumed run are removed, so that they are
// created again. The CAs and the service account key stay, because certificates or objects may
// depend on them already. All functions throw base::Error, with the kind of the file's error, if a
// file cannot be read or removed.
void DropStaleCertificate(const ResumedNode& node, const certs::CertSpec& spec);
void DropStaleServiceAccountKey(const ResumedNode& node);
void DropStaleKubeconfig(const ResumedNode& node, const kubeconfigs::KubeconfigSpec& spec);

// Returns whether the Node of that name is this machine. This is true if the resumed join has
// started this machine's kubelet, and the kubelet has the identity of this Node.
bool IsOwnNode(const host::Files& files, const workflow::Journal* journal, const std::string& name);

// The wanted identity of a joining node's kubelet.
struct Identity {
  std::string node;                   // its name
  std::string ca_pem;                 // of its cluster
  std::optional<std::string> server;  // its server; std::nullopt: any of the cluster's
};

// Throws base::Error(kConflict), naming `kubeadm reset`, if the kubelet of the resumed join already
// has another identity. A kubelet keeps its identity, even if its settings change.
void RequireFittingIdentity(const host::Files& files, const workflow::Journal* journal,
                            const Identity& wanted);

// Returns the preflight checks that the resumed run's own results would fail. These results are its
// files, the ports of the components that these files configure, and etcd's data directory.
std::set<std::string> SettledChecks(const ResumedNode& node);

}  // namespace steps
