// SPDX-License-Identifier: Apache-2.0
#include "config_input/load.h"

#include <utility>

#include "config/version.h"
#include "config_input/gather.h"

namespace config_input {

config::Init LoadInit(host::Host& host, const std::string& path, config::InitFlags flags,
                      config::CriSocketChoice socket) {
  const config::Facts facts = GatherFacts(host);
  if (!path.empty()) {
    return config::LoadInit(ReadSource(host, path), facts, {.cri_socket = socket});
  }
  if (!flags.kubernetes_version) {
    flags.kubernetes_version = std::string(config::kKubeadmVersion);
  }
  return config::InitFromFlags(flags, facts, socket);
}

}  // namespace config_input
