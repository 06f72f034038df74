// SPDX-License-Identifier: Apache-2.0
// YAML as Kubernetes reads and writes it (sigs.k8s.io/yaml over go-yaml v2): YAML 1.1 scalars,
// duplicate keys reported, JSON accepted, several documents in a stream.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/problems.h"
#include "json/budget.h"
#include "json/value.h"

namespace yaml {

// A position in an input, line and column counted from 1.
struct Position {
  int line = 0;
  int column = 0;
};

// Document is one document of a stream, as a JSON value.
struct Document {
  json::Value value;
  // The positions of keys by field path ("etcd.local.extraArgs[0].name"; "" is the document
  // itself). Lines count from the start of the whole stream. Fields from an alias or a merge key
  // have no position of their own. Fields deeper than 32, or with a path of more than 1024 bytes,
  // have none either.
  std::map<std::string, Position> positions;
  // Duplicate keys of one mapping ("line 3, column 1: key \"x\" already set in map"), also from a
  // merge key; the last one counts.
  base::Problems duplicates;
};

// The size limit of YAML input, in bytes. The largest files in use, lists of ten thousand machines,
// have a tenth of it.
inline constexpr std::size_t kLongestYaml = std::size_t{16} << 20;
// The maximum number of documents in one input.
inline constexpr std::size_t kMostYamlDocuments = 1000;

// Parses the first document of an input and ignores the rest. Throws base::Error(kInvalid) "line N,
// column M: …" for malformed YAML, and for values that JSON cannot express (infinity, keys that are
// lists). Throws kInvalid for input longer than kLongestYaml, deeper than kMaxDepth, or beyond
// `budget`. If aliases exceed the budget, the message has go-yaml's words: "document contains
// excessive aliasing". Empty input is null. `first_line` is the number of the input's first line in
// messages and positions.
Document Parse(std::string_view text, int first_line, json::Budget& budget);
Document Parse(std::string_view text, int first_line = 1);

// Returns the position of a field, or of its nearest parent that has a position.
Position PositionOf(const Document& document, std::string_view path);

// One document of a stream, with the line on which it begins.
struct Piece {
  std::string text;
  int first_line = 1;
};

// Splits a stream at lines that begin with "---". This is Kubernetes' own rule, not YAML's: it
// looks only at lines. Leaves out empty pieces, but not pieces of only comments. Throws
// base::Error(kInvalid) if anything but spaces and a comment follows the "---", and for more than
// kLongestYaml of input or kMostYamlDocuments.
std::vector<Piece> Split(std::string_view stream);

// Returns false for a piece of only comments, white space, directives (%YAML) and end marks.
bool HasContent(const Piece& piece);

// Writes a value with sorted keys (numbers within them by value, letters after other characters)
// and go-yaml's choice of quotes. Indents by two spaces; a sequence in a mapping is not indented
// further. Ends with a line end. {} and [] are written in flow form. Strings of several words are
// folded at column 80, as in go-yaml.
std::string Emit(const json::Value& value);

}  // namespace yaml
