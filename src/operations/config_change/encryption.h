// SPDX-License-Identifier: Apache-2.0
// The keys with which the API server writes to etcd: what was written with some cannot be read with
// others, so that a change of them has no way back of its own
// (https://kubernetes.io/docs/tasks/administer-cluster/encrypt-data/).
#pragma once

#include "config_change/plan.h"
#include "host/files.h"

namespace config_change {

// RequireSameKeysToTry throws base::Error(kInvalid) for a plan that gives the API server of this
// node another encryption-provider-config: a trial might end when objects were written with it.
void RequireSameKeysToTry(const Plan& plan, const host::Files& files);

// RequireSameKeysToUndo throws base::Error(kConflict), saying what to do first, where the change
// that the journal has gave the API server another one.
void RequireSameKeysToUndo(const host::Files& files);

}  // namespace config_change
