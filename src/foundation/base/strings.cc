// SPDX-License-Identifier: Apache-2.0
#include "base/strings.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/error.h"
#include "base/secret_text.h"
#include "base/utf8.h"

namespace base {
namespace {

constexpr std::string_view kSpace = " \t\r\n\v\f";
constexpr std::string_view kBase64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

bool IsLowerAlnum(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

int HexDigit(char c) {
  if (c >= '0' && c <= '9') {
    return c - '0';
  }
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

}  // namespace

std::string Join(std::span<const std::string> parts, std::string_view separator) {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) {
      out += separator;
    }
    out += parts[i];
  }
  return out;
}

std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  for (std::size_t end = text.find(separator); end != text.npos;
       end = text.find(separator, start)) {
    parts.emplace_back(text.substr(start, end - start));
    start = end + 1;
  }
  parts.emplace_back(text.substr(start));
  return parts;
}

std::vector<std::string> Fields(std::string_view text) {
  std::vector<std::string> parts;
  for (std::size_t start = text.find_first_not_of(kSpace); start != text.npos;) {
    const std::size_t end = std::min(text.find_first_of(kSpace, start), text.size());
    parts.emplace_back(text.substr(start, end - start));
    start = text.find_first_not_of(kSpace, end);
  }
  return parts;
}

std::vector<std::string> Lines(std::string_view text) {
  std::vector<std::string> lines = Split(text, '\n');
  if (lines.back().empty()) {
    lines.pop_back();
  }
  for (std::string& line : lines) {
    if (line.ends_with('\r')) {
      line.pop_back();
    }
  }
  return lines;
}

std::string_view Trim(std::string_view text) {
  const std::size_t start = text.find_first_not_of(kSpace);
  if (start == text.npos) {
    return {};
  }
  return text.substr(start, text.find_last_not_of(kSpace) - start + 1);
}

std::string ToLower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](unsigned char c) {
    return static_cast<char>(c < 0x80 ? std::tolower(c) : c);
  });
  return out;
}

std::string ReplaceAll(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string Quoted(std::string_view text) {
  std::string marked;
  for (const char c : text) {
    marked += c == '"' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
  }
  return "\"" + Visible(marked) + "\"";
}

std::string QuotedList(std::span<const std::string> parts) {
  std::vector<std::string> quoted;
  for (const std::string& part : parts) {
    quoted.push_back(Quoted(part));
  }
  return "[" + Join(quoted, " ") + "]";
}

std::string HexEncode(std::string_view bytes) {
  std::string out;
  for (const unsigned char c : bytes) {
    out += fmt::format("{:02x}", c);
  }
  return out;
}

std::string HexDecode(std::string_view text) {
  if (text.size() % 2 != 0) {
    throw Error(Error::Kind::kInvalid, "hex text has an odd number of digits");
  }
  std::string out;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = HexDigit(text[i]);
    const int low = HexDigit(text[i + 1]);
    if (high < 0 || low < 0) {
      throw Error(Error::Kind::kInvalid,
                  fmt::format("{} at position {} is not a hex digit",
                              Quoted(text.substr(high < 0 ? i : i + 1, 1)), high < 0 ? i : i + 1));
    }
    out += static_cast<char>(high * 16 + low);
  }
  return out;
}

std::string Base64Encode(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned group = 0;
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t j = 0; j < 3; ++j) {
      group = group << 8 | (j < count ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      out += j <= count ? kBase64[group >> (18 - 6 * j) & 63] : '=';
    }
  }
  return out;
}

std::string Base64Decode(std::string_view text) {
  // The input may be a private key. A string that grows would leave copies of the key in freed
  // memory.
  std::string digits;
  digits.reserve(text.size());
  const Wiper wiper(digits);
  std::ranges::copy_if(text, std::back_inserter(digits),
                       [](char c) { return c != '\n' && c != '\r'; });
  const auto bad = [] { return Error(Error::Kind::kInvalid, "illegal base64 data"); };
  if (digits.size() % 4 != 0) {
    throw bad();
  }
  std::size_t padding = 0;
  while (padding < 2 && digits.ends_with('=')) {
    digits.pop_back();
    ++padding;
  }
  std::string out;
  out.reserve(digits.size() / 4 * 3 + 2);
  unsigned group = 0;
  int bits = 0;
  for (const char c : digits) {
    const std::size_t value = kBase64.find(c);
    if (value == kBase64.npos) {
      throw bad();
    }
    group = group << 6 | static_cast<unsigned>(value);
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      out += static_cast<char>(group >> bits & 0xff);
    }
  }
  return out;
}

std::string Base64UrlEncode(std::string_view bytes) {
  std::string out = Base64Encode(bytes);
  while (out.ends_with('=')) {
    out.pop_back();
  }
  std::ranges::replace(out, '+', '-');
  std::ranges::replace(out, '/', '_');
  return out;
}

bool IsDns1123Label(std::string_view text) {
  return !text.empty() && text.size() <= 63 && IsLowerAlnum(text.front()) &&
         IsLowerAlnum(text.back()) &&
         std::ranges::all_of(text, [](char c) { return IsLowerAlnum(c) || c == '-'; });
}

bool IsDns1123Subdomain(std::string_view text) {
  // Kubernetes limits the length of the whole name here, not that of each label.
  return text.size() <= 253 && std::ranges::all_of(Split(text, '.'), [](const std::string& part) {
           return !part.empty() && IsLowerAlnum(part.front()) && IsLowerAlnum(part.back()) &&
                  std::ranges::all_of(part, [](char c) { return IsLowerAlnum(c) || c == '-'; });
         });
}

}  // namespace base
