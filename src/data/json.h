// JSON values. The only place that includes the library: its header is slow to compile.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace data {

// Json keeps object members sorted by name, as Go's encoding/json writes maps.
using Json = nlohmann::json;

// ParseJson reads one JSON text. Throws base::Error(kInvalid) with line and column.
Json ParseJson(std::string_view text);

// Compact is one line without blanks; Pretty is indented by `indent` blanks. Both escape <, > and
// & as Go's encoding/json does (\u003c …), so that hashes and output agree with Kubernetes tools.
std::string Compact(const Json& value);
std::string Pretty(const Json& value, int indent = 4);

// At follows object members ("metadata", "labels"); null when one is missing or no object.
const Json& At(const Json& value, std::initializer_list<std::string_view> path);
// TextAt is At for a string; "" when it is missing or no string.
std::string TextAt(const Json& value, std::initializer_list<std::string_view> path);

}  // namespace data
