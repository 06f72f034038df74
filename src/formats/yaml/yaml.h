// SPDX-License-Identifier: Apache-2.0
// YAML as Kubernetes reads and writes it (sigs.k8s.io/yaml over go-yaml v2): YAML 1.1 scalars,
// duplicate keys noticed, JSON accepted, several documents in a stream.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/problems.h"
#include "json/budget.h"
#include "json/value.h"

namespace yaml {

// Position in a text, both counted from 1.
struct Position {
  int line = 0;
  int column = 0;
};

// Document is one document of a stream, as a JSON value.
struct Document {
  json::Value value;
  // Where each field's key stands, by field path ("etcd.local.extraArgs[0].name"; "" is the
  // document itself). Lines count from the start of the whole stream. What an alias or a merge key
  // brought in has no position of its own, nor has what lies more than 32 deep or has a path of
  // more than 1024 bytes.
  std::map<std::string, Position> positions;
  // Keys given twice in one mapping ("line 3, column 1: key \"x\" already set in map"), also when a
  // merge key gave them; the last wins.
  base::Problems duplicates;
};

// kLongestYaml is the most text that is read as YAML, in bytes. The largest files in use, lists of
// ten thousand machines, have a tenth of it.
inline constexpr std::size_t kLongestYaml = std::size_t{16} << 20;
// kMostYamlDocuments is how many documents one text may have.
inline constexpr std::size_t kMostYamlDocuments = 1000;

// Parse reads the first document of a text; what follows it is ignored. Throws
// base::Error(kInvalid) "line N, column M: …" for text that is not YAML, for values that JSON
// cannot hold (infinity, keys that are lists), for text that is longer than kLongestYaml, lies
// deeper than kMaxDepth, or would take more memory than `budget` has left. When aliases are what
// does it, the text says so in go-yaml's words: "document contains excessive aliasing". Empty text
// is null. `first_line` is the number of the text's first line in messages and positions.
Document Parse(std::string_view text, int first_line, json::Budget& budget);
Document Parse(std::string_view text, int first_line = 1);

// PositionOf is the position of a field or of the nearest of its owners that has one.
Position PositionOf(const Document& document, std::string_view path);

// Piece is the text of one document of a stream and the line on which it begins.
struct Piece {
  std::string text;
  int first_line = 1;
};

// Split cuts a stream at lines that begin with "---" (Kubernetes' own rule, not YAML's: it
// looks at lines only). Pieces of zero length are left out; one of comments only is not. Throws
// base::Error(kInvalid) when anything but blanks and a comment follows the "---", and for more than
// kLongestYaml of text or kMostYamlDocuments.
std::vector<Piece> Split(std::string_view stream);

// HasContent is false for a piece of comments, blanks, directives (%YAML) and end marks alone.
bool HasContent(const Piece& piece);

// Emit writes a value with sorted keys (numbers within them by value, letters after other
// characters), two-blank indentation, sequences not indented in their mapping, and go-yaml's choice
// of quotes; ends with a line end. {} and [] are written in flow form. Texts of several words
// are folded at column 80, as go-yaml does.
std::string Emit(const json::Value& value);

}  // namespace yaml
