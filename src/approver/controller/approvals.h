// SPDX-License-Identifier: Apache-2.0
// Approval: the last checks, the records that precede the write, and the write.
#pragma once

#include <chrono>
#include <stop_token>

#include "controller/agenda.h"
#include "controller/settings.h"
#include "evidence/node_bindings.h"
#include "judgement/judge.h"
#include "kube/client.h"
#include "reports/audit_log.h"
#include "reports/events.h"
#include "reports/metrics.h"
#include "requests/store.h"

namespace controller {

class Shadow;

// The sinks of verdicts: Events and metrics; in the shadow mode `shadow` instead of Events.
struct Reports {
  reports::Metrics& metrics;
  reports::EventWriter& events;
  Shadow* shadow = nullptr;
  reports::AuditLog* audit = nullptr;  // null: no audit log

  // Adds a line to the audit log, if there is one.
  void Audit(const judgement::Csr& csr, const judgement::Verdict& verdict, reports::Effect effect,
             std::chrono::sys_seconds now) const;
};

// Makes approvals. Thread-safe; its references must outlive it.
class Approvals {
 public:
  Approvals(const Settings& settings, kube::Transport& workload, evidence::NodeBindings& bindings,
            Agenda& agenda, Reports reports);

  // Approves the request. If another request of the node is being approved, or the judged state has
  // changed, queues the request again instead. Throws base::Error with the server's kind if a write
  // fails; the node's other requests are then due, too.
  void Approve(const requests::Gathered& gathered, const judgement::Verdict& verdict,
               const std::stop_token& stop);

 private:
  // Each method that returns bool returns whether the approval was made, or may still be made.
  bool Make(const requests::Gathered& gathered, const judgement::Verdict& verdict,
            const std::stop_token& stop);
  // Binds the addresses of the request to a Node that attested itself. Binds no address for a
  // request without addresses, because the node could otherwise never get an address.
  bool BindAddresses(const requests::Gathered& gathered, const std::stop_token& stop);
  // Records that `user` (judgement::UseIdOf) has used a one-time entry.
  bool UseUp(const judgement::Machine& entry, const std::string& user, const std::stop_token& stop);
  bool Write(const judgement::Csr& csr, const std::stop_token& stop);
  void NotThere(const judgement::Csr& csr);
  void Done(const judgement::Csr& csr);

  const Settings& settings_;
  kube::Transport& workload_;
  evidence::NodeBindings& bindings_;
  Agenda& agenda_;
  Reports reports_;
};

}  // namespace controller
