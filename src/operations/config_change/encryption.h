// SPDX-License-Identifier: Apache-2.0
// The API server's encryption keys for etcd. Objects written with the keys of one file cannot be
// read with those of another. So a change of keys cannot be rolled back automatically.
// (https://kubernetes.io/docs/tasks/administer-cluster/encrypt-data/).
#pragma once

#include <optional>

#include "config_change/plan.h"
#include "host/files.h"
#include "json/fwd.h"

namespace config_change {

// Throws base::Error(kInvalid) for a plan that gives the API server of this node another
// encryption-provider-config: a trial might end after objects were written with it.
void RequireSameKeysToTry(const Plan& plan, const host::Files& files);

// Throws base::Error(kConflict), with the remedy, if the present encryption-provider-config of the
// API server is not the one of `old`. `old` is the Pod that a rollback would restore; std::nullopt
// if it restores none.
void RequireSameKeysToUndo(const host::Files& files, const std::optional<json::Value>& old);

}  // namespace config_change
