// SPDX-License-Identifier: Apache-2.0
// Escaping of strings in URLs and headers.
#pragma once

#include <string>
#include <string_view>

namespace http {

// Percent-encodes one segment of a path. Throws base::Error(kInvalid) for "." and "..": URL parsers
// treat even their encoded forms as relative parts (RFC 3986 §5.2.4, WHATWG URL §4.4).
std::string EscapeSegment(std::string_view text);
// Percent-encodes a key or value of a query.
std::string EscapeQuery(std::string_view text);
// Decodes percent-encoding; invalid escapes ("100%") stay as they are.
std::string Unescape(std::string_view text);

// Returns true if the text contains a line end or another control character except a tab. Some
// programs split a header or a URL at such a character, and others do not (RFC 9110 §5.5).
bool HasControl(std::string_view text);
// Protects a request from an injected line end. Throws base::Error(kInvalid) if HasControl(text).
// `what` describes the text in the error: "the URL".
void RequireOneLine(std::string_view text, std::string_view what);

}  // namespace http
