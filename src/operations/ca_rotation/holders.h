// SPDX-License-Identifier: Apache-2.0
// Whom each file of a node trusts, and who has signed it.
#pragma once

#include <optional>
#include <vector>

#include "ca_rotation/place.h"

namespace ca_rotation {

// ReadHolders looks at all files. `fresh` is the new authority where it does not lie on this node.
std::vector<Holder> ReadHolders(const Place& place, const std::optional<Anchor>& fresh);

}  // namespace ca_rotation
