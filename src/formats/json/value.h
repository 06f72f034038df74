// SPDX-License-Identifier: Apache-2.0
// JSON values. The only place that includes the library: its header is slow to compile.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "json/fwd.h"

// Compiled once, in value.cc, instead of in each of the sources that use them.
extern template class nlohmann::basic_json<>;
extern template class nlohmann::basic_json<nlohmann::ordered_map>;

namespace json {

// kMaxDepth is how deep lists and objects may lie in each other, in JSON and in YAML. Real
// objects stay below 50; code that walks values recursively relies on the bound.
inline constexpr int kMaxDepth = 1000;

// Parse reads one JSON text. Throws base::Error(kInvalid) with line and column; also for what
// lies deeper than kMaxDepth or would take more memory than kMostMemory (json/budget.h).
Value Parse(std::string_view text);
// TryParse is Parse for a text that may be anything: what cannot be read is null.
Value TryParse(std::string_view text);

// Compact is one line without blanks; Pretty is indented by `indent` blanks. Both escape <, > and
// & as Go's encoding/json does (\u003c …), so that hashes and output agree with Kubernetes tools.
std::string Compact(const Value& value);
std::string Compact(const Ordered& value);
std::string Pretty(const Value& value, int indent = 4);
std::string Pretty(const Ordered& value, int indent = 4);

// Sorted is the same value with members sorted by name.
Value Sorted(const Ordered& value);

// At follows object members ("metadata", "labels"); null when one is missing or no object.
const Value& At(const Value& value, std::initializer_list<std::string_view> path);
// TextAt is At for a string; "" when it is missing or no string.
std::string TextAt(const Value& value, std::initializer_list<std::string_view> path);

// WithValidUtf8 puts U+FFFD in the place of each byte that is not UTF-8, as Go's encoder does.
std::string WithValidUtf8(std::string_view text);

// KindOf names a value's type for messages: "null", "boolean", "number", "string", "list",
// "object".
std::string_view KindOf(const Value& value);

}  // namespace json
