// SPDX-License-Identifier: Apache-2.0
// The API server's encryption keys for etcd. Objects written with the keys of one file cannot be
// read with the keys of another file. So a change of keys cannot be rolled back automatically
// (https://kubernetes.io/docs/tasks/administer-cluster/encrypt-data/).
#pragma once

#include <optional>

#include "config_change/plan.h"
#include "host/files.h"
#include "json/fwd.h"

namespace config_change {

// Throws base::Error(kInvalid) if a trial would change the API server's encryption-provider-config
// on this node. Objects may be encrypted with the new keys during the trial. A rollback would make
// these objects unreadable.
void RequireSameKeysToTry(const Plan& plan, const host::Files& files);

// Throws base::Error(kConflict), with the remedy, if a rollback would change the API server's
// encryption-provider-config. `old` is the Pod that the rollback would restore; std::nullopt if it
// restores none.
void RequireSameKeysToUndo(const host::Files& files, const std::optional<json::Value>& old);

}  // namespace config_change
