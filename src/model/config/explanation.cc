// SPDX-License-Identifier: Apache-2.0
#include "config/explanation.h"

#include <fmt/core.h>

#include "base/strings.h"
#include "json/value.h"

namespace config {
namespace {

void AppendFields(const FieldNode& node, Depth depth, const std::string& indent,
                  std::string& text) {
  for (const FieldNode& field : node.fields) {
    text += fmt::format("{}{} <{}>{}\n", indent, field.name, field.TypeText(),
                        field.since_v1beta4 ? "  (this form since v1beta4)" : "");
    if (depth == Depth::kAll) {
      AppendFields(field, depth, indent + "  ", text);
    } else if (!field.help.empty()) {
      text += fmt::format("{}    {}\n", indent, field.help);
    }
  }
}

std::string FieldText(const FoundField& found, Depth depth) {
  const FieldNode& node = *found.node;
  std::string text =
      fmt::format("KIND:     {}\nVERSION:  {}\n", found.kind->root.name, found.kind->api_version);
  if (!found.path.empty()) {
    text += fmt::format("FIELD:    {} <{}>{}\n", found.path, node.TypeText(),
                        node.since_v1beta4 ? "  (this form since v1beta4)" : "");
  }
  if (!node.help.empty()) {
    text += fmt::format("\nDESCRIPTION:\n    {}\n", node.help);
  }
  if (!node.fields.empty()) {
    text += "\nFIELDS:\n";
    AppendFields(node, depth, "    ", text);
  }
  return text;
}

json::Ordered FieldObject(const FieldNode& node, Depth depth) {
  json::Ordered object = {{"name", node.name},
                          {"type", node.TypeText()},
                          {"description", node.help},
                          {"sinceV1beta4", node.since_v1beta4}};
  if (depth == Depth::kAll && !node.fields.empty()) {
    object["fields"] = json::Ordered::array();
    for (const FieldNode& field : node.fields) {
      object["fields"].push_back(FieldObject(field, depth));
    }
  }
  return object;
}

}  // namespace

json::Ordered ObjectOf(const Explanation& explanation) {
  json::Ordered fields = json::Ordered::array();
  for (const FoundField& found : explanation.fields) {
    json::Ordered object = {{"ofKind", found.kind->root.name},
                            {"ofVersion", found.kind->api_version},
                            {"path", found.path},
                            {"type", found.node->TypeText()},
                            {"description", found.node->help},
                            {"sinceV1beta4", found.node->since_v1beta4},
                            {"fields", json::Ordered::array()}};
    for (const FieldNode& field : found.node->fields) {
      object["fields"].push_back(FieldObject(field, explanation.depth));
    }
    fields.push_back(std::move(object));
  }
  return {{"kind", "FieldExplanation"},
          {"apiVersion", "output.slipway/v1alpha1"},
          {"explained", std::move(fields)}};
}

std::string TextOf(const Explanation& explanation) {
  std::vector<std::string> texts;
  for (const FoundField& found : explanation.fields) {
    texts.push_back(FieldText(found, explanation.depth));
  }
  return base::Join(texts, "\n");
}

}  // namespace config
