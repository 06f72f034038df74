// SPDX-License-Identifier: Apache-2.0
// The API server's encryption keys for etcd: objects written with some cannot be read with others,
// so that a change of keys cannot be rolled back automatically
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

// Throws base::Error(kConflict), with the first remedy, if the API server's present
// encryption-provider-config differs from that of `old`, the Pod that a rollback would restore;
// std::nullopt: no Pod is restored.
void RequireSameKeysToUndo(const host::Files& files, const std::optional<json::Value>& old);

}  // namespace config_change
