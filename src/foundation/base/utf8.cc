// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.h"

#include <fmt/core.h>

#include <algorithm>

namespace base {
namespace {

// The properties of the first byte of a sequence: its length, its payload bits, and the smallest
// code point of that length.
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

struct Range {
  char32_t first, last;
};

// Code points beyond ASCII in Unicode's categories Cf, Co, Cs, Zl, Zp and Zs, and noncharacters of
// the first plane. IsPrint recognizes category Cc and the other noncharacters by computation.
constexpr Range kUnseen[] = {
    {0xA0, 0xA0},        {0xAD, 0xAD},       {0x600, 0x605},     {0x61C, 0x61C},
    {0x6DD, 0x6DD},      {0x70F, 0x70F},     {0x890, 0x891},     {0x8E2, 0x8E2},
    {0x1680, 0x1680},    {0x180E, 0x180E},   {0x2000, 0x200F},   {0x2028, 0x202F},
    {0x205F, 0x206F},    {0x3000, 0x3000},   {0xD800, 0xF8FF},   {0xFDD0, 0xFDEF},
    {0xFEFF, 0xFEFF},    {0xFFF0, 0xFFFB},   {0x110BD, 0x110BD}, {0x110CD, 0x110CD},
    {0x13430, 0x1343F},  {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE00FF},
    {0xF0000, 0x10FFFF},
};

// Returns the letter of Go's escape for a control character, or 0 if Go has no such escape.
char ShortEscape(char32_t c) {
  constexpr std::string_view kLetters = "abtnvfr";  // from U+0007 on
  return c >= 0x07 && c <= 0x0D ? kLetters[c - 0x07] : '\0';
}

std::string Escaped(char32_t c) {
  if (const char letter = ShortEscape(c); letter != '\0') {
    return {'\\', letter};
  }
  if (c < 0x80) {
    return fmt::format("\\x{:02x}", static_cast<unsigned>(c));
  }
  return c < 0x10000 ? fmt::format("\\u{:04x}", static_cast<unsigned>(c))
                     : fmt::format("\\U{:08x}", static_cast<unsigned>(c));
}

}  // namespace

bool IsPrint(char32_t c) {
  if (c < 0xA0) {
    return c >= 0x20 && c < 0x7F;
  }
  const bool noncharacter = (c & 0xFFFEU) == 0xFFFE;
  return !noncharacter && std::ranges::none_of(kUnseen, [c](const Range& range) {
    return c >= range.first && c <= range.last;
  });
}

std::string Visible(std::string_view text, std::string_view kept) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto decoded = DecodeUtf8(text);
    const std::size_t length = decoded ? decoded->length : 1;
    if (!decoded) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    } else if (IsPrint(decoded->code_point) || kept.find(text.front()) != kept.npos) {
      out += text.substr(0, length);
    } else {
      out += Escaped(decoded->code_point);
    }
    text.remove_prefix(length);
  }
  return out;
}

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
