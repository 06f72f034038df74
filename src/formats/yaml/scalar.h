// SPDX-License-Identifier: Apache-2.0
// Resolution of plain YAML scalars by go-yaml v2's rules for YAML 1.1.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace yaml {

// Scalar is a resolved scalar.
struct Scalar {
  enum class Kind { kNull, kBool, kInt, kFloat, kTimestamp, kMerge, kString } kind = Kind::kString;
  bool boolean = false;
  std::int64_t integer = 0;
  double number = 0;
};

// Resolves a plain (unquoted, untagged) scalar. Integers may be decimal, 0x, 0o, 0b or octal by a
// leading 0, with underscores. Integers beyond std::int64_t are floats. A float out of range is a
// string. The caller interprets timestamps and strings.
Scalar ResolveScalar(std::string_view text);

// Returns YAML's tag of such scalars in short form: "!!int".
std::string_view TagOf(Scalar::Kind kind);

// Returns whether a plain string would be read as something else: by ResolveScalar, or as a base-60
// number by older readers ("12:30").
bool NeedsQuotes(std::string_view text);

}  // namespace yaml
