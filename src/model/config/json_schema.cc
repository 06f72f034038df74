#include "config/json_schema.h"

#include <cstdint>
#include <limits>
#include <ranges>

#include "config/field_tree.h"

namespace config {
namespace {

using data::OrderedJson;
using Container = FieldNode::Container;
using Leaf = FieldNode::Leaf;

// A signed sequence of numbers with units, as Go's time.ParseDuration reads them.
constexpr std::string_view kDurationPattern =
    "^[+-]?(0|([0-9]+(\\.[0-9]*)?|\\.[0-9]+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h))+$";

OrderedJson ObjectSchema(const FieldNode& node);

OrderedJson Duration() { return {{"type", "string"}, {"pattern", kDurationPattern}}; }

template <typename T>
OrderedJson Integer() {
  return {{"type", "integer"},
          {"minimum", std::numeric_limits<T>::min()},
          {"maximum", std::numeric_limits<T>::max()}};
}

OrderedJson LeafSchema(const FieldNode& node) {
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
      return {{"oneOf", OrderedJson::array({{{"type", "integer"}}, Duration()})}};
    case Leaf::kTime:
      return {{"type", "string"}, {"format", "date-time"}};
    case Leaf::kQuantity:
      return {{"type", OrderedJson::array({"string", "number"})}};
    case Leaf::kObject:
      break;
  }
  return ObjectSchema(node);
}

OrderedJson SchemaOf(const FieldNode& node) {
  OrderedJson schema = LeafSchema(node);
  for (const Container container : std::views::reverse(node.containers)) {
    schema = container == Container::kList
                 ? OrderedJson{{"type", "array"}, {"items", std::move(schema)}}
                 : OrderedJson{{"type", "object"}, {"additionalProperties", std::move(schema)}};
  }
  if (!node.help.empty()) {
    schema["description"] = node.help;
  }
  return schema;
}

OrderedJson ObjectSchema(const FieldNode& node) {
  OrderedJson properties = OrderedJson::object();
  for (const FieldNode& field : node.fields) {
    properties[field.name] = SchemaOf(field);
  }
  return {
      {"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
}

OrderedJson KindSchema(const KindTree& kind) {
  OrderedJson schema = SchemaOf(kind.root);
  schema["properties"]["apiVersion"] = {{"const", kind.api_version}};
  schema["properties"]["kind"] = {{"const", kind.root.name}};
  schema["required"] = {"apiVersion", "kind"};
  return schema;
}

}  // namespace

OrderedJson JsonSchema() {
  OrderedJson choices = OrderedJson::array();
  OrderedJson kinds = OrderedJson::object();
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
