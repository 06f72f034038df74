// UTF-8 (RFC 3629), one code point at a time.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace base {

struct DecodedCodePoint {
  char32_t code_point;
  std::size_t length;  // bytes
};

// DecodeUtf8 reads the first code point of a text; nothing when it is not well formed
// (overlong, surrogate, above U+10FFFF, cut short, or an empty text).
std::optional<DecodedCodePoint> DecodeUtf8(std::string_view text);

// EncodeUtf8 is the UTF-8 form of a code point.
std::string EncodeUtf8(char32_t code_point);

}  // namespace base
