#include "pki/pem_block.h"

#include <array>

namespace pki {
namespace {

constexpr std::string_view kBegin = "-----BEGIN ";
constexpr std::string_view kEnd = "-----END ";
constexpr std::string_view kDashes = "-----";

struct Line {
  std::string_view text;  // without what ends it and blanks before that
  std::size_t next;       // where the next line begins
};

Line LineAt(std::string_view text, std::size_t at) {
  const std::size_t end = text.find('\n', at);
  const std::size_t stop = end == std::string_view::npos ? text.size() : end;
  std::string_view line = text.substr(at, stop - at);
  if (end != std::string_view::npos && line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  while (line.ends_with(' ') || line.ends_with('\t')) {
    line.remove_suffix(1);
  }
  return {line, end == std::string_view::npos ? text.size() : end + 1};
}

// FindLine is where the next line that starts with `prefix` begins, from the line at `at` on.
std::size_t FindLine(std::string_view text, std::string_view prefix, std::size_t at) {
  while (at < text.size() && !text.substr(at).starts_with(prefix)) {
    const std::size_t end = text.find('\n', at);
    if (end == std::string_view::npos) {
      return std::string_view::npos;
    }
    at = end + 1;
  }
  return at < text.size() ? at : std::string_view::npos;
}

int Digit(char c) {
  if (c >= 'A' && c <= 'Z') {
    return c - 'A';
  }
  if (c >= 'a' && c <= 'z') {
    return c - 'a' + 26;
  }
  if (c >= '0' && c <= '9') {
    return c - '0' + 52;
  }
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

// DecodeBase64 ends at the first character that has no place, so that a long text of broken blocks
// costs little. Blanks and line ends may stand anywhere.
std::optional<std::string> DecodeBase64(std::string_view text) {
  std::string out;
  unsigned value = 0;
  int digits = 0;
  int padding = 0;
  for (const char c : text) {
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
      continue;
    }
    const bool pads = c == '=' && (digits == 3 || (digits == 2 && padding == 0) || padding == 1);
    if (!pads && (padding > 0 || Digit(c) < 0)) {
      return {};
    }
    padding += pads ? 1 : 0;
    value = value << 6U | (pads ? 0U : static_cast<unsigned>(Digit(c)));
    if (++digits < 4) {
      continue;
    }
    const std::array<char, 3> bytes{static_cast<char>(value >> 16U), static_cast<char>(value >> 8U),
                                    static_cast<char>(value)};
    out.append(bytes.data(), static_cast<std::size_t>(3 - padding));
    value = 0;
    digits = padding > 0 ? 5 : 0;  // nothing may follow a padded group
  }
  return digits == 0 || digits == 5 ? std::optional(out) : std::nullopt;
}

// AfterHeaders is where the base64 begins: lines with a colon come before it.
std::size_t AfterHeaders(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    const Line line = LineAt(text, at);
    if (line.text.find(':') == std::string_view::npos) {
      return at;
    }
    at = line.next;
  }
  return at;
}

}  // namespace

std::optional<PemText> FirstPemBlock(std::string_view text) {
  std::size_t at = 0;
  while ((at = FindLine(text, kBegin, at)) != std::string_view::npos) {
    const Line first = LineAt(text, at + kBegin.size());
    std::string_view label = first.text;
    at = first.next;
    if (!label.ends_with(kDashes)) {
      continue;
    }
    label.remove_suffix(kDashes.size());
    const std::size_t body = AfterHeaders(text, at);
    const std::size_t end = FindLine(text, kEnd, body);
    if (end == std::string_view::npos) {
      return {};
    }
    const Line last = LineAt(text, end + kEnd.size());
    if (last.text != std::string(label) + std::string(kDashes)) {
      continue;
    }
    if (auto bytes = DecodeBase64(text.substr(body, end - body))) {
      return PemText{.label = std::string(label), .bytes = *std::move(bytes)};
    }
  }
  return {};
}

}  // namespace pki
