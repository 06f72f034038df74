#include "http/url.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "base/strings.h"

namespace http {
namespace {

std::string Escape(std::string_view text, std::string_view also_allowed) {
  constexpr std::string_view kUnreserved =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    if (kUnreserved.find(c) != std::string_view::npos ||
        also_allowed.find(c) != std::string_view::npos) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += {'%', kHex[byte >> 4], kHex[byte & 15]};
  }
  return out;
}

}  // namespace

HostPort SplitHostPort(std::string_view text) {
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    if (end == std::string_view::npos) {
      return {std::string(text), ""};
    }
    const std::string_view rest = text.substr(end + 1);
    return {std::string(text.substr(1, end - 1)),
            rest.starts_with(':') ? std::string(rest.substr(1)) : ""};
  }
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) {
    return {std::string(text), ""};
  }
  return {std::string(text.substr(0, colon)), std::string(text.substr(colon + 1))};
}

Url ParseUrl(std::string_view url) {
  Url parts;
  if (const auto scheme = url.find("://"); scheme != std::string_view::npos) {
    parts.scheme = base::ToLower(url.substr(0, scheme));
    url.remove_prefix(scheme + 3);
  }
  const auto end = url.find_first_of("/?#");
  std::string_view authority = url.substr(0, end);
  parts.path = end == std::string_view::npos ? "" : std::string(url.substr(end));
  if (const auto at = authority.rfind('@'); at != std::string_view::npos) {
    authority.remove_prefix(at + 1);
  }
  HostPort where = SplitHostPort(authority);
  parts.host = std::move(where.host);
  parts.port = std::move(where.port);
  return parts;
}

std::string Authority(const Url& url) {
  const bool six = url.host.find(':') != std::string::npos;
  const std::string host = six ? "[" + url.host + "]" : url.host;
  if (!url.port.empty()) {
    return host + ":" + url.port;
  }
  return host + (url.scheme == "https" ? ":443" : ":80");
}

std::string EscapeSegment(std::string_view text) { return Escape(text, "!$&'()*+,;=:@"); }

std::string EscapeQuery(std::string_view text) { return Escape(text, ""); }

bool HasControl(std::string_view text) {
  return std::ranges::any_of(text, [](char c) {
    return (static_cast<unsigned char>(c) < ' ' && c != '\t') || c == '\x7f';
  });
}

void RequireOneLine(std::string_view text, std::string_view what) {
  if (HasControl(text)) {
    throw base::Error(base::Error::Kind::kInvalid,
                      fmt::format("{} holds a line end or another control character", what));
  }
}

}  // namespace http
