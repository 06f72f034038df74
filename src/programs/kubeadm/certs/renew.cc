#include "kubeadm/certs/renew.h"

#include <fmt/core.h>

#include <functional>
#include <ostream>

#include "base/error.h"
#include "certs/remaining.h"
#include "kubeadm/certs/renewal_report.h"
#include "kubeadm/documented.h"
#include "kubeadm/node_lock.h"
#include "kubeadm/printed.h"

namespace kubeadm {
namespace {

using certs::Renewable;
using cli::FlagType;

using ChooseRows = std::function<renewal::Rows(const config::ClusterConfiguration&)>;

renewal::RunOptions OptionsOf(const cli::Parsed& flags) {
  renewal::RunOptions options{.dry_run = flags.Bool("dry-run"), .restart = flags.Bool("restart")};
  if (const std::string& text = flags.Text("if-expires-within"); !text.empty()) {
    options.within =
        base::WithContext("--if-expires-within", [&] { return certs::ParseRemaining(text); });
  }
  return options;
}

renewal::RunResult RenewChosen(cli::Invocation& invocation, host::Host& host,
                               const ChooseRows& choose) {
  const print::Printer printer = PrinterOf(invocation.flags, host);
  const renewal::RunOptions options = OptionsOf(invocation.flags);
  const Say say = [&](const std::string& line) {
    if (printer.IsText()) {
      invocation.streams.out << line << '\n' << std::flush;
    }
  };
  const config::Init config = LoadCertsConfig(invocation.flags, host, "[renew]", say);
  NodeLock lock;
  if (!options.dry_run) {
    lock =
        LockNode(invocation, host, {.directories = {config.cluster.certificates_dir}, .say = say});
  }
  renewal::RunResult result = RunRenewal(choose(config.cluster), config, options, host, say);
  if (!printer.IsText()) {
    invocation.streams.out << printer.Print(ResultObject(result));
  }
  return result;
}

std::vector<cli::Flag> RenewFlags() {
  std::vector<cli::Flag> flags = CertsSourceFlags();
  std::vector<cli::Flag> ours = PrinterFlags();
  ours.push_back({.name = "dry-run",
                  .type = FlagType::kBool,
                  .help = "Say what would be renewed, and touch nothing"});
  ours.push_back(
      {.name = "if-expires-within", .help = "Renew only what expires within that time: 30d, 12h"});
  ours.push_back({.name = "restart",
                  .type = FlagType::kBool,
                  .help = "Restart the static Pods whose certificates changed"});
  ours.push_back(LockTimeoutFlag(kStepPatience));
  // The list of flags stays as upstream's for those who parse it; the text names these.
  for (cli::Flag& flag : ours) {
    flag.hidden = true;
    flags.push_back(std::move(flag));
  }
  return flags;
}

cli::Command RenewOneCommand(const Renewable& row, host::Host& host) {
  cli::Command command =
      Documented(std::string(row.name), fmt::format("Renew the {}", row.long_name), "certs-renew");
  command.flags = RenewFlags();
  command.run = [&row, &host](cli::Invocation& invocation) {
    RenewChosen(invocation, host,
                [&](const config::ClusterConfiguration&) { return renewal::Rows{&row}; });
  };
  return command;
}

void RenewAll(cli::Invocation& invocation, host::Host& host) {
  const renewal::RunResult result = RenewChosen(invocation, host, renewal::ManagedRows);
  const cli::Parsed& flags = invocation.flags;
  const bool left_to_user = !flags.Bool("dry-run") && !flags.Bool("restart");
  if (flags.Text("output") == "text" && left_to_user && !result.RenewedNames().empty()) {
    invocation.streams.out << "\nDone. Restart kube-apiserver, kube-controller-manager, "
                              "kube-scheduler and etcd: they go on using the old certificates "
                              "until then. With --restart, kubeadm does it.\n";
  }
}

cli::Command RenewAllCommand(host::Host& host) {
  cli::Command command = Documented("all", "Renew all certificates", "certs-renew-all");
  command.flags = RenewFlags();
  command.run = [&host](cli::Invocation& invocation) { RenewAll(invocation, host); };
  return command;
}

}  // namespace

cli::Command RenewCommand(host::Host& host) {
  cli::Command command = Documented("renew", "Renew certificates of this node", "certs-renew");
  command.run = cli::RequireSubcommand;
  command.children = [&host] {
    std::vector<cli::Command> commands{RenewAllCommand(host)};
    for (const Renewable& row : certs::Renewables()) {
      commands.push_back(RenewOneCommand(row, host));
    }
    return commands;
  };
  return command;
}

}  // namespace kubeadm
