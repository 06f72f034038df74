// SPDX-License-Identifier: Apache-2.0
// A probe that succeeds once the controller manager has started its controllers.
#pragma once

#include <string>

#include "host/clock.h"
#include "kube/wait.h"

namespace static_pods {

// Queries the controller manager's health check at `url` for its list of checks. The program
// answers as soon as it runs. It creates its controllers when it becomes the leader, and exits if
// one of them cannot start. Only started controllers are in the list. A controller manager that is
// healthy for a minute without controllers passes: it may be configured to run none, or not to
// lead. The clock must outlive the probe. Not thread-safe.
kube::Probe ControllersProbe(const std::string& url, const host::Clock& clock);

// Returns whether a health check's answer ("[+]leaderElection ok" in lines) names more than the
// leader election.
bool ListsControllers(const std::string& answer);

}  // namespace static_pods
