// SPDX-License-Identifier: Apache-2.0
// The run of an operation as a drawing.
#pragma once

#include <chrono>
#include <string>

#include "json/fwd.h"
#include "kube/client.h"
#include "timeline/run.h"

namespace fleet {

// Returns the run of a ClusterOperation by the times of its status, to the second: a bar for each
// node and step that has begun. Unfinished bars end `now`. Throws base::Error(kNotFound) if no node
// has begun.
timeline::RunRecord RunOf(const json::Value& object, std::chrono::sys_seconds now);

// Reads the ClusterOperation and returns its run. Throws base::Error(kNotFound) as RunOf does, and
// with the server's kind.
timeline::RunRecord CollectRun(kube::Client& client, const std::string& name,
                               std::chrono::sys_seconds now);

}  // namespace fleet
