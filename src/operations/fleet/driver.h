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

// Drives one operation. At most one driver may run in a cluster at a time; it may be killed at any
// point, and another one continues.
class FleetDriver {
 public:
  FleetDriver(ClusterOperation operation, FleetDeps deps);

  // Makes one pass without waiting, and returns the state before its actions. If a drain failed in
  // this pass, its task has stage kFailed, and its node is uncordoned. Throws base::Error:
  // kConflict if the cluster has Jobs of this operation with another spec; kInvalid without nodes;
  // and with the server's kind. A pass that has thrown may be repeated.
  FleetProgress Advance();

  // Deletes the Jobs of failed tasks and of their rollbacks, so that the next pass starts them
  // again.
  void RemoveFailedJobs();
  // Deletes all Jobs of the operation, and the Secret that they share.
  void RemoveJobs();
  // Ends the operation in its present state. Returns false if a Job still runs; otherwise uncordons
  // the operation's nodes and returns true. Uses only the operation's name and UID. Throws
  // base::Error with the server's kind.
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
