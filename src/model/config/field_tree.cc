// SPDX-License-Identifier: Apache-2.0
#include "config/field_tree.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>

#include "base/strings.h"
#include "config/component_configs.h"
#include "config/documents.h"
#include "config/extension.h"
#include "config/schema.h"
#include "config/types.h"
#include "config/versions.h"
#include "json/field_path.h"

namespace config {
namespace {

using Container = FieldNode::Container;
using Leaf = FieldNode::Leaf;

std::vector<FieldNode> NodesOf(std::span<const json::Field> rows);
std::vector<FieldNode> NodesOfRows(std::string_view owner);

void SetType(const json::Type& type, FieldNode& node) {
  using Kind = json::Type::Kind;
  static const std::map<Kind, Leaf> kLeaves = {
      {Kind::kBool, Leaf::kBool},         {Kind::kInt32, Leaf::kInt32},
      {Kind::kInt64, Leaf::kInt64},       {Kind::kString, Leaf::kString},
      {Kind::kDuration, Leaf::kDuration}, {Kind::kTime, Leaf::kTime},
      {Kind::kStruct, Leaf::kObject}};
  if (type.kind == Kind::kJson) {
    node.fields = NodesOfRows("EnvVar");  // the only fields with raw JSON
    return;
  }
  if (const auto leaf = kLeaves.find(type.kind); leaf != kLeaves.end()) {
    node.leaf = leaf->second;
    if (type.kind == Kind::kStruct) {
      node.fields = NodesOf(type.fields());
    }
    return;
  }
  if (type.kind != Kind::kOptional) {
    node.containers.push_back(type.kind == Kind::kList ? Container::kList : Container::kMap);
  }
  SetType(*type.element(), node);
}

bool IsInV1beta3(std::span<const json::Field> rows, const json::Field& row) {
  return std::ranges::any_of(rows, [&](const json::Field& other) {
    return other.name == row.name && (other.versions & kV1beta3) != 0 && other.type == row.type;
  });
}

void Sort(std::vector<FieldNode>& nodes) { std::ranges::sort(nodes, {}, &FieldNode::name); }

std::vector<FieldNode> NodesOf(std::span<const json::Field> rows) {
  std::vector<FieldNode> nodes;
  for (const json::Field& row : rows) {
    if ((row.versions & kV1beta4) == 0) {
      continue;
    }
    FieldNode node{.name = std::string(row.name),
                   .help = std::string(row.help),
                   .since_v1beta4 = !IsInV1beta3(rows, row)};
    SetType(*row.type(), node);
    if (row.name.empty()) {
      std::ranges::move(node.fields, std::back_inserter(nodes));
    } else {
      nodes.push_back(std::move(node));
    }
  }
  Sort(nodes);
  return nodes;
}

// Sets the node's type from a type in the notation of config/schema.h.
void SetRowType(std::string_view type, FieldNode& node) {
  static const std::map<std::string_view, Leaf> kLeaves = {{"bool", Leaf::kBool},
                                                           {"int32", Leaf::kInt32},
                                                           {"int64", Leaf::kInt64},
                                                           {"uint32", Leaf::kUint32},
                                                           {"float32", Leaf::kFloat},
                                                           {"float64", Leaf::kFloat},
                                                           {"string", Leaf::kString},
                                                           {"dur", Leaf::kDuration},
                                                           {"timeordur", Leaf::kTimeOrDuration},
                                                           {"quantity", Leaf::kQuantity},
                                                           {"time", Leaf::kTime}};
  while (type.starts_with('!') || type.starts_with('*')) {
    type.remove_prefix(1);
  }
  if (type.starts_with("[]")) {
    node.containers.push_back(Container::kList);
    return SetRowType(type.substr(2), node);
  }
  if (type.starts_with("map[]")) {
    node.containers.push_back(Container::kMap);
    return SetRowType(type.substr(5), node);
  }
  const auto leaf = kLeaves.find(type);
  if (leaf != kLeaves.end()) {
    node.leaf = leaf->second;
  } else {
    node.fields = NodesOfRows(type);
  }
}

std::vector<FieldNode> NodesOfRows(std::string_view owner) {
  std::vector<FieldNode> nodes;
  for (const SchemaRow& row : RowsOf(owner)) {
    FieldNode node{.name = std::string(row.name)};
    SetRowType(row.type, node);
    nodes.push_back(std::move(node));
  }
  Sort(nodes);
  return nodes;
}

KindTree Kubeadm(std::string_view kind, std::string_view help,
                 std::span<const json::Field> (*fields)()) {
  return {
      .api_version = std::string(kKubeadmApiVersion),
      .root = {.name = std::string(kind), .help = std::string(help), .fields = NodesOf(fields())}};
}

KindTree Extension() {
  return {.api_version = std::string(kExtensionApiVersion),
          .root = {.name = std::string(kExtensionKind),
                   .help = "features that other kubeadms do not have",
                   .fields = NodesOf(ExtensionConfiguration::Fields())}};
}

KindTree Component(std::string_view api_version, std::string_view kind, std::string_view help) {
  return {
      .api_version = std::string(api_version),
      .root = {.name = std::string(kind), .help = std::string(help), .fields = NodesOfRows(kind)}};
}

// Returns the names of a path in lower case, without list indexes.
std::vector<std::string> SplitPath(std::string_view text) {
  std::vector<std::string> names;
  for (const std::string& part : base::Split(text, '.')) {
    names.push_back(base::ToLower(std::string_view(part).substr(0, part.find('['))));
  }
  return names;
}

bool Names(const FieldNode& root, const std::string& word) {
  const std::string kind = base::ToLower(root.name);
  return word == kind || word + "configuration" == kind;
}

// Returns whether the path ends with these names.
bool EndsWith(const std::string& path, const std::vector<std::string>& names) {
  const std::vector<std::string> have = SplitPath(path);
  return have.size() >= names.size() && std::equal(names.rbegin(), names.rend(), have.rbegin());
}

using Visit = std::function<void(const std::string& path, const FieldNode& node)>;

void Walk(const FieldNode& node, const std::string& path, const Visit& visit) {
  for (const FieldNode& field : node.fields) {
    const std::string at = json::MemberPath(path, field.name);
    visit(at, field);
    Walk(field, at, visit);
  }
}

enum class Where { kAtTop, kAnywhere };

std::vector<FoundField> Search(const KindTree& kind, const std::vector<std::string>& names,
                               Where where) {
  std::vector<FoundField> found;
  Walk(kind.root, "", [&](const std::string& path, const FieldNode& node) {
    if (EndsWith(path, names) &&
        (where == Where::kAnywhere || SplitPath(path).size() == names.size())) {
      found.push_back({&kind, path, &node});
    }
  });
  return found;
}

std::vector<FoundField> SearchAll(const std::vector<std::string>& names, Where where) {
  std::vector<FoundField> found;
  for (const KindTree& kind : FieldTrees()) {
    std::ranges::move(Search(kind, names, where), std::back_inserter(found));
  }
  return found;
}

void CollectNames(const FieldNode& node, std::set<std::string>& names) {
  names.insert(node.name);
  for (const FieldNode& field : node.fields) {
    CollectNames(field, names);
  }
}

}  // namespace

std::string FieldNode::TypeText() const {
  static constexpr std::array<std::string_view, 11> kNames = {
      "bool", "int32",    "int64", "uint32", "float", "string", "duration", "number or duration",
      "time", "quantity", "object"};
  std::string text;
  for (const Container container : containers) {
    text += container == Container::kList ? "[]" : "map[string]";
  }
  return text.append(kNames.at(static_cast<std::size_t>(leaf)));
}

const std::vector<KindTree>& FieldTrees() {
  static const std::vector<KindTree> trees = {
      Kubeadm("InitConfiguration", "settings of init on this node", InitConfiguration::Fields),
      Kubeadm("ClusterConfiguration", "settings that all nodes of the cluster share",
              ClusterConfiguration::Fields),
      Kubeadm("JoinConfiguration", "settings of a node that joins", JoinConfiguration::Fields),
      Kubeadm("ResetConfiguration", "settings of reset on this node", ResetConfiguration::Fields),
      Kubeadm("UpgradeConfiguration", "settings of the commands of upgrade",
              UpgradeConfiguration::Fields),
      Extension(),
      Component(kKubeletApiVersion, kKubeletKind, "the kubelets of the cluster"),
      Component(kKubeProxyApiVersion, kKubeProxyKind, "the kube-proxies of the cluster")};
  return trees;
}

std::vector<FoundField> FindFields(std::string_view text) {
  std::vector<std::string> names = SplitPath(text);
  for (const KindTree& kind : FieldTrees()) {
    if (!Names(kind.root, names.front())) {
      continue;
    }
    if (names.size() == 1) {
      return {{.kind = &kind, .node = &kind.root}};
    }
    names.erase(names.begin());
    return Search(kind, names, Where::kAtTop);
  }
  std::vector<FoundField> found = SearchAll(names, Where::kAtTop);
  return found.empty() ? SearchAll(names, Where::kAnywhere) : found;
}

std::vector<std::string> FieldNames() {
  std::set<std::string> names;
  for (const KindTree& kind : FieldTrees()) {
    CollectNames(kind.root, names);
  }
  return {names.begin(), names.end()};
}

}  // namespace config
