// SPDX-License-Identifier: Apache-2.0
// The keys with which the API server writes to etcd: what was written with some cannot be read with
// others, so that a change of them has no way back of its own
// (https://kubernetes.io/docs/tasks/administer-cluster/encrypt-data/).
#pragma once

#include <string_view>

#include "config_change/plan.h"
#include "host/files.h"

namespace config_change {

// RequireSameKeysToTry throws base::Error(kInvalid) for a plan that gives the API server of this
// node another encryption-provider-config: a trial might end when objects were written with it.
void RequireSameKeysToTry(const Plan& plan, const host::Files& files);

// RequireSameKeysToUndo throws base::Error(kConflict), saying what to do first, where the API
// server has another one than in the manifest that an upgrade::Record in that file would put back.
void RequireSameKeysToUndo(const host::Files& files, std::string_view record_file);

}  // namespace config_change
