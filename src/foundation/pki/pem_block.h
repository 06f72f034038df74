// SPDX-License-Identifier: Apache-2.0
// The one PEM block of a text (RFC 7468), read so that no other reader can find another one in it.
#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace pki {

// OnlyPemBlock is the bytes of a text's one block of this label; or why the text is not one
// canonical block, in words. Nothing but white space may stand before the BEGIN line and behind the
// END line, nothing but base64 between them: no header, no blank, no empty line. Lines may have any
// length and end in LF or CRLF; padding is exact and spare bits are zero. What passes, every
// version of Go's encoding/pem reads to the same bytes; what is read differently by two decoders
// must never be judged by one and signed by the other.
std::expected<std::string, std::string> OnlyPemBlock(std::string_view text, std::string_view label);

}  // namespace pki
