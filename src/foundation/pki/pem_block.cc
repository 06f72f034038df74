// SPDX-License-Identifier: Apache-2.0
#include "pki/pem_block.h"

#include <fmt/core.h>

#include "base/error.h"
#include "base/strings.h"
#include "pki/pem_text.h"

namespace pki {
namespace {

constexpr std::string_view kWhiteSpace = " \t\r\n";
constexpr std::string_view kDashes = "-----";
constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";

using Refused = std::unexpected<std::string>;

// Returns the text from the BEGIN line on.
std::expected<std::string_view, std::string> AtBegin(std::string_view text,
                                                     std::string_view begin) {
  const std::size_t at = text.find_first_not_of(kWhiteSpace);
  if (at == std::string_view::npos) {
    return Refused("it is empty");
  }
  if (!text.substr(at).starts_with(begin)) {
    return Refused(text.find(begin) == std::string_view::npos
                       ? fmt::format("it does not begin with {}", begin)
                       : fmt::format("there is something before {}", begin));
  }
  if (at > 0 && text[at - 1] != '\n') {
    return Refused(fmt::format("{} is not at the beginning of its line", begin));
  }
  return text.substr(at);
}

// Returns what is wrong with a line between BEGIN and END, in words; "" if the line contains only
// base64.
std::string Oddity(std::string_view line) {
  if (line.empty()) {
    return "is empty";
  }
  if (line.find(kDashes) != std::string_view::npos) {
    return "has dashes of a second block";
  }
  if (line.find(':') != std::string_view::npos) {
    return "is a header";
  }
  const std::size_t at = line.find_first_not_of(kDigits);
  return at == std::string_view::npos
             ? ""
             : fmt::format("has {}, which is not base64", base::Quoted(line.substr(at, 1)));
}

std::expected<std::string, std::string> Decoded(const std::string& digits) {
  constexpr const char* kRefusal = "its base64 has wrong padding or spare bits";
  try {
    std::string bytes = base::Base64Decode(digits);
    if (base::Base64Encode(bytes) == digits) {
      return bytes;
    }
    return Refused(kRefusal);
  } catch (const base::Error&) {
    return Refused(kRefusal);
  }
}

}  // namespace

std::expected<std::string, std::string> OnlyPemBlock(std::string_view text,
                                                     std::string_view label) {
  const std::string begin = fmt::format("-----BEGIN {}-----", label);
  const std::string end = fmt::format("-----END {}-----", label);
  auto rest = AtBegin(text, begin);
  if (!rest) {
    return Refused(rest.error());
  }
  if (TakePemLine(*rest) != begin) {
    return Refused(fmt::format("there is something behind {}", begin));
  }
  std::string digits;
  for (int number = 2; !rest->starts_with(kDashes); ++number) {
    if (rest->empty()) {
      return Refused(fmt::format("it has no line {}", end));
    }
    const std::string_view line = TakePemLine(*rest);
    if (const std::string oddity = Oddity(line); !oddity.empty()) {
      return Refused(fmt::format("line {} of the block {}", number, oddity));
    }
    digits += line;
  }
  std::string_view last = TakePemLine(*rest);
  if (!last.starts_with(end)) {
    return Refused(fmt::format("its lines of base64 are not followed by {}", end));
  }
  last.remove_prefix(end.size());
  if (last.find_first_not_of(" \t") != std::string_view::npos ||
      rest->find_first_not_of(kWhiteSpace) != std::string_view::npos) {
    return Refused(fmt::format("there is something behind {}", end));
  }
  return Decoded(digits);
}

}  // namespace pki
