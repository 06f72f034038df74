// SPDX-License-Identifier: Apache-2.0
// The controller: watches, judges what changed, approves.
#pragma once

#include <stop_token>
#include <string>

#include "controller/agenda.h"
#include "controller/inventory.h"
#include "controller/judging.h"
#include "controller/readiness.h"
#include "controller/settings.h"
#include "controller/watches.h"
#include "host/host.h"
#include "kube/leader_election.h"
#include "reports/events.h"
#include "reports/metrics.h"

namespace controller {

// Controller wires the four jobs: watches and inventory tell the agenda, judging works it off, and
// reports::OperatorKeeper tells the cluster how the approver is. Their threads are of the groups of
// Run, so that none is left whatever is thrown.
class Controller {
 public:
  // `host` outlives it.
  Controller(Settings settings, Clusters clusters, host::Host& host);
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  // Run watches at once, approves while it holds the lease, and returns when asked to stop. Throws
  // base::Error when the lease is lost, and std::system_error when there are no threads left:
  // everything in flight has ended by then, and so have all threads.
  void Run(const std::stop_token& stop);

  // Synced: requests and nodes are listed, and machines are, or it is known why not.
  bool Synced() const { return readiness_.Reached(); }
  // MetricsText is the metrics of now.
  std::string MetricsText();

 private:
  void LeadElected(const std::stop_token& stop);
  // LeadWhileHeld holds the lease and leads; true when it ended otherwise than by losing it.
  bool LeadWhileHeld(kube::LeaderElector& elector, const std::stop_token& stop);
  void Lead(const std::stop_token& stop);

  const Settings settings_;
  const Clusters clusters_;
  host::Host& host_;
  reports::EventTarget events_target_;
  reports::Metrics metrics_;
  reports::EventWriter events_;
  Readiness readiness_;
  Agenda agenda_;
  Watches watches_;
  Inventory inventory_;
  Judging judging_;
};

}  // namespace controller
