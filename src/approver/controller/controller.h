// SPDX-License-Identifier: Apache-2.0
// The controller: watches the cluster, judges the affected requests and approves the valid ones.
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

// Connects the four jobs. Watches and Inventory report changes to the Agenda, and Judging handles
// the requests that the Agenda queues. reports::OperatorKeeper writes the status of the
// ClusterOperator. Run joins all threads before it returns or throws.
class Controller {
 public:
  // `host` must outlive the controller.
  Controller(Settings settings, Clusters clusters, host::Host& host);
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  // Starts the watches immediately, approves while it holds the Lease, and returns on a stop
  // request. In the shadow mode it approves no request and writes no object. Throws
  // base::Error(kOther) if the Lease is lost, and std::system_error if a thread cannot be started.
  // When it returns or throws, all its threads have ended.
  void Run(const std::stop_token& stop);

  // Returns whether the requests and Nodes are listed, and the Machines are listed or known to be
  // unavailable.
  bool Synced() const { return readiness_.Reached(); }
  // Returns what the approver would decide about a pending request now (Judging::Preview).
  std::optional<judgement::Verdict> Preview(const std::string& request) const {
    return judging_.Preview(request);
  }
  // Returns whether an inventory lists this endorsement key (judgement::Machine::endorsement_key).
  bool HasEndorsementKey(const std::string& key) { return agenda_.store().HasEndorsementKey(key); }
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
