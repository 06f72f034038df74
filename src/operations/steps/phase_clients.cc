// SPDX-License-Identifier: Apache-2.0
#include "steps/phase_clients.h"

#include <string>
#include <utility>

#include "kube/noted_transport.h"

namespace steps {

PhaseClients::PhaseClients(std::shared_ptr<kube::Transport> transport, host::Clock& clock,
                           kube::RetryPolicy retry)
    : transport_(std::move(transport)), clock_(clock), retry_(retry) {}

kube::Client& PhaseClients::Of(workflow::Context& phase) {
  std::unique_ptr<kube::Client>& client = clients_[&phase];
  if (!client) {
    client = std::make_unique<kube::Client>(
        kube::NoteRetries(transport_, [&phase](const std::string& why) { phase.Retry(why); }),
        clock_, retry_, phase.Stop());
  }
  return *client;
}

}  // namespace steps
