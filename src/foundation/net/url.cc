// SPDX-License-Identifier: Apache-2.0
#include "net/url.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "base/strings.h"
#include "net/host_port.h"
#include "net/ip_address.h"

namespace net {
namespace {

using Problem = std::unexpected<std::string>;
using Text = std::expected<std::string, std::string>;

enum class Part { kHost, kZone, kOther };

bool IsAlpha(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool IsAlnum(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }
bool IsAscii(char c) { return static_cast<unsigned char>(c) < 0x80; }
bool IsHex(char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; }
bool IsControl(char c) { return std::iscntrl(static_cast<unsigned char>(c)) != 0; }

// Returns whether a host may contain the character: by RFC 3986 §3.2.2, or by common practice.
bool IsHostCharacter(char c) {
  return IsAlnum(c) || !IsAscii(c) || std::string_view("-_.~!$&'()*+,;=:[]<>\"").contains(c);
}

bool IsUserCharacter(char c) {
  return IsAlnum(c) || std::string_view("-._:~!$&'()*+,;=%@").contains(c);
}

// Returns whether a byte of this part of a URL may be percent-encoded. In a host: non-ASCII bytes
// and '%'. In a zone: a host's characters and spaces (RFC 6874 §2). In other parts: any byte.
bool MayEscape(char byte, Part part) {
  switch (part) {
    case Part::kHost:
      return !IsAscii(byte) || byte == '%';
    case Part::kZone:
      return IsHostCharacter(byte) || byte == '%' || byte == ' ';
    default:
      return true;
  }
}

// Decodes %XX.
Text Unescaped(std::string_view text, Part part) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      if (part != Part::kOther && !IsHostCharacter(text[i])) {
        return Problem(fmt::format("invalid character in its host {}", base::Quoted(text)));
      }
      out += text[i];
      continue;
    }
    const std::string_view escape = text.substr(i, 3);
    const bool hex = escape.size() == 3 && IsHex(escape[1]) && IsHex(escape[2]);
    const char byte = hex ? base::HexDecode(escape.substr(1)).front() : '%';
    if (!hex || !MayEscape(byte, part)) {
      return Problem(fmt::format("invalid escape {}", base::Quoted(escape)));
    }
    out += byte;
    i += 2;
  }
  return out;
}

constexpr const char* kNoScheme = "there is no scheme such as https:// before its colon";

// Removes "https:" from the front of `text`; returns "" without a scheme.
Text TakeScheme(std::string_view& text) {
  const std::size_t length = static_cast<std::size_t>(
      std::ranges::find_if_not(
          text, [](char c) { return IsAlnum(c) || c == '+' || c == '-' || c == '.'; }) -
      text.begin());
  if (length == text.size() || text[length] != ':') {
    return "";
  }
  if (length == 0) {
    return Problem(kNoScheme);
  }
  if (!IsAlpha(text.front())) {
    return "";
  }
  std::string scheme = base::ToLower(text.substr(0, length));
  text.remove_prefix(length + 1);
  return scheme;
}

// Parses the content of brackets; "%25" precedes the name of an interface.
Text AddressIn(std::string_view text) {
  const std::string_view address = text.substr(0, text.find("%25"));
  if (!address.contains(':') || !IpAddress::Parse(address)) {
    return Problem(fmt::format("{} is not an IPv6 address", base::Quoted(text)));
  }
  const std::string_view zone = text.substr(address.size());
  if (zone == "%25") {
    return Problem(fmt::format("{} names no interface", base::Quoted(text)));
  }
  return Unescaped(zone, Part::kZone).transform([&](const std::string& name) {
    return std::string(address) + name;
  });
}

// Returns the offset of ":port" after a name. A host of a web server contains one colon. A database
// URL may list several hosts, each with a port; then the last port counts.
std::size_t PortAt(std::string_view host, std::string_view scheme) {
  const bool web = scheme == "http" || scheme == "https";
  return std::min(web ? host.find(':') : host.rfind(':'), host.size());
}

// Parses "host:port" into `url`.
std::optional<std::string> ReadHost(std::string_view text, Url& url) {
  const std::size_t open = text.rfind('[');
  const bool bracket = open != text.npos;
  const std::size_t close = text.rfind(']');
  if (bracket && (open != 0 || close == text.npos)) {
    return open != 0 ? "'[' is in the middle of its host" : "']' is missing in its host";
  }
  const std::size_t end = bracket ? close + 1 : PortAt(text, url.scheme);
  const std::string_view port = text.substr(end);
  if (!port.empty() &&
      (port.front() != ':' || port.find_first_not_of("0123456789", 1) != port.npos)) {
    return fmt::format("invalid port {} behind its host", base::Quoted(port));
  }
  Text host =
      bracket ? AddressIn(text.substr(1, close - 1)) : Unescaped(text.substr(0, end), Part::kHost);
  if (!host) {
    return host.error();
  }
  url.host = *std::move(host);
  url.port = port.empty() ? "" : port.substr(1);
  return std::nullopt;
}

// Parses "user@host:port" into `url`.
std::optional<std::string> ReadAuthority(std::string_view text, Url& url) {
  const std::size_t at = text.rfind('@');
  if (at != text.npos) {
    const std::string_view user = text.substr(0, at);
    if (!std::ranges::all_of(user, IsUserCharacter)) {
      return "invalid character in its user";
    }
    if (!Unescaped(user, Part::kOther)) {
      return "invalid escape in its user";
    }
    url.user = user;
  }
  return ReadHost(text.substr(at + 1), url);
}

std::expected<Url, std::string> Read(std::string_view text) {
  const std::size_t fragment = std::min(text.find('#'), text.size());
  std::string_view rest = text.substr(0, fragment);
  if (std::ranges::any_of(rest, IsControl)) {
    return Problem("it holds a control character");
  }
  if (const Text shown = Unescaped(text.substr(fragment), Part::kOther); !shown) {
    return Problem(shown.error());
  }
  const Text scheme = TakeScheme(rest);
  if (!scheme) {
    return Problem(scheme.error());
  }
  Url url{.scheme = *scheme, .user = {}, .host = {}, .port = {}, .path = {}, .target = {}};
  rest = rest.substr(0, rest.find('?'));
  const bool relative = scheme->empty();
  if (relative && rest.substr(0, rest.find('/')).contains(':')) {
    return Problem(kNoScheme);
  }
  if (rest.starts_with("//") && (!relative || !rest.starts_with("///"))) {
    rest.remove_prefix(2);
    const std::size_t end = std::min(rest.find('/'), rest.size());
    if (auto problem = ReadAuthority(rest.substr(0, end), url)) {
      return Problem(*std::move(problem));
    }
    rest.remove_prefix(end);
  }
  url.target = text.substr(static_cast<std::size_t>(rest.data() - text.data()));
  const bool opaque = !relative && !rest.empty() && !rest.starts_with('/');
  return Unescaped(opaque ? "" : rest, Part::kOther).transform([&](std::string path) {
    url.path = std::move(path);
    return url;
  });
}

}  // namespace

std::expected<Url, std::string> Url::Parse(std::string_view text) {
  return Read(text).transform_error(
      [](const std::string& problem) { return "this is not a URL: " + problem; });
}

std::string Url::Authority() const {
  const HostPort shown{.host = host,
                       .port = !port.empty()       ? port
                               : scheme == "https" ? "443"
                                                   : "80"};
  return shown.Text();
}

}  // namespace net
