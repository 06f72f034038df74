// SPDX-License-Identifier: Apache-2.0
// A drawing of an operation's run.
#pragma once

#include <chrono>
#include <string>

#include "json/fwd.h"
#include "kube/client.h"
#include "workflow/timeline/run.h"

namespace fleet {

// Converts the times in a ClusterOperation's status, which have a resolution of one second, into a
// run: a bar for each node and step that has begun. Unfinished bars end at `now`. Throws
// base::Error(kNotFound) if no node has begun.
timeline::RunRecord RunOf(const json::Value& object, std::chrono::sys_seconds now);

// Reads the ClusterOperation and returns its run. Throws the errors of RunOf and of kube::Client.
timeline::RunRecord CollectRun(kube::Client& client, const std::string& name,
                               std::chrono::sys_seconds now);

}  // namespace fleet
