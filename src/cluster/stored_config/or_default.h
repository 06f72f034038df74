// SPDX-License-Identifier: Apache-2.0
// The configuration for a command on a node whose cluster may be down.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "base/show_line.h"
#include "config/types.h"
#include "host/host.h"

namespace stored_config {

// The possible sources of a configuration.
struct Places {
  std::string file;        // takes precedence if it is not empty
  std::string kubeconfig;  // of the cluster
  std::string cert_dir;    // replaces the cluster's and the default directory
  // How long a silent cluster is polled; not set: briefly.
  std::chrono::milliseconds patience = {};
  // The substitute for an unreadable stored configuration: the defaults, or an error for callers
  // that must not use another configuration.
  enum class Otherwise { kDefaults, kNothing } otherwise = Otherwise::kDefaults;
};

// Receives the source of the configuration; each may be empty.
struct Listener {
  base::ShowLine found;                 // it is the cluster's; one line is empty
  base::ShowLine trouble;               // the cluster is waited for, or the defaults are used
  std::function<void()> defaults = {};  // called when the defaults are used
};

// Reads the file; without one the stored configuration; if that is unreadable in time, returns the
// defaults (reference: pki.md §6). Searches no address, which is irrelevant here. Throws
// base::Error like config_input::LoadInit, and with Otherwise::kNothing why the stored
// configuration is unreadable.
config::Init LoadOrDefault(const Places& places, host::Host& host, const Listener& listener);

}  // namespace stored_config
