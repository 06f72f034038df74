// SPDX-License-Identifier: Apache-2.0
// Texts that become parts of URLs and headers.
#pragma once

#include <string>
#include <string_view>

namespace http {

// EscapeSegment percent-encodes what must not stand in one segment of a path. It throws
// base::Error(kInvalid) for "." and "..", which no encoding keeps from being followed (RFC 3986
// §5.2.4, WHATWG URL §4.4).
std::string EscapeSegment(std::string_view text);
// EscapeQuery percent-encodes a key or value of a query.
std::string EscapeQuery(std::string_view text);
// Unescape undoes percent-encoding; what is none ("100%") stays as it is.
std::string Unescape(std::string_view text);

// HasControl is whether there is a line end or another control character, tabs aside: what cuts a
// header or a URL in two, for some readers and not for others (RFC 9110 §5.5).
bool HasControl(std::string_view text);
// RequireOneLine stands between whatever a text was made of and a request that it would cut in two:
// it throws base::Error(kInvalid) for one that HasControl. `what` is "the URL".
void RequireOneLine(std::string_view text, std::string_view what);

}  // namespace http
