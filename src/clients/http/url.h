// The parts of a URL that decide where a request goes (RFC 3986 §3.2).
#pragma once

#include <string>
#include <string_view>

namespace http {

struct HostPort {
  std::string host;  // without brackets
  std::string port;  // "" when none is given
};

// SplitHostPort reads "host", "host:port", "[v6]" and "[v6]:port".
HostPort SplitHostPort(std::string_view text);

struct Url {
  std::string scheme;  // lower case
  std::string host;    // without brackets
  std::string port;    // "" when none is given
  std::string path;    // the rest, from the first '/', '?' or '#'
};

// ParseUrl cuts a URL apart without judging it; credentials before '@' are dropped.
Url ParseUrl(std::string_view url);

// Authority is "host:port" as shown to users and sent in Host headers: IPv6 in brackets, the
// scheme's own port filled in.
std::string Authority(const Url& url);

// EscapeSegment percent-encodes what may not stand in one segment of a path.
std::string EscapeSegment(std::string_view text);
// EscapeQuery percent-encodes a key or value of a query.
std::string EscapeQuery(std::string_view text);

// HasControl tells of a line end or another control character, but for a tab: what cuts a header or
// a URL in two, for some readers and not for others (RFC 9110 §5.5).
bool HasControl(std::string_view text);
// RequireOneLine stands between whatever a text was made of and a request that it would cut in two:
// it throws base::Error(kInvalid) for one that HasControl. `what` is "the URL".
void RequireOneLine(std::string_view text, std::string_view what);

}  // namespace http
