// SPDX-License-Identifier: Apache-2.0
// The files that an interrupted run left. The functions remove stale files, and name the preflight
// checks that the remaining files would fail.
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
  // Null if no run is resumed: then no file comes from an interrupted run.
  const workflow::Journal* journal;
  const config::Init& config;
  host::fs::path kubeconfig_dir;  // the directory of the kubeconfig files
};

// DropStaleCertificate, DropStaleServiceAccountKey and DropStaleKubeconfig remove stale files of
// the resumed run. The phase that creates a file calls these functions before it checks whether the
// file exists. A key without its certificate is removed, because the resumed run was interrupted
// between the two writes. If the configuration has changed since, the unmodified leaf certificates
// and kubeconfigs of the resumed run are removed, so that they are created again. The CAs and the
// service account key stay, because certificates or objects may depend on them already. All
// functions throw the errors of host::Files if a file cannot be read or removed.
void DropStaleCertificate(const ResumedNode& node, const certs::CertSpec& spec);
void DropStaleServiceAccountKey(const ResumedNode& node);
void DropStaleKubeconfig(const ResumedNode& node, const kubeconfigs::KubeconfigSpec& spec);

// Returns whether the Node called `name` is this machine. This is true if the resumed join has
// started this machine's kubelet, and the kubelet has the identity of this Node.
bool IsOwnNode(const host::Files& files, const workflow::Journal* journal, const std::string& name);

// The wanted identity of a joining node's kubelet.
struct Identity {
  std::string node;    // the node's name
  std::string ca_pem;  // the CA of the node's cluster
  // The URL of the API server; std::nullopt: any API server of the cluster.
  std::optional<std::string> server;
};

// Throws base::Error(kConflict), naming `kubeadm reset`, if the kubelet of the resumed join already
// has another identity. A kubelet keeps its identity, even if its settings change.
void RequireFittingIdentity(const host::Files& files, const workflow::Journal* journal,
                            const Identity& wanted);

// Returns the preflight checks that the resumed run's own results would fail. These results are its
// files, the ports of the components that these files configure, and etcd's data directory.
std::set<std::string> SettledChecks(const ResumedNode& node);

}  // namespace steps
