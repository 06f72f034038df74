// SPDX-License-Identifier: Apache-2.0
// What a plain YAML scalar means: go-yaml v2's reading of YAML 1.1.
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

// ResolveScalar reads a plain (unquoted, untagged) scalar. Integers may be decimal, 0x, 0o, 0b or
// octal by a leading 0, with underscores; those beyond 64 bits are floats; a float out of range is
// a string. Timestamps and strings are left to the caller.
Scalar ResolveScalar(std::string_view text);

// TagOf is the tag that YAML gives to such scalars, in short form: "!!int".
std::string_view TagOf(Scalar::Kind kind);

// NeedsQuotes tells whether a string, written plain, would be read as something else: by
// ResolveScalar, or as a base-60 number by older readers ("12:30").
bool NeedsQuotes(std::string_view text);

}  // namespace yaml
