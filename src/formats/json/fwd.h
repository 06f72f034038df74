// SPDX-License-Identifier: Apache-2.0
// The names of JSON values, for headers that only declare what takes or returns one: cheap to
// compile.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace json {

// Value keeps object members sorted by name, as Go's encoding/json writes maps.
using Value = nlohmann::json;
// Ordered keeps them as they were put in: the form of printed structs.
using Ordered = nlohmann::ordered_json;

}  // namespace json
