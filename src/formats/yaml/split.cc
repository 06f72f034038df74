// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/strings.h"
#include "yaml/events.h"
#include "yaml/yaml.h"

namespace yaml {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";  // written by editors on Windows

}  // namespace

std::vector<Piece> Split(std::string_view stream) {
  CheckSize(stream);
  if (stream.starts_with(kByteOrderMark)) {
    stream.remove_prefix(kByteOrderMark.size());
  }
  std::vector<Piece> pieces;
  Piece piece;
  int line_number = 0;
  while (!stream.empty()) {
    ++line_number;
    const std::size_t end = std::min(stream.find('\n'), stream.size() - 1) + 1;
    const std::string_view line = stream.substr(0, end);
    stream.remove_prefix(end);
    if (!line.starts_with("---")) {
      piece.text += line;
      continue;
    }
    const std::string_view rest = base::Trim(line.substr(3));
    if (!rest.empty() && !rest.starts_with('#')) {
      throw base::Error(
          base::Error::Kind::kInvalid,
          fmt::format("line {}: invalid YAML document separator: {}", line_number, rest));
    }
    if (!piece.text.empty()) {
      pieces.push_back(std::move(piece));
    }
    if (pieces.size() > kMostYamlDocuments) {
      throw base::Error(base::Error::Kind::kInvalid, fmt::format("line {}: more than {} documents",
                                                                 line_number, kMostYamlDocuments));
    }
    piece = {.text = "", .first_line = line_number + 1};
  }
  if (!piece.text.empty()) {
    if (!piece.text.ends_with('\n')) {
      piece.text += '\n';  // Kubernetes' reader ends every line, which matters in a block scalar
    }
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

bool HasContent(const Piece& piece) {
  // Reads line by line without a copy, because an input may have millions of lines.
  for (std::string_view rest = piece.text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = base::Trim(rest.substr(0, end));
    if (!line.empty() && !line.starts_with('#') && !line.starts_with('%') && line != "...") {
      return true;
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

}  // namespace yaml
