// SPDX-License-Identifier: Apache-2.0
// Lists of texts in JSON.
#pragma once

#include <string>
#include <vector>

#include "json/fwd.h"

namespace json {

// TextsIn are the members of a list, "" in the place of one that is not a text; none when the value
// is not a list.
std::vector<std::string> TextsIn(const Value& list);

}  // namespace json
