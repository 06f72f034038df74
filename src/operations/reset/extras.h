// SPDX-License-Identifier: Apache-2.0
// What `reset --all` takes back besides the node itself: rules and links of the network, and the
// user's kubeconfigs.
#pragma once

#include <string>
#include <vector>

#include "reset/network.h"
#include "reset/teardown.h"

namespace reset {

// Extras are what would go, and what looks like it and is kept.
struct Extras {
  std::vector<NetworkStep> network = {};
  std::vector<fs::path> kubeconfigs = {};  // that lead to this cluster and nowhere else
  std::vector<std::string> kept = {};      // with the reason, a sentence each

  // Names has each as the user is asked about it; empty: there is nothing to take back.
  std::vector<std::string> Names() const;
};

// FindExtras looks; it changes nothing.
Extras FindExtras(const Teardown& teardown);

// RemoveExtras takes them back; returns what failed and why. One failure stops no other.
std::vector<std::string> RemoveExtras(const Extras& extras, host::Host& host);

}  // namespace reset
