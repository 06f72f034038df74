// SPDX-License-Identifier: Apache-2.0
// Strict DER (ITU-T X.690 §10): only the shortest encoding is accepted. Used for structures that
// must be read completely: a decoder that skips unknown parts could miss a name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pki::der {

// Tags, as their identifier octet (X.690 §8.1.2).
inline constexpr std::uint8_t kBoolean = 0x01;
inline constexpr std::uint8_t kInteger = 0x02;
inline constexpr std::uint8_t kBitString = 0x03;
inline constexpr std::uint8_t kOctetString = 0x04;
inline constexpr std::uint8_t kNull = 0x05;
inline constexpr std::uint8_t kOid = 0x06;
inline constexpr std::uint8_t kEnumerated = 0x0A;
inline constexpr std::uint8_t kUtf8String = 0x0C;
inline constexpr std::uint8_t kNumericString = 0x12;
inline constexpr std::uint8_t kPrintableString = 0x13;
inline constexpr std::uint8_t kT61String = 0x14;
inline constexpr std::uint8_t kIa5String = 0x16;
inline constexpr std::uint8_t kBmpString = 0x1E;
inline constexpr std::uint8_t kSequence = 0x30;
inline constexpr std::uint8_t kSet = 0x31;
inline constexpr std::uint8_t kContext0Constructed = 0xA0;

// One value: its tag, its content, and the whole encoding, as views of the input.
struct Element {
  std::uint8_t tag = 0;
  std::string_view content;
  std::string_view whole;
};

// Iterates over the elements of an input. The input must outlive the reader and its results. Next
// and Take throw base::Error(kInvalid) for a truncated encoding, an indefinite or non-minimal
// length, or a multi-octet tag. Take throws kInvalid for a tag other than the wanted one.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}
  bool empty() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }
  // Returns the next element's tag; 0 at the end.
  std::uint8_t PeekTag() const;
  Element Next();
  Element Take(std::uint8_t tag, std::string_view what);

 private:
  std::string_view rest_;
};

// Throws base::Error(kInvalid) unless the input is exactly one element in DER. Checks at every
// depth, up to 32: shortest numbers, booleans of 00 or FF, no spare bits, strings in one piece,
// sets in order. Does not check the content of octet strings and of primitive elements with context
// tags.
void RequireCanonical(std::string_view text);

// Throws base::Error(kInvalid) unless the elements are in the order of a SET OF (X.690 §11.6). Call
// it for sets with an implicit tag, which RequireCanonical cannot recognize.
void RequireSetOrder(std::string_view content);

// Returns the dotted form of an OID's content. Throws base::Error(kInvalid) for a malformed one.
std::string OidText(std::string_view content);

// Returns a string value in UTF-8. Returns std::nullopt for the tag of a string type that requests
// do not use, for example UniversalString. Reads a T61String as ISO 8859-1, as all other programs
// do. Throws base::Error(kInvalid) for characters that the type forbids. Like all other programs,
// accepts '*' and '&' in a PrintableString.
std::optional<std::string> StringText(const Element& value);

}  // namespace pki::der
