// SPDX-License-Identifier: Apache-2.0
#include "pki/pem_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <expected>
#include <iterator>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/secret_text.h"
#include "base/strings.h"

namespace pki {
namespace {

constexpr std::string_view kBegin = "-----BEGIN ";
constexpr std::string_view kEnd = "\n-----END ";
constexpr std::string_view kDashes = "-----";
constexpr std::string_view kBlanks = " \t";

// Takes a line without its trailing blanks.
std::string_view TakeTrimmedLine(std::string_view& text) {
  const std::string_view line = TakePemLine(text);
  return line.substr(0, line.find_last_not_of(kBlanks) + 1);
}

// The content between BEGIN and END lines.
struct Frame {
  std::string_view label;
  bool has_headers = false;
  std::string_view base64;
};

enum class Flaw {
  kSkipped,
  kLast,  // its headers extend beyond its END line: no later block is read
};

// Parses an input that begins after "-----BEGIN " and has kEnd at `end`.
std::expected<Frame, Flaw> FrameOf(std::string_view text, std::size_t end) {
  Frame frame;
  std::string_view rest = text;
  const std::string_view first = TakeTrimmedLine(rest);
  if (!first.ends_with(kDashes)) {
    return std::unexpected(Flaw::kSkipped);
  }
  for (std::string_view next = rest; TakePemLine(next).find(':') != std::string_view::npos;) {
    frame.has_headers = true;
    rest = next;
  }
  const std::size_t begin = text.size() - rest.size();
  if (begin > end + 1) {
    return std::unexpected(Flaw::kLast);
  }
  std::string_view behind = text.substr(end + kEnd.size());
  if (TakeTrimmedLine(behind) != first || (frame.has_headers && begin > end)) {
    return std::unexpected(Flaw::kSkipped);
  }
  frame.label = first.substr(0, first.size() - kDashes.size());
  frame.base64 = text.substr(begin, std::max(begin, end) - begin);
  return frame;
}

std::optional<std::string> Decoded(std::string_view base64) {
  std::string digits;
  digits.reserve(base64.size());
  const base::Wiper wiper(digits);
  std::ranges::copy_if(base64, std::back_inserter(digits),
                       [](char c) { return kBlanks.find(c) == std::string_view::npos; });
  try {
    return base::Base64Decode(digits);
  } catch (const base::Error&) {
    return std::nullopt;  // damaged: not a block
  }
}

// Returns the offset after the last BEGIN before `end`, if that begins its line.
std::optional<std::size_t> BeginBefore(std::string_view text, std::size_t end) {
  const std::size_t begin = text.substr(0, end).rfind(kBegin);
  if (begin == std::string_view::npos || (begin > 0 && text[begin - 1] != '\n')) {
    return std::nullopt;
  }
  return begin + kBegin.size();
}

// Removes the input up to and including the END line of the next block, and returns the block.
// Returns std::nullopt if no block follows.
std::optional<Frame> NextFrame(std::string_view& text) {
  for (std::size_t end = text.find(kEnd); end != std::string_view::npos; end = text.find(kEnd)) {
    const auto begin = BeginBefore(text, end);
    const auto frame = begin ? FrameOf(text.substr(*begin), end - *begin)
                             : std::expected<Frame, Flaw>(std::unexpected(Flaw::kSkipped));
    if (!frame && frame.error() == Flaw::kLast) {
      break;
    }
    text.remove_prefix(end + kEnd.size());
    if (frame) {
      return *frame;
    }
  }
  return std::nullopt;
}

}  // namespace

std::string_view TakePemLine(std::string_view& text) {
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (end != std::string_view::npos && line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  return line;
}

void ForEachPemBlock(std::string_view text, const VisitPemBlock& visit) {
  if (text.size() > kLongestPem) {
    throw base::Error(base::Error::Kind::kInvalid,
                      fmt::format("{} MiB of text are more than the {} MiB that are read as PEM",
                                  text.size() >> 20, kLongestPem >> 20));
  }
  while (const std::optional<Frame> frame = NextFrame(text)) {
    std::optional<std::string> bytes = Decoded(frame->base64);
    if (!bytes) {
      continue;
    }
    TakePemLine(text);  // after a valid block the whole END line is skipped
    const base::Wiper wiper(*bytes);
    if (!visit({frame->label, frame->has_headers, *bytes})) {
      return;
    }
  }
}

}  // namespace pki
