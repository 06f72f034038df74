// SPDX-License-Identifier: Apache-2.0
// JSON values. Only this header includes the library, whose header is slow to compile.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "json/fwd.h"

// Compiled once, in value.cc, instead of in each source that uses one of them.
extern template class nlohmann::basic_json<>;
extern template class nlohmann::basic_json<nlohmann::ordered_map>;

namespace json {

// The maximum nesting depth of lists and objects, in JSON and in YAML. Real objects stay below 50;
// code that walks values recursively relies on the limit.
inline constexpr int kMaxDepth = 1000;

// Parses one JSON value. Throws base::Error(kInvalid) with line and column for malformed JSON, for
// a value nested deeper than kMaxDepth, and for one that takes more than kMostMemory
// (json/budget.h).
Value Parse(std::string_view text);
// Parses one JSON value like Parse; returns null where Parse throws.
Value TryParse(std::string_view text);

// Compact writes one line without spaces; Pretty indents by `indent` spaces. Both escape <, > and &
// as Go's encoding/json does (\u003c …), so that hashes and output agree with Kubernetes tools.
std::string Compact(const Value& value);
std::string Compact(const Ordered& value);
std::string Pretty(const Value& value, int indent = 4);
std::string Pretty(const Ordered& value, int indent = 4);

// Returns the same value with members sorted by name.
Value Sorted(const Ordered& value);

// Follows object members ("metadata", "labels"). Returns null if one is missing or not an object.
const Value& At(const Value& value, std::initializer_list<std::string_view> path);
// Returns the string that At finds; "" if it is missing or not a string.
std::string TextAt(const Value& value, std::initializer_list<std::string_view> path);

// Replaces each byte that is not UTF-8 by U+FFFD, as Go's encoder does.
std::string WithValidUtf8(std::string_view text);

// Returns the name of a value's type for messages: "null", "boolean", "number", "string", "list",
// "object".
std::string_view KindOf(const Value& value);

}  // namespace json
