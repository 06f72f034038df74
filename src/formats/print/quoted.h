// SPDX-License-Identifier: Apache-2.0
// Go's string escapes.
#pragma once

#include <string>
#include <string_view>

namespace print {

// Decodes \a \b \f \n \r \t \v \\ \' \" \xNN \uNNNN \UNNNNNNNN and \NNN (octal) in the content of
// quotes. Throws base::Error(kInvalid) for any other escape.
std::string UnescapeGo(std::string_view text);

}  // namespace print
