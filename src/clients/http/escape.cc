// SPDX-License-Identifier: Apache-2.0
#include "http/escape.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "base/error.h"

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

std::string EscapeSegment(std::string_view text) {
  if (text == "." || text == "..") {
    throw base::Error(base::Error::Kind::kInvalid,
                      fmt::format("{:?} is not a name: a path with it leads elsewhere", text));
  }
  return Escape(text, "!$&'()*+,;=:@");
}

std::string EscapeQuery(std::string_view text) { return Escape(text, ""); }

std::string Unescape(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    unsigned byte = 0;
    const std::string_view digits = text.substr(1, 2);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
    const bool escape = text[0] == '%' && digits.size() == 2 && error == std::errc() &&
                        end == digits.data() + digits.size();
    out += escape ? static_cast<char>(byte) : text[0];
    text.remove_prefix(escape ? 3 : 1);
  }
  return out;
}

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
