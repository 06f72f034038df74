// SPDX-License-Identifier: Apache-2.0
// Repeated members of JSON objects: readers differ in which of them they use (RFC 8259 §4).
#pragma once

#include <string_view>

namespace json {

// Throws base::Error(kInvalid) naming the first member that an object has twice. `text` is JSON
// that Parse accepts.
void RequireUniqueMembers(std::string_view text);

}  // namespace json
