// SPDX-License-Identifier: Apache-2.0
// The controller manager once its controllers have started.
#pragma once

#include <string>

#include "host/clock.h"
#include "kube/wait.h"

namespace static_pods {

// Queries the controller manager's health check at `url` for its list of checks. The program
// answers as soon as it runs, creates its controllers once it leads, and ends if one of them cannot
// start; only then are they in the list. A controller manager that is healthy for a minute without
// controllers passes: it may be configured to run none, or not to lead. The clock must outlive the
// probe. Not thread-safe.
kube::Probe ControllersProbe(const std::string& url, const host::Clock& clock);

// Returns whether a health check's answer ("[+]leaderElection ok" in lines) names more than the
// leader election.
bool ListsControllers(const std::string& answer);

}  // namespace static_pods
