// YAML as Kubernetes reads and writes it (sigs.k8s.io/yaml over go-yaml v2): YAML 1.1 scalars,
// duplicate keys noticed, JSON accepted, several documents in a stream.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/problems.h"
#include "data/json.h"

namespace data {

// Position in a text, both counted from 1.
struct Position {
  int line = 0;
  int column = 0;
};

// YamlDocument is one document of a stream, as a JSON value.
struct YamlDocument {
  Json value;
  // Where each field's key stands, by field path ("etcd.local.extraArgs[0].name"; "" is the
  // document itself). Lines count from the start of the whole stream.
  std::map<std::string, Position> positions;
  // Keys given twice in one mapping ("key \"x\" already set in map", with line); the last wins.
  base::Problems duplicates;
};

// ParseYaml reads one document. Throws base::Error(kInvalid) "… line N, column M: …" for text that
// is no YAML. Empty text is null. `first_line` is the number of the text's first line in messages.
YamlDocument ParseYaml(std::string_view text, int first_line = 1);

// YamlPiece is the text of one document of a stream and the line on which it begins.
struct YamlPiece {
  std::string text;
  int first_line = 1;
};

// SplitYaml cuts a stream at lines that begin with "---" (Kubernetes' own rule, not YAML's: it
// looks at lines only). Pieces of zero length are left out; one of comments only is not.
std::vector<YamlPiece> SplitYaml(std::string_view stream);

// EmitYaml writes a value with sorted keys, two-blank indentation, sequences not indented in their
// mapping, and go-yaml's choice of quotes; ends with a line end. {} and [] are written in flow
// form.
std::string EmitYaml(const Json& value);

}  // namespace data
