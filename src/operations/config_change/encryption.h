// SPDX-License-Identifier: Apache-2.0
// The API server's encryption keys for etcd: objects written with some cannot be read with others,
// so that a change of keys cannot be rolled back automatically
// (https://kubernetes.io/docs/tasks/administer-cluster/encrypt-data/).
#pragma once

#include <string_view>

#include "config_change/plan.h"
#include "host/files.h"

namespace config_change {

// Throws base::Error(kInvalid) for a plan that gives the API server of this node another
// encryption-provider-config: a trial might end after objects were written with it.
void RequireSameKeysToTry(const Plan& plan, const host::Files& files);

// Throws base::Error(kConflict), with the first remedy, if the API server's one differs from that
// in the manifest that an upgrade::Record in that file would restore.
void RequireSameKeysToUndo(const host::Files& files, std::string_view record_file);

}  // namespace config_change
