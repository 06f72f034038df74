// SPDX-License-Identifier: Apache-2.0
// Collects the trusted authorities and the signer of each file of a node.
#pragma once

#include <optional>
#include <vector>

#include "ca_rotation/place.h"

namespace ca_rotation {

// Reads all files that depend on the authority. `fresh` is the new authority, if its key pair is
// not on this node.
std::vector<Holder> ReadHolders(const AuthorityFiles& place, const std::optional<Anchor>& fresh);

}  // namespace ca_rotation
