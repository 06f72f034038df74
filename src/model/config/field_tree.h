// SPDX-License-Identifier: Apache-2.0
// FieldTree: the fields of every kind of a configuration file as a tree, for `config explain` and
// the JSON Schema. It is built from the tables that decoding and encoding use.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace config {

// A field, or a whole kind. If the field is a list or a map, `leaf` and `fields` describe its
// elements.
struct FieldNode {
  enum class Container { kList, kMap };
  enum class Leaf {
    kBool,
    kInt32,
    kInt64,
    kUint32,
    kFloat,
    kString,
    kDuration,        // "4m0s"
    kTimeOrDuration,  // nanoseconds, or a string such as "4m0s"
    kTime,            // RFC 3339
    kQuantity,        // "100Mi" or a number
    kObject           // has `fields`
  };

  std::string name;                        // as in a file; the kind's name at the top
  std::vector<Container> containers = {};  // outermost first
  Leaf leaf = Leaf::kObject;
  std::string help = {};
  bool since_v1beta4 = false;          // v1beta3 lacks it, or has another form
  std::vector<FieldNode> fields = {};  // sorted by name

  // TypeText is "string", "[]object", "map[string]bool".
  std::string TypeText() const;
};

struct KindTree {
  std::string api_version;
  FieldNode root;
};

// All kinds that kubeadm reads: its own, then those of components.
const std::vector<KindTree>& FieldTrees();

// A field and its location; `path` is "" for a whole kind.
struct FoundField {
  const KindTree* kind = nullptr;
  std::string path = {};
  const FieldNode* node = nullptr;
};

// Finds fields in all kinds by a path: "InitConfiguration", "ClusterConfiguration.etcd.local",
// "init.timeouts" (the kind without "Configuration"), "networking.podSubnet". If no kind has such a
// path at its top level, finds all fields whose path ends with `text`. Ignores case and list
// indexes. For a list or a map, returns the element. Returns an empty list without a match.
std::vector<FoundField> FindFields(std::string_view text);

// Returns the names of all kinds and fields, each once, in alphabetical order.
std::vector<std::string> FieldNames();

}  // namespace config
