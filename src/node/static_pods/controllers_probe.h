// SPDX-License-Identifier: Apache-2.0
// The controller manager once its controllers have started.
#pragma once

#include <string>

#include "host/clock.h"
#include "kube/wait.h"

namespace static_pods {

// ControllersProbe asks the controller manager's health check at `url` for the list of what it
// checks. The program answers as soon as it runs, makes its controllers once it leads, and ends
// when one of them cannot start; only then are they in the list. A controller manager that is
// healthy for a minute without controllers passes: it may be told to run none, or not lead. The
// clock outlives the probe. Not for use by several threads at a time.
kube::Probe ControllersProbe(const std::string& url, const host::Clock& clock);

// ListsControllers tells whether a health check's answer ("[+]leaderElection ok" in lines) names
// more than the leader election.
bool ListsControllers(const std::string& answer);

}  // namespace static_pods
