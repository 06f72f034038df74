// SPDX-License-Identifier: Apache-2.0
// Rolls back a failed join's changes for this node's etcd: member, manifest, data.
#pragma once

#include <filesystem>
#include <string>

#include "etcd_membership/join.h"

namespace etcd_membership {

// Removes the member, if it is a learner or never started, then its manifest. With `data_is_own`,
// also deletes the member's data after its process has ended: etcd does not start with data of a
// removed member. Leaves a voting member unchanged, because the cluster's majority counts it. Also
// leaves a member of unknown state: a repeated join continues with it. Warns of remaining parts,
// and never throws: the failure of the join is the relevant error.
void RollbackJoin(const Joining& joining, const JoiningNode& node, bool data_is_own);

}  // namespace etcd_membership
