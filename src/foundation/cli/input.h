// SPDX-License-Identifier: Apache-2.0
// Bounded reads of standard input, whose other end may be a user, a pipe or /dev/zero.
#pragma once

#include <istream>
#include <string>

namespace cli {

// Returns the rest of `in`. Throws base::Error(kInvalid) beyond 64 MiB.
std::string ReadInput(std::istream& in);

// ReadLine returns the next line without its "\n", or "" at the end of the input. Throws
// base::Error(kInvalid) for a line beyond 64 KiB.
std::string ReadLine(std::istream& in);

}  // namespace cli
