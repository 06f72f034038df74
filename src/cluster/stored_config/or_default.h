// SPDX-License-Identifier: Apache-2.0
// Loading of a configuration on a node whose cluster may be down.
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
  std::string file;        // takes precedence if not empty
  std::string kubeconfig;  // of the cluster
  // Replaces the certificates directory of the cluster and of the defaults.
  std::string cert_dir;
  // Timeout for a cluster that does not answer. Zero: a short default.
  std::chrono::milliseconds patience = {};
  // The substitute for an unreadable stored configuration. kDefaults: the defaults. kNothing: an
  // error, for callers that must not use the defaults.
  enum class Otherwise { kDefaults, kNothing } otherwise = Otherwise::kDefaults;
};

// Callbacks that receive the source of the configuration. Each may be empty.
struct Listener {
  // Gets lines for the user if the configuration was read from the cluster.
  base::ShowLine found;
  // Gets a line when kubeadm waits for the cluster, and when it uses the defaults.
  base::ShowLine trouble;
  std::function<void()> defaults = {};  // called when the defaults are used
};

// Loads the configuration from the file or, if no file is given, from the cluster. If the cluster's
// configuration is unreadable within the timeout, returns the defaults (reference: pki.md §6). With
// Otherwise::kNothing, throws the error of the read instead. Does not search for an advertise
// address. Also throws the errors of node_input::LoadInit.
config::Init LoadOrDefault(const Places& places, host::Host& host, const Listener& listener);

}  // namespace stored_config
