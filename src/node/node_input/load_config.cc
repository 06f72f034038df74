// SPDX-License-Identifier: Apache-2.0
#include "node_input/load_config.h"

#include <utility>

#include "config/version.h"
#include "node_input/config_facts.h"

namespace node_input {

config::Init LoadInit(host::Host& host, const std::string& path, config::InitFlags flags,
                      config::CriSocketChoice socket) {
  const config::Facts facts = CollectFacts(host);
  if (!path.empty()) {
    return config::LoadInit(ReadSource(host, path), facts, {.cri_socket = socket});
  }
  if (!flags.kubernetes_version) {
    flags.kubernetes_version = std::string(config::kKubeadmVersion);
  }
  return config::InitFromFlags(flags, facts, socket);
}

}  // namespace node_input
