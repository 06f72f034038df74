// SPDX-License-Identifier: Apache-2.0
// A whole run of an operation, from one terminal.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/show_line.h"
#include "fleet/cluster_operation.h"
#include "fleet/job.h"
#include "host/clock.h"
#include "kube/client.h"

namespace fleet {

// The dependencies of a run, which must outlive it. The client must retry for as long as an outage
// of the API server may last.
struct RunDeps {
  kube::Client& client;
  host::Clock& clock;
  host::Random& random;
  JobSettings settings;
  // The name of this process as the holder of the Lease.
  std::string identity;
  base::ShowLine say;  // receives a line for each change of a node's state
  // Receives the spans of the operation when it ends (fleet/trace.h); may be empty.
  std::function<void(const std::vector<otlp::Span>& spans)> on_end = {};
};

// Runs the operation to its end while it holds the Lease for all operations, then deletes the
// operation's Jobs. Creates the Jobs' namespace if it is missing. Restarts failed Jobs of an
// earlier run. Waits without a limit for the nodes. Throws base::Error: kOther with the causes if a
// node has failed; kConflict if the Lease is lost; and the errors of FleetDriver. Throws
// base::Interrupted on a stop request; running Jobs continue.
void RunOperation(const ClusterOperation& operation, const RunDeps& deps,
                  const std::stop_token& stop);

}  // namespace fleet
