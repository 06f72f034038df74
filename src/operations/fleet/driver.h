// SPDX-License-Identifier: Apache-2.0
// Execution of an operation: passes that collect facts, plan the next actions and do them.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "fleet/cluster_operation.h"
#include "fleet/job.h"
#include "fleet/progress.h"
#include "host/clock.h"
#include "kube/client.h"

namespace fleet {

// The Lease, in the namespace of the Jobs, whose holder drives operations.
inline constexpr std::string_view kOperationsLease = "slipway-fleet";

// The dependencies of a driver, which must outlive it.
struct FleetDeps {
  kube::Client& client;
  const host::Clock& clock;
  host::Random& random;
  JobSettings settings;
};

// Drives one operation. At most one driver may run in a cluster at a time. A driver may be killed
// at any point; another driver then continues the operation.
class FleetDriver {
 public:
  FleetDriver(ClusterOperation operation, FleetDeps deps);

  // Makes one pass without waiting, and returns the state from before the pass's actions. If a
  // drain failed in this pass, the state includes the failure: its task has stage kFailed, and its
  // node is uncordoned. Throws base::Error: kConflict if the cluster has Jobs of this operation
  // with another spec; kInvalid if the operation has no nodes; and the errors of kube::Client. The
  // caller may repeat a pass that has thrown.
  FleetProgress Advance();

  // Deletes the Jobs of failed tasks and the Jobs of their rollbacks. The next pass then starts
  // these tasks again.
  void RemoveFailedJobs();
  // Deletes all Jobs of the operation, and the Secret that they share.
  void RemoveJobs();
  // Ends the operation in its present state. Returns false if a Job of the operation still runs.
  // Otherwise uncordons the operation's nodes and returns true. Uses only the operation's name and
  // UID. Throws the errors of kube::Client.
  bool Release();
  // Pauses the operation, or resumes it.
  void SetPaused(bool paused) { operation_.spec.paused = paused; }

 private:
  FleetFacts Collect() const;
  std::string CollectHold(std::chrono::sys_seconds now) const;
  void RemoveJobsIf(bool (*chosen)(const TaskJob& job));
  void Apply(const FleetAction& action, const FleetFacts& facts, FleetProgress& progress);
  void Drain(const FleetAction& action, const FleetNode& node, TaskProgress& progress,
             std::chrono::sys_seconds now);
  void Start(const NodeTask& task);
  void RemoveKey();

  ClusterOperation operation_;
  const FleetDeps deps_;
  std::map<std::string, std::string> failures_;  // FleetFacts::failures
};

}  // namespace fleet
