// SPDX-License-Identifier: Apache-2.0
// What the judgement about a new name rests on. Only reads.
#pragma once

#include <string>

#include "host/host.h"
#include "kube/client.h"
#include "node_rename/judge.h"

namespace node_rename {

// GatherHere sets what this machine's files tell. Throws base::Error(kNotFound) on a machine that
// is not a node.
Facts GatherHere(const host::Host& host, const std::string& to);

// GatherCluster adds what the cluster has of the node, asked by an administrator.
void GatherCluster(kube::Client& client, Facts& facts);

}  // namespace node_rename
