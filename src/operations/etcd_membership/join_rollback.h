// SPDX-License-Identifier: Apache-2.0
// Rolls back a failed join's changes for this node's etcd: member, manifest, data.
#pragma once

#include <filesystem>
#include <string>

#include "etcd_membership/join.h"

namespace etcd_membership {

// Removes the member, if it is a learner or never started, then its manifest. With `data_is_own`,
// also deletes the member's data after its process has ended, because etcd does not start with the
// data of a removed member. Keeps a voting member, because the cluster's majority counts it. Keeps
// a member of unknown state, with which a repeated join continues. Warns about parts that remain.
// Never throws, because the failure of the join is the relevant error.
void RollbackJoin(const Joining& joining, const JoiningNode& node, bool data_is_own);

}  // namespace etcd_membership
