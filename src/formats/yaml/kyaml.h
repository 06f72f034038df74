// SPDX-License-Identifier: Apache-2.0
// KYAML: YAML in flow style, which tolerates wrong indentation (KEP-5295).
#pragma once

#include <string>

#include "json/fwd.h"

namespace yaml {

// Writes "---" and the value. Keys are in the given order, and unquoted if they are unambiguous.
// Strings are always in double quotes. A multi-line string has one line of output for each of its
// lines. A comma follows every element. Lists of objects are written "[{", "}, {", "}]". "? "
// precedes a key that is too long to be recognized. Ends with a line end.
std::string EmitKyaml(const json::Ordered& value);

}  // namespace yaml
