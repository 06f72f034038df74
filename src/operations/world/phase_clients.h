// SPDX-License-Identifier: Apache-2.0
// The clients with which the phases of a run talk to one API server.
#pragma once

#include <map>
#include <memory>

#include "host/clock.h"
#include "kube/client.h"
#include "workflow/context.h"

namespace world {

// PhaseClients share a transport; each phase has a client of its own, whose failed tries are
// retries of that phase and which ends when the phase has to. Not thread-safe.
class PhaseClients {
 public:
  // The clock outlives it.
  PhaseClients(std::shared_ptr<kube::Transport> transport, host::Clock& clock,
               kube::RetryPolicy retry);

  // Of is for use as long as `phase` runs.
  kube::Client& Of(workflow::Context& phase);

 private:
  std::shared_ptr<kube::Transport> transport_;
  host::Clock& clock_;
  kube::RetryPolicy retry_;
  // By address: where the context of a phase that has ended was, there may be another one's, and
  // then that is whom the client tells.
  std::map<const workflow::Context*, std::unique_ptr<kube::Client>> clients_;
};

}  // namespace world
