// SPDX-License-Identifier: Apache-2.0
// KYAML: YAML in flow style that survives wrong indentation (KEP-5295).
#pragma once

#include <string>

#include "json/fwd.h"

namespace yaml {

// EmitKyaml writes "---" and the value: keys in the order given and without quotes where no reader
// can take them for something else, strings always in double quotes, texts of several lines one
// line each, a comma behind every element, lists of objects "[{", "}, {", "}]", "? " before a key
// that is too long to be known as one without. Ends with a line end.
std::string EmitKyaml(const json::Ordered& value);

}  // namespace yaml
