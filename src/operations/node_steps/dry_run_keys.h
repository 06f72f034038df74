// SPDX-License-Identifier: Apache-2.0
// What becomes of the keys of certificate authorities that a dry run has made.
#pragma once

#include <optional>
#include <string>

#include "node_steps/data.h"

namespace node_steps {

// SettleCaKeys ends a dry run: the keys of the authorities that it has written are removed again,
// or are left where they lie with `keep`. Returns which, as lines for the user; nothing when there
// are none, or on the machine itself. Throws base::Error for a file that cannot be removed.
std::optional<std::string> SettleCaKeys(NodeData& data, bool keep);

}  // namespace node_steps
