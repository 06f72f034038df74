// SPDX-License-Identifier: Apache-2.0
// The controller: watches, judges what changed, approves.
#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "controller/agenda.h"
#include "controller/inventory.h"
#include "controller/judging.h"
#include "controller/readiness.h"
#include "controller/settings.h"
#include "controller/shadow.h"
#include "controller/watches.h"
#include "host/host.h"
#include "reports/audit_log.h"
#include "reports/events.h"
#include "reports/metrics.h"

namespace controller {

// Connects the four jobs: watches and inventory report to the agenda, judging empties it, and
// reports::OperatorKeeper reports the approver's state to the cluster. Their threads belong to the
// groups of Run, so that all end after any exception.
class Controller {
 public:
  // `host` must outlive it.
  Controller(Settings settings, Clusters clusters, host::Host& host);
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  // Starts the watches immediately, approves while it holds the Lease, and returns on a stop
  // request. In the shadow mode it approves no request and writes no object. Throws
  // base::Error(kOther) if the Lease is lost, and std::system_error if a thread cannot be started.
  // When it returns or throws, all its threads have ended.
  void Run(const std::stop_token& stop);

  // Returns whether requests and Nodes are listed. Machines must be listed, too, or the reason for
  // their absence must be known.
  bool Synced() const { return readiness_.Reached(); }
  // Returns the present metrics.
  std::string MetricsText();

 private:
  void LeadElected(const std::stop_token& stop);
  void Lead(const std::stop_token& stop);

  const Settings settings_;
  const Clusters clusters_;
  host::Host& host_;
  reports::EventTarget events_target_;
  reports::Metrics metrics_;
  reports::EventWriter events_;
  Readiness readiness_;
  std::optional<reports::AuditLog> audit_;
  Agenda agenda_;
  std::optional<Shadow> shadow_;  // set in the shadow mode
  Watches watches_;
  Inventory inventory_;
  Judging judging_;
};

}  // namespace controller
