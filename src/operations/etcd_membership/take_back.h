// SPDX-License-Identifier: Apache-2.0
// Taking back what a join that failed has done for this node's etcd: member, manifest, data.
#pragma once

#include <filesystem>
#include <string>

#include "etcd_membership/join.h"

namespace etcd_membership {

// TakeBack removes the member, if it is a learner or never started, then its manifest, and, when
// the data are its own, deletes them after its process has ended: with data of a removed
// member no etcd starts again. A member that votes stays whole, since the cluster counts on it, and
// so does one of which nobody can tell: the same join, given again, goes on with it. Warns of what
// stays, and never throws: the failure of the join is what counts.
void TakeBack(const Joining& joining, const Node& node, bool data_is_own);

}  // namespace etcd_membership
