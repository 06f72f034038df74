// SPDX-License-Identifier: Apache-2.0
// The configuration for a command on a node whose cluster may be down.
#pragma once

#include <string>

#include "base/show_line.h"
#include "config/types.h"
#include "host/host.h"

namespace stored_config {

// Places are where a configuration may come from.
struct Places {
  std::string file;        // wins if it is not empty
  std::string kubeconfig;  // of the cluster
  std::string cert_dir;    // takes the place of the cluster's and of the default directory
};

// LoadOrDefault reads the file; without one what the cluster keeps of its configuration; when that
// cannot be read soon, it is the defaults (reference: pki.md §6). No address is looked for: nothing
// here depends on it. `say` gets the lines that tell which it was; one of them is empty. Throws
// base::Error like config_input::LoadInit.
config::Init LoadOrDefault(const Places& places, host::Host& host, const base::ShowLine& say);

}  // namespace stored_config
