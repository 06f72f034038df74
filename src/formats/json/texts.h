// SPDX-License-Identifier: Apache-2.0
// Lists of strings in JSON.
#pragma once

#include <string>
#include <vector>

#include "json/fwd.h"

namespace json {

// Returns the members of a list, with "" for a member that is not a string. Returns an empty list
// if the value is not a list.
std::vector<std::string> TextsIn(const Value& list);

}  // namespace json
