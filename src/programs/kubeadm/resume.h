// Going on where an earlier run was cut off: whose files lie here, and which no longer fit.
#pragma once

#include <memory>
#include <string>

#include "host/host.h"
#include "kubeadm/node_data.h"
#include "workflow/journal.h"

namespace kubeadm {

// OpenJournal reads what the last run of the command left. `origin` identifies the configuration.
std::unique_ptr<workflow::Journal> OpenJournal(host::Host& machine, const std::string& command,
                                               const std::string& origin);

// DropStaleFiles: a key that the resumed run wrote, without what belongs to it, is removed: that
// run was cut off between the two. When the configuration was mended since the run that is resumed,
// the leaf certificates and kubeconfigs which that run made, and nobody changed, are removed, so
// that they are made anew. The CAs and the service account key stay: what was signed or stored with
// them may be in use already.
void DropStaleFiles(const NodeData& data);

// IsOwnLeftover tells whether a file is one that the resumed run wrote, with that content.
bool IsOwnLeftover(const NodeData& data, const fs::path& path);

// IsOwnNode tells whether the resumed run has started this machine's kubelet already, and it has
// the identity of that node: then the node in the cluster is this machine.
bool IsOwnNode(const NodeData& data, const std::string& node);

}  // namespace kubeadm
