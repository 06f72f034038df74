// SPDX-License-Identifier: Apache-2.0
// Reads the only PEM block of an input (RFC 7468), so strictly that no other program can find a
// different block in the input.
#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace pki {

// Returns the decoded bytes if the input is exactly one canonical PEM block of this label;
// otherwise the reason, in words. Only white space may precede the BEGIN line and follow the END
// line. Only base64 may be between them: no header, no blank, no empty line. Lines may have any
// length and end in LF or CRLF. Padding is exact and spare bits are zero.
//
// Every version of Go's encoding/pem decodes an accepted input to the same bytes. This is necessary
// because one program judges a request and another one signs it: both must see the same request.
std::expected<std::string, std::string> OnlyPemBlock(std::string_view text, std::string_view label);

}  // namespace pki
