// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <ostream>

#include "base/error.h"
#include "base/strings.h"
#include "cli/suggest.h"
#include "cli/terminal.h"
#include "config/explanation.h"
#include "config/json_schema.h"
#include "kubeadm/command_line.h"
#include "kubeadm/commands.h"
#include "kubeadm/documented.h"
#include "kubeadm/printed.h"

namespace kubeadm {
namespace {

[[noreturn]] void RefuseUnknown(const std::string& text) {
  const std::string last = text.substr(text.rfind('.') + 1);
  std::string message = fmt::format("no kind of configuration has a field {}", base::Quoted(text));
  if (const auto similar = cli::Similar(last, config::FieldNames());
      !similar.empty() && !last.empty()) {
    message += "; there are: " + base::Join(similar, ", ");
  }
  throw base::Error(base::Error::Kind::kUsage, message);
}

void Explain(cli::Invocation& invocation, const host::Host& host) {
  const Output output(invocation, host);
  if (invocation.flags.args().empty()) {
    throw base::Error(base::Error::Kind::kUsage,
                      "name a field, such as ClusterConfiguration.networking.podSubnet, or a kind");
  }
  const std::string& text = invocation.flags.args().front();
  const config::Explanation explanation{
      .fields = config::FindFields(text),
      .depth = invocation.flags.Bool("recursive") ? config::Depth::kAll : config::Depth::kOneLevel};
  if (explanation.fields.empty()) {
    RefuseUnknown(text);
  }
  output.Show(explanation);
}

void PrintSchema(cli::Invocation& invocation, const host::Host& host) {
  const print::Printer printer = PrinterOf(invocation.flags, host);
  const json::Ordered schema = config::JsonSchema();
  invocation.streams.out << cli::Exact{printer.IsText() ? json::Pretty(schema, 2) + "\n"
                                                        : printer.Print(schema)};
}

}  // namespace

cli::Command ExplainCommand(host::Host& host) {
  cli::Command command =
      Made({.name = "explain",
            .summary = "Say what a field of a configuration file means",
            .text = "config-explain",
            .flags = WithPrinter(
                {Switch("recursive", "Show all fields below it, without their descriptions")}),
            .usage_args = "FIELD",
            .max_args = 1,
            .beyond_upstream = true,
            .run = Explain},
           host);
  for (const config::KindTree& kind : config::FieldTrees()) {
    command.arg_values.push_back(kind.root.name);
  }
  return command;
}

cli::Command SchemaCommand(host::Host& host) {
  return Made({.name = "schema",
               .summary = "Print the JSON Schema of configuration files",
               .text = "config-schema",
               .flags = PrinterFlags(),
               .beyond_upstream = true,
               .run = PrintSchema},
              host);
}

}  // namespace kubeadm
