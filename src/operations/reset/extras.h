// SPDX-License-Identifier: Apache-2.0
// Additional objects that `reset --all` removes: rules and links of the network, and the user's
// kubeconfigs.
#pragma once

#include <string>
#include <vector>

#include "reset/network.h"
#include "reset/teardown.h"

namespace reset {

// The objects that `reset --all` removes, and similar objects that it keeps.
struct Extras {
  std::vector<NetworkStep> network = {};
  std::vector<fs::path> kubeconfigs = {};  // of users; each contains only this cluster
  std::vector<std::string> kept = {};      // the kept objects with the reason, one sentence each

  // Returns the names of the objects to remove, for the user's confirmation; an empty list if there
  // are none.
  std::vector<std::string> Names() const;
};

// Collects the extra objects. Read-only.
Extras FindExtras(const Teardown& teardown);

// Removes the extra objects. After a failed removal, continues with the next object. Returns the
// failures with their reasons.
std::vector<std::string> RemoveExtras(const Extras& extras, host::Host& host);

}  // namespace reset
