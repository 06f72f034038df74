// SPDX-License-Identifier: Apache-2.0
#include "node_input/running_runtimes.h"

#include <string_view>

#include "config/facts.h"

namespace node_input {

std::vector<std::string> RunningRuntimes(const host::Network& network) {
  std::vector<std::string> running;
  for (const std::string_view socket : config::kKnownCriSockets) {
    if (network.Listens(std::string(socket.substr(std::string_view("unix://").size())))) {
      running.emplace_back(socket);
    }
  }
  return running;
}

}  // namespace node_input
