// SPDX-License-Identifier: Apache-2.0
// What a user, or whatever stands before a pipe, says on standard input: bounded, for its other end
// may be /dev/zero.
#pragma once

#include <istream>
#include <string>

namespace cli {

// ReadInput is all that is left of `in`. Throws base::Error(kInvalid) beyond 64 MiB.
std::string ReadInput(std::istream& in);

// ReadLine is the next line without its "\n", "" at the end. Throws base::Error(kInvalid) beyond
// 64 KiB.
std::string ReadLine(std::istream& in);

}  // namespace cli
