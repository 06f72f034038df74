// SPDX-License-Identifier: Apache-2.0
#include "config/json_schema.h"

#include <cstdint>
#include <limits>
#include <ranges>

#include "config/field_tree.h"
#include "json/value.h"

namespace config {
namespace {

using Container = FieldNode::Container;
using Leaf = FieldNode::Leaf;

// A signed sequence of numbers with units, as Go's time.ParseDuration reads them.
constexpr std::string_view kDurationPattern =
    "^[+-]?(0|([0-9]+(\\.[0-9]*)?|\\.[0-9]+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h))+$";

json::Ordered ObjectSchema(const FieldNode& node);

json::Ordered Duration() { return {{"type", "string"}, {"pattern", kDurationPattern}}; }

template <typename T>
json::Ordered Integer() {
  return {{"type", "integer"},
          {"minimum", std::numeric_limits<T>::min()},
          {"maximum", std::numeric_limits<T>::max()}};
}

json::Ordered LeafSchema(const FieldNode& node) {
  switch (node.leaf) {
    case Leaf::kBool:
      return {{"type", "boolean"}};
    case Leaf::kInt32:
      return Integer<std::int32_t>();
    case Leaf::kInt64:
      return Integer<std::int64_t>();
    case Leaf::kUint32:
      return Integer<std::uint32_t>();
    case Leaf::kFloat:
      return {{"type", "number"}};
    case Leaf::kString:
      return {{"type", "string"}};
    case Leaf::kDuration:
      return Duration();
    case Leaf::kTimeOrDuration:
      return {{"oneOf", json::Ordered::array({{{"type", "integer"}}, Duration()})}};
    case Leaf::kTime:
      return {{"type", "string"}, {"format", "date-time"}};
    case Leaf::kQuantity:
      return {{"type", json::Ordered::array({"string", "number"})}};
    case Leaf::kObject:
      break;
  }
  return ObjectSchema(node);
}

json::Ordered SchemaOf(const FieldNode& node) {
  json::Ordered schema = LeafSchema(node);
  for (const Container container : std::views::reverse(node.containers)) {
    schema = container == Container::kList
                 ? json::Ordered{{"type", "array"}, {"items", std::move(schema)}}
                 : json::Ordered{{"type", "object"}, {"additionalProperties", std::move(schema)}};
  }
  if (!node.help.empty()) {
    schema["description"] = node.help;
  }
  return schema;
}

json::Ordered ObjectSchema(const FieldNode& node) {
  json::Ordered properties = json::Ordered::object();
  for (const FieldNode& field : node.fields) {
    properties[field.name] = SchemaOf(field);
  }
  return {
      {"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
}

json::Ordered KindSchema(const KindTree& kind) {
  json::Ordered schema = SchemaOf(kind.root);
  schema["properties"]["apiVersion"] = {{"const", kind.api_version}};
  schema["properties"]["kind"] = {{"const", kind.root.name}};
  schema["required"] = {"apiVersion", "kind"};
  return schema;
}

}  // namespace

json::Ordered JsonSchema() {
  json::Ordered choices = json::Ordered::array();
  json::Ordered kinds = json::Ordered::object();
  for (const KindTree& kind : FieldTrees()) {
    choices.push_back({{"$ref", "#/$defs/" + kind.root.name}});
    kinds[kind.root.name] = KindSchema(kind);
  }
  return {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
          {"title", "A document of a configuration file of kubeadm"},
          {"oneOf", std::move(choices)},
          {"$defs", std::move(kinds)}};
}

}  // namespace config
