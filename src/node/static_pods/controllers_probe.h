// SPDX-License-Identifier: Apache-2.0
// A probe that succeeds once the controller manager has started its controllers.
#pragma once

#include <string>

#include "host/clock.h"
#include "kube/wait.h"

namespace static_pods {

// Returns a probe that succeeds once the controllers of the controller manager have started. It
// reads the list of checks from the health check at `url`. The controller manager answers this
// check as soon as it runs. It creates its controllers only when it becomes the leader, and exits
// if one of them cannot start. Only started controllers are in the list. A controller manager that
// is healthy for a minute without controllers passes, too: it may be configured to run none, or
// another instance may be the leader. The clock must outlive the probe. Not thread-safe.
kube::Probe ControllersProbe(const std::string& url, const host::Clock& clock);

// Returns whether a health check's answer (lines such as "[+]leaderElection ok") names any check
// other than the leader election.
bool ListsControllers(const std::string& answer);

}  // namespace static_pods
