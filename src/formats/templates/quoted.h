// SPDX-License-Identifier: Apache-2.0
// Go's string escapes.
#pragma once

#include <string>
#include <string_view>

namespace templates {

// UnescapeGo reads \a \b \f \n \r \t \v \\ \' \" \xNN \uNNNN \UNNNNNNNN and \NNN (octal) in what
// stands between quotes. Throws base::Error(kInvalid) for any other escape.
std::string UnescapeGo(std::string_view text);

}  // namespace templates
