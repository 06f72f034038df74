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

// Places are where a configuration may come from.
struct Places {
  std::string file;        // wins if it is not empty
  std::string kubeconfig;  // of the cluster
  std::string cert_dir;    // takes the place of the cluster's and of the default directory
  // How long a cluster that does not answer is asked; not set: hardly.
  std::chrono::milliseconds patience = {};
  // What takes the place of a cluster's configuration that cannot be read: the defaults, or nothing
  // for whom another cluster's answer would be wrong.
  enum class Otherwise { kDefaults, kNothing } otherwise = Otherwise::kDefaults;
};

// Listener hears which configuration it was; each may be empty.
struct Listener {
  base::ShowLine found;                 // that it is the cluster's; one line is empty
  base::ShowLine trouble;               // that the cluster is waited for, that it is the defaults
  std::function<void()> defaults = {};  // called when the defaults are taken
};

// LoadOrDefault reads the file; without one what the cluster keeps of its configuration; when that
// cannot be read in time, it is the defaults (reference: pki.md §6). No address is looked for:
// nothing here depends on it. Throws base::Error like config_input::LoadInit, and with
// Otherwise::kNothing why the cluster's configuration cannot be read.
config::Init LoadOrDefault(const Places& places, host::Host& host, const Listener& listener);

}  // namespace stored_config
