// SPDX-License-Identifier: Apache-2.0
// Small string helpers that the standard library of C++20 lacks.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace base {

// Join puts `separator` between the parts.
std::string Join(std::span<const std::string> parts, std::string_view separator);

// Split cuts at every `separator`; "" gives one empty part, as Go's strings.Split does.
std::vector<std::string> Split(std::string_view text, char separator);

// Fields cuts at runs of white space and drops empty parts.
std::vector<std::string> Fields(std::string_view text);

// Lines cuts at line ends ("\n" or "\r\n"); a final line end adds no empty line.
std::vector<std::string> Lines(std::string_view text);

// Trim removes white space at both ends. ToLower converts only ASCII letters. ReplaceAll replaces
// every occurrence of `from`; `from` must not be empty.
std::string_view Trim(std::string_view text);
std::string ToLower(std::string_view text);
std::string ReplaceAll(std::string text, std::string_view from, std::string_view to);

// Returns the string in double quotes, with the escapes of Go's %q: \n, \t, \", \\, \xNN and
// \uNNNN.
std::string Quoted(std::string_view text);

// QuotedList formats strings like Go's %q of a slice: ["a" "b"].
std::string QuotedList(std::span<const std::string> parts);

std::string HexEncode(std::string_view bytes);
// HexDecode throws Error(kInvalid) for an odd length or a character that is not a hex digit.
std::string HexDecode(std::string_view text);

// Base64 with the standard alphabet and padding (RFC 4648 §4).
std::string Base64Encode(std::string_view bytes);
// Ignores line ends. Throws Error(kInvalid) for other characters outside the alphabet and for wrong
// padding.
std::string Base64Decode(std::string_view text);
// Base64UrlEncode uses the URL-safe alphabet and no padding (RFC 4648 §5, RFC 7515).
std::string Base64UrlEncode(std::string_view bytes);

// IsDns1123Label and IsDns1123Subdomain check names of RFC 1123 in Kubernetes' form. A label has
// lower-case letters, digits and '-', at most 63 characters. A subdomain also has '.' between
// labels, at most 253 characters.
bool IsDns1123Label(std::string_view text);
bool IsDns1123Subdomain(std::string_view text);

}  // namespace base
