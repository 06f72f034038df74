// SPDX-License-Identifier: Apache-2.0
// Forward declarations of JSON values, for headers that only declare parameters and results: cheap
// to compile.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace json {

// Keeps object members sorted by name, as Go's encoding/json writes maps.
using Value = nlohmann::json;
// Keeps object members in insertion order: the form of printed structs.
using Ordered = nlohmann::ordered_json;

}  // namespace json
