// SPDX-License-Identifier: Apache-2.0
// Parsing of flag values. The forms are those of Go's strconv and encoding/csv, which scripts that
// call kubeadm rely on. Each function throws base::Error(kInvalid) for an invalid value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cli {

// ParseBool reads 1, t, T, true, True, TRUE and 0, f, F, false, False, FALSE.
bool ParseBool(std::string_view text);

// ParseDecimal reads a signed decimal number of at most `bits` bits (32 or 64).
std::int64_t ParseDecimal(std::string_view text, int bits);

// Also accepts the prefixes 0x, 0o, 0b and 0 (octal), and '_' between digits.
std::int64_t ParseInteger(std::string_view text, int bits);

// Parses one line of comma-separated values (RFC 4180). A field in double quotes may contain
// commas, and "" as an escaped quote. Ignores text after the first line. Returns an empty list for
// an empty string.
std::vector<std::string> ParseList(std::string_view text);

// Pair is one "key=value".
using Pair = std::pair<std::string, std::string>;

// ParsePairs reads "a=1,b=2"; every part has exactly one '='.
std::vector<Pair> ParsePairs(std::string_view text);

}  // namespace cli
