// SPDX-License-Identifier: Apache-2.0
// Taking back a change that is done, after which others may have changed the same things.
#pragma once

#include "config_change/apply.h"

namespace config_change {

// Undo takes the change back when its turn comes (turn.h), stops its keeper, and forgets it. Where
// this node or what the cluster stores is no longer as the change has left it, it throws
// base::Error(kConflict) with the reasons and touches nothing, and so it does where objects may
// have been encrypted with keys that would go (encryption.h); a change that was cut off has left
// nothing that could be compared.
//
// Where the cluster does not answer, this node is put back first, for which nobody else need
// answer: the change may be why. What is stored follows by the same call once it answers, unless it
// has become another one, which stays then.
void Undo(Change change, const Engine& engine);

}  // namespace config_change
