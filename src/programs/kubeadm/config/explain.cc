#include <fmt/core.h>

#include <ostream>
#include <set>

#include "base/error.h"
#include "base/strings.h"
#include "cli/suggest.h"
#include "config/explanation.h"
#include "config/field_tree.h"
#include "config/json_schema.h"
#include "kubeadm/config/fields.h"
#include "kubeadm/documented.h"
#include "kubeadm/printed.h"

namespace kubeadm {
namespace {

using config::Depth;
using config::FieldNode;
using config::FoundField;

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
    invocation.streams.out << printer.Print(config::ExplanationObject(found, depth));
    return;
  }
  invocation.streams.out << config::ExplanationText(found, depth);
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
