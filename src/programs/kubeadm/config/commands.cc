#include "kubeadm/config/commands.h"

#include <ostream>

#include "base/error.h"
#include "config/marshal.h"
#include "config_input/gather.h"
#include "kubeadm/commands.h"
#include "kubeadm/documented.h"

namespace kubeadm {
namespace {

using cli::FlagType;

constexpr std::string_view kExperimentalHelp =
    "Also take API versions that are still experiments: kubeadm.k8s.io/v1";

// A flag that names the command's input; without it there is nothing to do.
std::string Mandatory(const cli::Invocation& invocation, const std::string& flag) {
  std::string path = invocation.flags.Text(flag);
  if (path.empty()) {
    throw base::Error(base::Error::Kind::kUsage,
                      "the --" + flag + " flag is mandatory: it names the configuration file");
  }
  return path;
}

cli::Command PrintCommand(std::string name, std::string summary,
                          const std::function<std::string(const cli::Parsed&)>& text) {
  const std::string page = "config-print-" + name;
  cli::Command command = Documented(std::move(name), std::move(summary), page);
  command.run = [text](cli::Invocation& invocation) {
    invocation.streams.out << text(invocation.flags);
  };
  return command;
}

std::vector<cli::Command> PrintCommands(host::Host& host) {
  std::vector<cli::Command> commands = {
      PrintCommand("init-defaults", "Print what init starts from",
                   [](const cli::Parsed& flags) {
                     return config::PrintInitDefaults(flags.List("component-configs"));
                   }),
      PrintCommand("join-defaults", "Print what join starts from",
                   [&host](const cli::Parsed&) {
                     return config::PrintJoinDefaults(host.machine.Hostname());
                   }),
      PrintCommand("reset-defaults", "Print what reset starts from",
                   [](const cli::Parsed&) { return config::PrintResetDefaults(); }),
      PrintCommand("upgrade-defaults", "Print what upgrade starts from",
                   [](const cli::Parsed&) { return config::PrintUpgradeDefaults(); }),
  };
  commands[0].flags = {{.name = "component-configs",
                        .type = FlagType::kList,
                        .help = "Component configurations to print as well: KubeletConfiguration, "
                                "KubeProxyConfiguration"}};
  return commands;
}

config::ExperimentalVersions Experimental(const cli::Parsed& flags) {
  return flags.Bool("allow-experimental-api") ? config::ExperimentalVersions::kAccept
                                              : config::ExperimentalVersions::kRefuse;
}

cli::Command MigrateCommand(host::Host& host) {
  cli::Command command =
      Documented("migrate", "Write a configuration file in the current version", "config-migrate");
  command.flags = {
      {.name = "allow-experimental-api",
       .type = FlagType::kBool,
       .help = std::string(kExperimentalHelp)},
      {.name = "new-config", .help = "The file to write; standard output if it is not set"},
      {.name = "old-config", .help = "The file to read. Mandatory"},
  };
  command.run = [&host](cli::Invocation& invocation) {
    const std::string path = Mandatory(invocation, "old-config");
    const std::string migrated =
        config::Migrate(config_input::ReadSource(host, path), config_input::GatherFacts(host),
                        Experimental(invocation.flags));
    const std::string& target = invocation.flags.Text("new-config");
    if (target.empty()) {
      invocation.streams.out << migrated;
    } else {
      base::WithContext("couldn't write the new configuration", [&] {
        if (!host.files.Exists(host::fs::path(target).parent_path() / ".")) {
          throw base::Error(base::Error::Kind::kNotFound,
                            "the directory of " + target + " does not exist");
        }
        host.files.Write(target, migrated, {.mode = 0644});
      });
    }
  };
  return command;
}

cli::Command ValidateCommand(host::Host& host) {
  cli::Command command = Documented("validate", "Check a configuration file", "config-validate");
  command.flags = {{.name = "allow-deprecated-api",
                    .type = FlagType::kBool,
                    .help = "Do not warn of API versions that will go away"},
                   {.name = "allow-experimental-api",
                    .type = FlagType::kBool,
                    .help = std::string(kExperimentalHelp)},
                   {.name = "config", .help = "The file to check. Mandatory"}};
  command.run = [&host](cli::Invocation& invocation) {
    const std::string path = Mandatory(invocation, "config");
    const auto deprecated = invocation.flags.Bool("allow-deprecated-api")
                                ? config::DeprecatedVersions::kAccept
                                : config::DeprecatedVersions::kWarn;
    config::ValidateFile(config_input::ReadSource(host, path), config_input::GatherFacts(host),
                         deprecated, Experimental(invocation.flags));
    invocation.streams.out << "ok\n";
  };
  return command;
}

}  // namespace

cli::Command ConfigCommand(host::Host& host) {
  cli::Command command =
      Group("config", "Commands for configuration files and images", "config", [&host] {
        return std::vector<cli::Command>{
            DiffCommand(host),
            ExplainCommand(host),
            ImagesCommand(host),
            MigrateCommand(host),
            Group("print", "Print default configurations", "config-print",
                  [&host] { return PrintCommands(host); }),
            SchemaCommand(host),
            ValidateCommand(host)};
      });
  command.flags = {{.name = "kubeconfig",
                    .default_text = "/etc/kubernetes/admin.conf",
                    .help = "The kubeconfig file to talk to the cluster with",
                    .persistent = true}};
  return command;
}

}  // namespace kubeadm
