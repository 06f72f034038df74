// SPDX-License-Identifier: Apache-2.0
// Additional objects that `reset --all` removes: rules and links of the network, and the user's
// kubeconfigs.
#pragma once

#include <string>
#include <vector>

#include "reset/network.h"
#include "reset/teardown.h"

namespace reset {

// Objects to remove, and similar ones that stay.
struct Extras {
  std::vector<NetworkStep> network = {};
  std::vector<fs::path> kubeconfigs = {};  // for this cluster alone
  std::vector<std::string> kept = {};      // with the reason, a sentence each

  // Returns the name of each extra, for the user's confirmation; an empty list without extras.
  std::vector<std::string> Names() const;
};

// Read-only.
Extras FindExtras(const Teardown& teardown);

// Removes the extras. A failed removal does not stop the others. Returns the failures with their
// reasons.
std::vector<std::string> RemoveExtras(const Extras& extras, host::Host& host);

}  // namespace reset
