#include <fmt/core.h>

#include <algorithm>
#include <ostream>
#include <set>

#include "base/error.h"
#include "base/strings.h"
#include "cli/suggest.h"
#include "config/field_tree.h"
#include "config/json_schema.h"
#include "kubeadm/config/fields.h"
#include "kubeadm/documented.h"
#include "kubeadm/printed.h"

namespace kubeadm {
namespace {

using config::FieldNode;
using config::FoundField;

enum class Depth { kOneLevel, kAll };

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

std::string TextOf(const FoundField& found, Depth depth) {
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

json::Ordered ObjectOf(const std::vector<FoundField>& all, Depth depth) {
  json::Ordered fields = json::Ordered::array();
  for (const FoundField& found : all) {
    json::Ordered object = {{"ofKind", found.kind->root.name},
                            {"ofVersion", found.kind->api_version},
                            {"path", found.path},
                            {"type", found.node->TypeText()},
                            {"description", found.node->help},
                            {"sinceV1beta4", found.node->since_v1beta4},
                            {"fields", json::Ordered::array()}};
    for (const FieldNode& field : found.node->fields) {
      object["fields"].push_back(FieldObject(field, depth));
    }
    fields.push_back(std::move(object));
  }
  return {{"kind", "FieldExplanation"},
          {"apiVersion", "output.slipway/v1alpha1"},
          {"explained", std::move(fields)}};
}

void CollectNames(const FieldNode& node, std::set<std::string>& names) {
  for (const FieldNode& field : node.fields) {
    names.insert(field.name);
    CollectNames(field, names);
  }
}

[[noreturn]] void RefuseUnknown(const std::string& text) {
  std::set<std::string> names;
  for (const config::KindTree& kind : config::FieldTrees()) {
    names.insert(kind.root.name);
    CollectNames(kind.root, names);
  }
  const std::vector<std::string> all(names.begin(), names.end());
  const std::string last = text.substr(text.rfind('.') + 1);
  std::string message = fmt::format("no kind of configuration has a field {}", base::Quoted(text));
  if (const auto similar = cli::Similar(last, all); !similar.empty() && !last.empty()) {
    message += "; there are: " + base::Join(similar, ", ");
  }
  throw base::Error(base::Error::Kind::kUsage, message);
}

void Explain(cli::Invocation& invocation, const host::Host& host) {
  const print::Printer printer = PrinterOf(invocation.flags, host);
  if (invocation.flags.args().empty()) {
    throw base::Error(base::Error::Kind::kUsage,
                      "name a field, such as ClusterConfiguration.networking.podSubnet, or a kind");
  }
  const std::string& text = invocation.flags.args().front();
  const std::vector<FoundField> found = config::FindFields(text);
  if (found.empty()) {
    RefuseUnknown(text);
  }
  const Depth depth = invocation.flags.Bool("recursive") ? Depth::kAll : Depth::kOneLevel;
  if (!printer.IsText()) {
    invocation.streams.out << printer.Print(ObjectOf(found, depth));
    return;
  }
  std::vector<std::string> texts;
  for (const FoundField& field : found) {
    texts.push_back(TextOf(field, depth));
  }
  invocation.streams.out << base::Join(texts, "\n");
}

}  // namespace

cli::Command ExplainCommand(host::Host& host) {
  cli::Command command =
      Documented("explain", "Say what a field of a configuration file means", "config-explain");
  command.hidden = true;
  command.usage_args = "FIELD";
  command.max_args = 1;
  command.flags = PrinterFlags();
  command.flags.push_back({.name = "recursive",
                           .type = cli::FlagType::kBool,
                           .help = "Show all fields below it, without their descriptions"});
  for (const config::KindTree& kind : config::FieldTrees()) {
    command.arg_values.push_back(kind.root.name);
  }
  command.run = [&host](cli::Invocation& invocation) { Explain(invocation, host); };
  return command;
}

cli::Command SchemaCommand(host::Host& host) {
  cli::Command command =
      Documented("schema", "Print the JSON Schema of configuration files", "config-schema");
  command.hidden = true;
  command.flags = PrinterFlags();
  command.run = [&host](cli::Invocation& invocation) {
    const print::Printer printer = PrinterOf(invocation.flags, host);
    const json::Ordered schema = config::JsonSchema();
    invocation.streams.out << (printer.IsText() ? json::Pretty(schema, 2) + "\n"
                                                : printer.Print(schema));
  };
  return command;
}

}  // namespace kubeadm
