// SPDX-License-Identifier: Apache-2.0
// Approving: the last looks, what is noted before, and the write.
#pragma once

#include <stop_token>

#include "controller/agenda.h"
#include "controller/settings.h"
#include "evidence/node_bindings.h"
#include "judgement/judge.h"
#include "kube/client.h"
#include "reports/events.h"
#include "reports/metrics.h"
#include "requests/store.h"

namespace controller {

// Reports are where verdicts are told and counted.
struct Reports {
  reports::Metrics& metrics;
  reports::EventWriter& events;
};

// Approvals makes approvals. Thread-safe; all that is given outlives it.
class Approvals {
 public:
  Approvals(const Settings& settings, kube::Transport& workload, evidence::NodeBindings& bindings,
            Agenda& agenda, Reports reports);

  // Approve approves, unless another request of the node is approved at the same time or what was
  // judged is no longer so: then the request is queued again. Throws base::Error when something
  // cannot be written; the node's other requests are due then, too.
  void Approve(const requests::Gathered& gathered, const judgement::Verdict& verdict,
               const std::stop_token& stop);

 private:
  // The rest returns whether the approval is, or may be, made.
  bool Make(const requests::Gathered& gathered, const judgement::Verdict& verdict,
            const std::stop_token& stop);
  // BindAddresses notes which addresses the Node has that vouched for itself. A request without any
  // binds none: it would have none for ever.
  bool BindAddresses(const requests::Gathered& gathered, const std::stop_token& stop);
  // UseUp notes that a one-time entry has vouched.
  bool UseUp(const judgement::Machine& entry, const judgement::Csr& csr,
             const std::stop_token& stop);
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
