// SPDX-License-Identifier: Apache-2.0
// Collects the facts for the judgement of a new name. Read-only.
#pragma once

#include <string>

#include "host/host.h"
#include "kube/client.h"
#include "node_identity/rename/judge.h"

namespace node_rename {

// Collects the facts from the files of this host. Throws base::Error(kNotFound) if this host is not
// a node.
RenameFacts CollectHere(const host::Host& host, const std::string& to);

// Adds the cluster's facts: the Node, its Pods, volumes and VolumeAttachments, and whether a Node
// with the new name exists. `client` must be an administrator's. Throws the errors of kube::Client.
void CollectCluster(kube::Client& client, RenameFacts& facts);

}  // namespace node_rename
