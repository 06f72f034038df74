// SPDX-License-Identifier: Apache-2.0
// Rolls back a failed join's changes for this node's etcd: member, manifest, data.
#pragma once

#include <filesystem>
#include <string>

#include "etcd_membership/join.h"

namespace etcd_membership {

// Removes the member, if it is a learner or never started, then its manifest. If the data are its
// own, it deletes them after the end of its process: no etcd starts with data of a removed member.
// A voting member stays complete, since the cluster counts on it. So does one of unknown state: the
// same join, repeated, continues with it. Warns of remaining parts, and never throws: the failure
// of the join is the relevant error.
void RollbackJoin(const Joining& joining, const JoiningNode& node, bool data_is_own);

}  // namespace etcd_membership
