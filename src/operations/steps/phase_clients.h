// SPDX-License-Identifier: Apache-2.0
// The clients of a run's phases for one API server.
#pragma once

#include <map>
#include <memory>

#include "host/clock.h"
#include "kube/client.h"
#include "workflow/context.h"

namespace steps {

// Clients that share one transport. Each phase has its own client, which reports failed attempts as
// retries of this phase. All clients live as long as this object. Not thread-safe.
class PhaseClients {
 public:
  // The clock must outlive it.
  PhaseClients(std::shared_ptr<kube::Transport> transport, host::Clock& clock,
               kube::RetryPolicy retry);

  // Returns the phase's client, for use while `phase` runs.
  kube::Client& Of(workflow::Context& phase);

 private:
  std::shared_ptr<kube::Transport> transport_;
  host::Clock& clock_;
  kube::RetryPolicy retry_;
  // The clients by the address of the phase's context. A new phase whose context has the address of
  // a finished phase's context reuses the client, which then reports to the new phase.
  std::map<const workflow::Context*, std::unique_ptr<kube::Client>> clients_;
};

}  // namespace steps
