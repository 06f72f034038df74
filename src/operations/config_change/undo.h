// SPDX-License-Identifier: Apache-2.0
// Rollback of a completed change, after which other changes may have been made.
#pragma once

#include "config_change/apply.h"

namespace config_change {

// Rolls the change back when its turn comes (turn.h), stops its keeper, and deletes the journal.
// Throws base::Error(kConflict) with the reasons, without any change, if this node or the stored
// configuration no longer matches the change's results. So it does if objects may have been
// encrypted with keys that would be removed (encryption.h). An interrupted change has no results to
// compare.
//
// If the cluster does not answer, this node is restored first, without other nodes: the change may
// be the cause. Another call restores the stored configuration once the cluster answers, unless it
// has changed since; then it stays.
void Undo(Change change, const Engine& engine);

}  // namespace config_change
