// SPDX-License-Identifier: Apache-2.0
// FieldTree: the fields of every kind of a configuration file as a tree, for `config explain` and
// the JSON Schema. It is made from the tables that decoding and encoding use.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace config {

// FieldNode is a field, or a whole kind. For a list or a map, `leaf`, `fields` and the rest
// describe the element.
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
    kTimeOrDuration,  // nanoseconds or the like of "4m0s"
    kTime,            // RFC 3339
    kQuantity,        // "100Mi" or a number
    kObject           // has `fields`
  };

  std::string name;                        // as in a file; the kind's name at the top
  std::vector<Container> containers = {};  // outermost first
  Leaf leaf = Leaf::kObject;
  std::string help = {};
  bool since_v1beta4 = false;          // v1beta3 does not have it, or in another form
  std::vector<FieldNode> fields = {};  // sorted by name

  // TypeText is "string", "[]object", "map[string]bool".
  std::string TypeText() const;
};

struct KindTree {
  std::string api_version;
  FieldNode root;
};

// FieldTrees are all kinds that kubeadm reads: its own, then those of components.
const std::vector<KindTree>& FieldTrees();

// FoundField is a field and where it stands; `path` is "" for a whole kind.
struct FoundField {
  const KindTree* kind = nullptr;
  std::string path = {};
  const FieldNode* node = nullptr;
};

// FindFields looks for "InitConfiguration", "ClusterConfiguration.etcd.local", "init.timeouts" (the
// kind without "Configuration"), "networking.podSubnet" in all kinds or, when no kind has that at
// its top, any field whose path ends so. Case does not matter, nor do list indexes
// ("taints[0].key"). Lists and maps are passed through to their elements. Nothing found: an empty
// list.
std::vector<FoundField> FindFields(std::string_view text);

// FieldNames are the names of all kinds and fields, each once, in alphabetical order.
std::vector<std::string> FieldNames();

}  // namespace config
