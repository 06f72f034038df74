// SPDX-License-Identifier: Apache-2.0
// The approval of a request: the last checks, the records that precede the approval, and the API
// call.
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

// The receivers of verdicts: metrics, Events and the audit log. In the shadow mode, `shadow`
// receives verdicts instead of Events.
struct Reports {
  reports::Metrics& metrics;
  reports::EventWriter& events;
  Shadow* shadow = nullptr;
  reports::AuditLog* audit = nullptr;  // null: no audit log

  // Adds a line to the audit log, if there is one.
  void Audit(const judgement::Csr& csr, const judgement::Verdict& verdict, reports::Effect effect,
             std::chrono::sys_seconds now) const;
};

// Makes approvals. Thread-safe. All references must outlive the object.
class Approvals {
 public:
  Approvals(const Settings& settings, kube::Transport& workload, evidence::NodeBindings& bindings,
            Agenda& agenda, Reports reports);

  // Approves the request. Queues the request again instead if one of these has changed since the
  // verdict: the request, the certificates in flight, the Node's binding, the use of a one-time
  // entry. Does nothing after a stop request. Throws the errors of kube::Transport if a write
  // fails. Without an approval, also queues the node's other requests.
  void Approve(const requests::Gathered& gathered, const judgement::Verdict& verdict,
               const std::stop_token& stop);

 private:
  // Make and Write return whether the approval was made. BindAddresses and UseUp return whether the
  // approval may be made.
  bool Make(const requests::Gathered& gathered, const judgement::Verdict& verdict,
            const std::stop_token& stop);
  // Binds the request's addresses to a Node that attests itself, unless all of them are bound
  // already. A request without addresses changes no binding.
  bool BindAddresses(const requests::Gathered& gathered, const std::stop_token& stop);
  // Records that `user` (judgement::UseIdOf) has used a one-time entry.
  bool UseUp(const judgement::Machine& entry, const std::string& user, const std::stop_token& stop);
  bool Write(const requests::Pending& pending, const std::stop_token& stop);
  // Handles an approval that the API server refused because the request has changed since its
  // judgement. If the request is approved, an earlier attempt of ours may have done it.
  void Changed(const judgement::Csr& csr, const std::stop_token& stop);
  void NotThere(const judgement::Csr& csr);
  void Done(const judgement::Csr& csr);

  const Settings& settings_;
  kube::Transport& workload_;
  evidence::NodeBindings& bindings_;
  Agenda& agenda_;
  Reports reports_;
};

}  // namespace controller
