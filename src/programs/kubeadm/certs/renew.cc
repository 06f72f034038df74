#include <fmt/core.h>

#include <functional>
#include <ostream>

#include "kubeadm/certs/commands.h"
#include "kubeadm/certs/renewal.h"
#include "kubeadm/documented.h"
#include "kubeadm/node_lock.h"
#include "renewal/report.h"

namespace kubeadm {
namespace {

using cli::FlagType;

using ChooseRows = std::function<renewal::Rows(const config::ClusterConfiguration&)>;

renewal::RunResult RenewChosen(cli::Invocation& invocation, host::Host& host,
                               const ChooseRows& choose) {
  const Output output(invocation, host);
  const renewal::RunOptions options = RenewalOptions(invocation.flags);
  const auto say = [&](const std::string& line) { output.Line(line); };
  const config::Init config = LoadCertsConfig(invocation.flags, host, "[renew]", output);
  NodeLock lock;
  if (!options.dry_run) {
    lock =
        LockNode(invocation, host, {.directories = {config.cluster.certificates_dir}, .say = say});
  }
  renewal::RunResult result = RunRenewal(choose(config.cluster), config, options, host, say);
  if (!output.IsText()) {
    output.Show(result);
  }
  return result;
}

std::vector<cli::Flag> RenewFlags() {
  std::vector<cli::Flag> flags = CertsSourceFlags();
  for (cli::Flag& flag :
       WithPrinter({{.name = "dry-run",
                     .type = FlagType::kBool,
                     .help = "Say what would be renewed, and touch nothing"},
                    {.name = "if-expires-within",
                     .help = "Renew only what expires within that time: 30d, 12h"},
                    {.name = "restart",
                     .type = FlagType::kBool,
                     .help = "Restart the static Pods whose certificates changed"},
                    LockTimeoutFlag(kStepPatience)})) {
    flag.beyond_upstream = true;
    flags.push_back(std::move(flag));
  }
  return flags;
}

cli::Command RenewOneCommand(const certs::Renewable& row, host::Host& host) {
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
  return Group("renew", "Renew certificates of this node", "certs-renew", [&host] {
    std::vector<cli::Command> commands{RenewAllCommand(host)};
    for (const certs::Renewable& row : certs::Renewables()) {
      commands.push_back(RenewOneCommand(row, host));
    }
    return commands;
  });
}

}  // namespace kubeadm
