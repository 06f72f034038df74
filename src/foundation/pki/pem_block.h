// SPDX-License-Identifier: Apache-2.0
// Reads the only PEM block of an input (RFC 7468), so strictly that no other program can find a
// different block in the input.
#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace pki {

// Returns the bytes of an input's one block of this label; or why the input is not one canonical
// block, in words. Only white space may precede the BEGIN line and follow the END line, and only
// base64 may be between them: no header, no blank, no empty line. Lines may have any length and end
// in LF or CRLF; padding is exact and spare bits are zero. Every version of Go's encoding/pem reads
// accepted input to the same bytes. Input that two decoders read differently must never be judged
// by one and signed by the other.
std::expected<std::string, std::string> OnlyPemBlock(std::string_view text, std::string_view label);

}  // namespace pki
