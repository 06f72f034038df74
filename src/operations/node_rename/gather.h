// SPDX-License-Identifier: Apache-2.0
// Collects the facts for the judgement of a new name. Read-only.
#pragma once

#include <string>

#include "host/host.h"
#include "kube/client.h"
#include "node_rename/judge.h"

namespace node_rename {

// Sets the facts from this machine's files. Throws base::Error(kNotFound) on a machine that is not
// a node.
Facts GatherHere(const host::Host& host, const std::string& to);

// Adds the cluster's objects of the node, read by an administrator.
void GatherCluster(kube::Client& client, Facts& facts);

}  // namespace node_rename
