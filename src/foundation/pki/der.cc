// SPDX-License-Identifier: Apache-2.0
#include "pki/der.h"

#include <algorithm>

#include "base/error.h"
#include "base/utf8.h"

namespace pki::der {
namespace {

[[noreturn]] void Fail(const std::string& what) {
  throw base::Error(base::Error::Kind::kInvalid, what);
}

std::uint8_t Octet(std::string_view text, std::size_t i) {
  return static_cast<std::uint8_t>(text[i]);
}

struct Length {
  std::size_t value;
  std::size_t octets;
};

// Reads the length octets at the beginning of `text`.
Length ReadLength(std::string_view text) {
  if (text.empty()) {
    Fail("an element is cut short");
  }
  const std::uint8_t first = Octet(text, 0);
  if (first < 0x80) {
    return {first, 1};
  }
  const std::size_t count = first & 0x7FU;
  if (count == 0 || count > 4 || text.size() < 1 + count) {
    Fail("a length is indefinite, too long or cut short");
  }
  std::size_t value = 0;
  for (std::size_t i = 1; i <= count; ++i) {
    value = value << 8U | Octet(text, i);
  }
  if (Octet(text, 1) == 0 || value < 0x80) {
    Fail("a length is not in its shortest form");
  }
  return {value, 1 + count};
}

bool IsPrintable(char c) {
  constexpr std::string_view kMarks = " '()+,-./:=?*&";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         kMarks.find(c) != std::string_view::npos;
}

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const auto point = base::DecodeUtf8(text);
    if (!point) {
      return false;
    }
    text.remove_prefix(point->length);
  }
  return true;
}

char32_t Unit(std::string_view text, std::size_t i) {
  return static_cast<char32_t>(Octet(text, i)) << 8U | Octet(text, i + 1);
}

std::string FromBmp(std::string_view text) {
  if (text.size() % 2 != 0) {
    Fail("a BMPString has an odd length");
  }
  if (text.ends_with(std::string_view("\0\0", 2))) {  // some writers end it with a null character
    text.remove_suffix(2);
  }
  std::string out;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    char32_t point = Unit(text, i);
    const bool high = point >= 0xD800 && point < 0xDC00 && i + 3 < text.size();
    const char32_t low = high ? Unit(text, i + 2) : 0;
    if (low >= 0xDC00 && low < 0xE000) {
      point = 0x10000 + ((point - 0xD800) << 10U) + (low - 0xDC00);
      i += 2;
    } else if (point >= 0xD800 && point < 0xE000) {
      point = 0xFFFD;
    }
    out += base::EncodeUtf8(point);
  }
  return out;
}

std::string FromLatin1(std::string_view text) {
  std::string out;
  for (const char c : text) {
    out += base::EncodeUtf8(static_cast<unsigned char>(c));
  }
  return out;
}

std::string Allowed(std::string_view text, bool (*allowed)(char), const char* type) {
  if (!std::ranges::all_of(text, allowed)) {
    Fail(std::string("a ") + type + " has a character that it may not have");
  }
  return std::string(text);
}

constexpr int kDeepest = 32;
constexpr std::uint8_t kConstructed = 0x20;
constexpr std::uint8_t kClass = 0xC0;

bool IsShortestNumber(std::string_view content) {
  if (content.size() < 2) {
    return content.size() == 1;
  }
  const bool high = (Octet(content, 1) & 0x80U) != 0;
  return Octet(content, 0) != (high ? 0xFF : 0x00);
}

bool IsBoolean(std::string_view content) {
  return content == "\xFF" || content == std::string_view("\0", 1);
}

bool HasNoSpareBits(std::string_view content) {
  if (content.empty() || Octet(content, 0) > 7) {
    return false;
  }
  const unsigned spare = (1U << Octet(content, 0)) - 1U;
  return content.size() == 1 ? spare == 0 : (Octet(content, content.size() - 1) & spare) == 0;
}

// Checks an element of the universal class.
void RequirePrimitive(const Element& element) {
  const auto require = [](bool holds, const char* what) {
    if (!holds) {
      Fail(std::string(what) + " is not as DER writes it");
    }
  };
  switch (element.tag) {
    case kBoolean:
      return require(IsBoolean(element.content), "a boolean");
    case kInteger:
    case kEnumerated:
      return require(IsShortestNumber(element.content), "a number");
    case kBitString:
      return require(HasNoSpareBits(element.content), "a bit string");
    case kNull:
      return require(element.content.empty(), "a NULL");
    case kOid:
      OidText(element.content);
      return;
    case 0x00:
    case kSequence & ~kConstructed:
    case kSet & ~kConstructed:
      return require(false, "a primitive sequence, set or end of contents");
    default:
      return;
  }
}

void RequireElement(const Element& element, int depth) {
  if (depth > kDeepest) {
    Fail("the elements are nested too deep");
  }
  const bool universal = (element.tag & kClass) == 0;
  if ((element.tag & kConstructed) == 0) {
    if (universal) {
      RequirePrimitive(element);
    }
    return;
  }
  if (universal && element.tag != kSequence && element.tag != kSet) {
    Fail("a value that DER writes in one piece is in several");
  }
  if (element.tag == kSet) {
    RequireSetOrder(element.content);
  }
  for (Reader parts(element.content); !parts.empty();) {
    RequireElement(parts.Next(), depth + 1);
  }
}

}  // namespace

void RequireSetOrder(std::string_view content) {
  std::string_view before;
  for (Reader parts(content); !parts.empty();) {
    const std::string_view whole = parts.Next().whole;
    if (whole < before) {
      Fail("the elements of a set are not in order");
    }
    before = whole;
  }
}

void RequireCanonical(std::string_view text) {
  Reader reader(text);
  const Element element = reader.Next();
  if (!reader.empty()) {
    Fail("an element is followed by more bytes");
  }
  RequireElement(element, 0);
}

std::uint8_t Reader::PeekTag() const { return rest_.empty() ? 0 : Octet(rest_, 0); }

Element Reader::Next() {
  if (rest_.empty()) {
    Fail("an element is missing");
  }
  const std::uint8_t tag = Octet(rest_, 0);
  if ((tag & 0x1FU) == 0x1F) {
    Fail("a tag has several octets");
  }
  const Length length = ReadLength(rest_.substr(1));
  const std::size_t header = 1 + length.octets;
  if (rest_.size() - header < length.value) {
    Fail("an element is cut short");
  }
  const Element element{.tag = tag,
                        .content = rest_.substr(header, length.value),
                        .whole = rest_.substr(0, header + length.value)};
  rest_.remove_prefix(element.whole.size());
  return element;
}

Element Reader::Take(std::uint8_t tag, std::string_view what) {
  if (PeekTag() != tag) {
    Fail(std::string(what) + " is missing or of another type");
  }
  return Next();
}

std::string OidText(std::string_view content) {
  if (content.empty()) {
    Fail("an object identifier is empty");
  }
  std::string text;
  std::uint64_t value = 0;
  bool begins = true;
  for (const char c : content) {
    const auto octet = static_cast<std::uint8_t>(c);
    if ((begins && octet == 0x80) || value > (UINT64_MAX >> 8U)) {
      Fail("an object identifier has a bad part");
    }
    value = value << 7U | (octet & 0x7FU);
    begins = (octet & 0x80U) == 0;
    if (!begins) {
      continue;
    }
    if (text.empty()) {
      const std::uint64_t root = std::min<std::uint64_t>(value / 40, 2);
      text = std::to_string(root) + "." + std::to_string(value - root * 40);
    } else {
      text += "." + std::to_string(value);
    }
    value = 0;
  }
  if (!begins) {
    Fail("an object identifier is cut short");
  }
  return text;
}

std::optional<std::string> StringText(const Element& value) {
  switch (value.tag) {
    case kUtf8String:
      if (!IsUtf8(value.content)) {
        Fail("a UTF8String is not UTF-8");
      }
      return std::string(value.content);
    case kPrintableString:
      return Allowed(value.content, IsPrintable, "PrintableString");
    case kIa5String:
      return Allowed(
          value.content, [](char c) { return static_cast<unsigned char>(c) < 0x80; }, "IA5String");
    case kNumericString:
      return Allowed(
          value.content, [](char c) { return c == ' ' || (c >= '0' && c <= '9'); },
          "NumericString");
    case kT61String:
      return FromLatin1(value.content);
    case kBmpString:
      return FromBmp(value.content);
    default:
      return {};
  }
}

}  // namespace pki::der
