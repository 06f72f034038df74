// SPDX-License-Identifier: Apache-2.0
// The restart of a host by a Job on it. The Job's Pod ends with the host, and is replaced
// afterwards.
#pragma once

#include <string>

#include "base/show_line.h"
#include "host/host.h"

namespace fleet {

struct RebootRequest {
  std::string id;            // a repeated request has the same id
  bool if_required = false;  // only if /var/run/reboot-required exists
};

// Restarts this host once for each id. Blocks until the restart ends this process. The first run
// with the same id after the restart returns immediately. A run with `if_required` also returns
// immediately if no restart is required. The id and the kernel's boot id are on disk, so that a run
// that was killed at any point may be repeated. Throws base::Interrupted on a stop request, which
// the restart itself may cause. Throws base::Error(kOther) if the host's command fails, and
// base::Error(kTimeout) if the host still runs ten minutes after the command.
void RebootOnce(host::Host& host, const RebootRequest& request, const base::ShowLine& say);

}  // namespace fleet
