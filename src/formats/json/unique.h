// SPDX-License-Identifier: Apache-2.0
// Repeated members of JSON objects. Readers differ in which of the members they use (RFC 8259 §4).
#pragma once

#include <string_view>

namespace json {

// Requires that no object has two members of the same name. Throws base::Error(kInvalid) naming the
// first repeated member. `text` is JSON that Parse accepts.
void RequireUniqueMembers(std::string_view text);

}  // namespace json
