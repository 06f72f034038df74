#include "base/utf8.h"

namespace base {
namespace {

// What the first byte of a sequence says: its length, its payload bits, and the smallest code
// point that may be written in that many bytes.
struct Lead {
  std::size_t length;
  char32_t payload;
  char32_t smallest;
};

std::optional<Lead> ReadLead(unsigned char c) {
  if (c < 0x80) {
    return Lead{1, c, 0};
  }
  if (c >= 0xc2 && c < 0xe0) {
    return Lead{2, c & 0x1fU, 0x80};
  }
  if (c >= 0xe0 && c < 0xf0) {
    return Lead{3, c & 0x0fU, 0x800};
  }
  if (c >= 0xf0 && c < 0xf5) {
    return Lead{4, c & 0x07U, 0x10000};
  }
  return std::nullopt;
}

}  // namespace

std::optional<DecodedCodePoint> DecodeUtf8(std::string_view text) {
  if (text.empty()) {
    return std::nullopt;
  }
  const auto lead = ReadLead(static_cast<unsigned char>(text[0]));
  if (!lead || text.size() < lead->length) {
    return std::nullopt;
  }
  char32_t code_point = lead->payload;
  for (std::size_t i = 1; i < lead->length; ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if ((c & 0xc0) != 0x80) {
      return std::nullopt;
    }
    code_point = code_point << 6 | (c & 0x3fU);
  }
  const bool surrogate = code_point >= 0xd800 && code_point < 0xe000;
  if (code_point < lead->smallest || surrogate || code_point > 0x10ffff) {
    return std::nullopt;
  }
  return DecodedCodePoint{code_point, lead->length};
}

std::string EncodeUtf8(char32_t c) {
  const auto byte = [](char32_t value) { return static_cast<char>(value); };
  if (c < 0x80) {
    return {byte(c)};
  }
  if (c < 0x800) {
    return {byte(0xc0 | c >> 6), byte(0x80 | (c & 0x3f))};
  }
  if (c < 0x10000) {
    return {byte(0xe0 | c >> 12), byte(0x80 | (c >> 6 & 0x3f)), byte(0x80 | (c & 0x3f))};
  }
  return {byte(0xf0 | c >> 18), byte(0x80 | (c >> 12 & 0x3f)), byte(0x80 | (c >> 6 & 0x3f)),
          byte(0x80 | (c & 0x3f))};
}

}  // namespace base
