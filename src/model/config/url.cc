#include "config/url.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "base/error.h"
#include "base/strings.h"
#include "config/addresses.h"

namespace config {
namespace {

enum class Part { kHost, kPath };

bool IsAlnum(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }
bool IsAscii(char c) { return static_cast<unsigned char>(c) < 0x80; }

bool IsHostCharacter(char c) {
  return IsAlnum(c) || !IsAscii(c) || std::string_view("-_.~!$&'()*+,;=:[]<>\"%").contains(c);
}

bool IsUserCharacter(char c) {
  return IsAlnum(c) || std::string_view("-._:~!$&'()*+,;=%@").contains(c);
}

base::Error NoUrl(std::string why) {
  return base::Error(base::Error::Kind::kInvalid, "this is no URL: " + std::move(why));
}

// TakeScheme removes "https:" from the front; "" when the text has no scheme.
std::string TakeScheme(std::string_view& text) {
  const auto end = std::ranges::find_if_not(
      text, [](char c) { return IsAlnum(c) || c == '+' || c == '-' || c == '.'; });
  const auto length = static_cast<std::size_t>(end - text.begin());
  if (length == text.size() || text[length] != ':') {
    return "";
  }
  if (length == 0) {
    throw NoUrl("no scheme such as https:// stands before its colon");
  }
  if (std::isalpha(static_cast<unsigned char>(text.front())) == 0) {
    return "";
  }
  std::string scheme = base::ToLower(text.substr(0, length));
  text.remove_prefix(length + 1);
  return scheme;
}

// Unescaped undoes %XX. A host may escape '%' and what is no ASCII, nothing else.
std::string Unescaped(std::string_view text, Part part) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    const std::string_view escape = text.substr(i, 3);
    const bool hex = escape.size() == 3 && std::ranges::all_of(escape.substr(1), [](char c) {
                       return std::isxdigit(static_cast<unsigned char>(c)) != 0;
                     });
    const char byte = hex ? base::HexDecode(escape.substr(1)).front() : '%';
    if (!hex || (part == Part::kHost && IsAscii(byte) && byte != '%')) {
      throw NoUrl(fmt::format("invalid escape {}", base::Quoted(escape)));
    }
    out += byte;
    i += 2;
  }
  return out;
}

void CheckUser(std::string_view user) {
  if (!std::ranges::all_of(user, IsUserCharacter)) {
    throw NoUrl("invalid character in its user");
  }
  Unescaped(user, Part::kPath);
}

// CheckAddress looks at what stands in brackets; "%25" leads to the name of an interface.
void CheckAddress(std::string_view text) {
  const std::string_view address = text.substr(0, text.find("%25"));
  if (!address.contains(':') || !IsIp(address)) {
    throw NoUrl(fmt::format("{} is no IPv6 address", base::Quoted(text)));
  }
}

// CheckAuthority looks at "user@host:port".
void CheckAuthority(std::string_view authority) {
  const std::size_t at = authority.rfind('@');
  if (at != authority.npos) {
    CheckUser(authority.substr(0, at));
  }
  const std::string_view host = authority.substr(at + 1);
  const bool bracket = host.starts_with('[');
  if (bracket && !host.contains(']')) {
    throw NoUrl("']' is missing in its host");
  }
  const std::size_t end = bracket ? host.rfind(']') + 1 : std::min(host.find(':'), host.size());
  const std::string_view port = host.substr(end);
  if (!port.empty() &&
      (port.front() != ':' || port.find_first_not_of("0123456789", 1) != port.npos)) {
    throw NoUrl(fmt::format("invalid port {} behind its host", base::Quoted(port)));
  }
  if (bracket) {
    return CheckAddress(host.substr(1, end - 2));
  }
  const std::string name = Unescaped(host, Part::kHost);
  if (!std::ranges::all_of(name, IsHostCharacter)) {
    throw NoUrl(fmt::format("invalid character in its host {}", base::Quoted(name)));
  }
}

}  // namespace

Url ParseUrl(std::string_view text) {
  if (std::ranges::any_of(
          text, [](char c) { return std::iscntrl(static_cast<unsigned char>(c)) != 0; })) {
    throw NoUrl("it holds a control character");
  }
  const std::size_t fragment = std::min(text.find('#'), text.size());
  Unescaped(text.substr(fragment), Part::kPath);
  std::string_view rest = text.substr(0, fragment);
  Url url{.scheme = TakeScheme(rest), .path = ""};
  rest = rest.substr(0, rest.find('?'));
  if (!rest.starts_with('/')) {
    if (url.scheme.empty() && rest.substr(0, rest.find('/')).contains(':')) {
      throw NoUrl("no scheme such as https:// stands before its colon");
    }
    url.path = url.scheme.empty() ? Unescaped(rest, Part::kPath) : "";
    return url;
  }
  if (rest.starts_with("//") && (!url.scheme.empty() || !rest.starts_with("///"))) {
    rest.remove_prefix(2);
    const std::size_t end = std::min(rest.find('/'), rest.size());
    CheckAuthority(rest.substr(0, end));
    rest.remove_prefix(end);
  }
  url.path = Unescaped(rest, Part::kPath);
  return url;
}

}  // namespace config
