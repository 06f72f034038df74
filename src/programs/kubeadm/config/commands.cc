// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/commands.h"

#include <ostream>

#include "base/error.h"
#include "cli/terminal.h"
#include "config/marshal.h"
#include "kubeadm/command_line.h"
#include "kubeadm/config/undo.h"
#include "kubeadm/documented.h"
#include "node_input/config_facts.h"

namespace kubeadm {
namespace {

using cli::FlagType;

// Returns the value of the flag that names the command's input. Throws base::Error(kUsage) without
// it.
std::string Mandatory(const cli::Invocation& invocation, const std::string& flag) {
  std::string path = invocation.flags.Text(flag);
  if (path.empty()) {
    throw base::Error(base::Error::Kind::kUsage,
                      "the --" + flag + " flag is mandatory: it names the configuration file");
  }
  return path;
}

auto Prints(std::function<std::string(const cli::Parsed& flags, host::Host& host)> text) {
  return [text = std::move(text)](cli::Invocation& invocation, host::Host& host) {
    invocation.streams.out << cli::Exact{text(invocation.flags, host)};
  };
}

std::vector<Leaf> PrintCommands() {
  return {
      {.name = "init-defaults",
       .summary = "Print what init starts from",
       .text = "config-print-init-defaults",
       .flags = {{.name = "component-configs",
                  .type = FlagType::kList,
                  .help = "Component configurations to print as well: KubeletConfiguration, "
                          "KubeProxyConfiguration"}},
       .run = Prints([](const cli::Parsed& flags, host::Host&) {
         return config::PrintInitDefaults(flags.List("component-configs"));
       })},
      {.name = "join-defaults",
       .summary = "Print what join starts from",
       .text = "config-print-join-defaults",
       .run = Prints([](const cli::Parsed&, host::Host& host) {
         return config::PrintJoinDefaults(host.machine.Hostname());
       })},
      {.name = "reset-defaults",
       .summary = "Print what reset starts from",
       .text = "config-print-reset-defaults",
       .run = Prints([](const cli::Parsed&, host::Host&) { return config::PrintResetDefaults(); })},
      {.name = "upgrade-defaults",
       .summary = "Print what upgrade starts from",
       .text = "config-print-upgrade-defaults",
       .run =
           Prints([](const cli::Parsed&, host::Host&) { return config::PrintUpgradeDefaults(); })}};
}

config::ExperimentalVersions Experimental(const cli::Parsed& flags) {
  return flags.Bool("allow-experimental-api") ? config::ExperimentalVersions::kAccept
                                              : config::ExperimentalVersions::kRefuse;
}

void WriteNew(const std::string& path, const std::string& text, host::Host& host) {
  base::WithContext("couldn't write the new configuration", [&] {
    if (!host.files.Exists(host::fs::path(path).parent_path() / ".")) {
      throw base::Error(base::Error::Kind::kNotFound,
                        "the directory of " + path + " does not exist: create it first");
    }
    host.files.Write(path, text, {.mode = 0644});
  });
}

void Migrate(cli::Invocation& invocation, host::Host& host) {
  const std::string path = Mandatory(invocation, "old-config");
  const std::string migrated =
      config::Migrate(node_input::ReadSource(host, path), node_input::CollectFacts(host),
                      Experimental(invocation.flags));
  if (const std::string& target = invocation.flags.Text("new-config"); !target.empty()) {
    WriteNew(target, migrated, host);
  } else {
    invocation.streams.out << cli::Exact{migrated};
  }
}

void Validate(cli::Invocation& invocation, host::Host& host) {
  const std::string path = Mandatory(invocation, "config");
  const auto deprecated = invocation.flags.Bool("allow-deprecated-api")
                              ? config::DeprecatedVersions::kAccept
                              : config::DeprecatedVersions::kWarn;
  config::ValidateFile(node_input::ReadSource(host, path), node_input::CollectFacts(host),
                       deprecated, Experimental(invocation.flags));
  invocation.streams.out << "ok\n";
}

cli::Flag ExperimentalFlag() {
  return Switch("allow-experimental-api",
                "Also take API versions that are still experiments: kubeadm.k8s.io/v1");
}

Leaf MigrateLeaf() {
  return {.name = "migrate",
          .summary = "Write a configuration file in the current version",
          .text = "config-migrate",
          .flags = {ExperimentalFlag(),
                    {.name = "new-config",
                     .help = "The file to write; standard output if it is not set"},
                    {.name = "old-config", .help = "The file to read. Mandatory"}},
          .run = Migrate};
}

Leaf ValidateLeaf() {
  return {.name = "validate",
          .summary = "Check a configuration file",
          .text = "config-validate",
          .flags = {Switch("allow-deprecated-api", "Do not warn of API versions that will go away"),
                    ExperimentalFlag(),
                    {.name = "config", .help = "The file to check. Mandatory"}},
          .run = Validate};
}

}  // namespace

cli::Command ConfigCommand(host::Host& host) {
  cli::Command command =
      Group("config", "Commands for configuration files and images", "config", [&host] {
        return std::vector<cli::Command>{
            ConfigApplyCommand(host),
            ConfirmCommand(ConfigTrial(), host),
            KeepCommand(ConfigTrial(), host),
            UndoCommand(ConfigTrial(), host),
            DiffCommand(host),
            ExplainCommand(host),
            ImagesCommand(host),
            Made(MigrateLeaf(), host),
            Group("print", "Print default configurations", "config-print",
                  [&host] { return Made(PrintCommands(), host); }),
            SchemaCommand(host),
            Made(ValidateLeaf(), host)};
      });
  command.flags = CommonFlags({"kubeconfig"});
  command.flags.front().persistent = true;
  return command;
}

}  // namespace kubeadm
