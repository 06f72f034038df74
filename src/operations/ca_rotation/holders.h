// SPDX-License-Identifier: Apache-2.0
// The trusted authorities and the signer of each file of a node.
#pragma once

#include <optional>
#include <vector>

#include "ca_rotation/place.h"

namespace ca_rotation {

// Reads all files. `fresh` is the new authority if it is not on this node.
std::vector<Holder> ReadHolders(const Place& place, const std::optional<Anchor>& fresh);

}  // namespace ca_rotation
