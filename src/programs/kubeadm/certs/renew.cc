// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <chrono>
#include <functional>
#include <ostream>

#include "kubeadm/certs/renewal.h"
#include "kubeadm/certs/source.h"
#include "kubeadm/command_line.h"
#include "kubeadm/commands.h"
#include "kubeadm/documented.h"
#include "kubeadm/node_lock.h"
#include "kubeadm/operation_command.h"
#include "kubeadm/printed.h"
#include "kubeadm/reported_run.h"
#include "renewal/report.h"

namespace kubeadm {
namespace {

// The retry limit while an API server restarts, after an interrupted run with --restart.
constexpr std::chrono::milliseconds kWhileItRestarts{60'000};

using ChooseRows = std::function<renewal::Rows(const config::ClusterConfiguration&)>;

renewal::RunResult RunChosen(const cli::Invocation& invocation, host::Host& host,
                             const ChooseRows& choose, const Output& output,
                             workflow::Reporter& reporter) {
  Renewal renewal{
      .config = {}, .rows = {}, .options = RenewalOptions(invocation.flags), .reporter = reporter};
  renewal.config = LoadCertsConfig(
      invocation.flags, host, {output, "[renew]", [&renewal] { renewal.config_is_default = true; }},
      renewal.options.restart ? kWhileItRestarts : std::chrono::milliseconds());
  renewal.config_is_given = IsNodeGiven(invocation.flags, renewal.config);
  renewal.rows = choose(renewal.config.cluster);
  return RunRenewal(invocation, host, output, renewal);
}

renewal::RunResult RenewChosen(cli::Invocation& invocation, host::Host& host,
                               const ChooseRows& choose) {
  const Output output(invocation, host);
  renewal::RunResult result;
  ReportRunTo(output, invocation, host, [&](workflow::Reporter& reporter) {
    result = RunChosen(invocation, host, choose, output, reporter);
  });
  if (!output.IsText()) {
    output.Show(result);
  }
  return result;
}

std::vector<cli::Flag> RenewFlags() {
  std::vector<cli::Flag> more = Joined(
      ResultFlags(kStepPatience),
      {{.name = "if-expires-within", .help = "Renew only what expires within that time: 30d, 12h"},
       Switch("restart", "Restart the static Pods whose certificates changed")});
  for (cli::Flag& flag : more) {
    flag.beyond_upstream = true;
  }
  return Joined(CertsSourceFlags(), std::move(more));
}

void RenewAll(cli::Invocation& invocation, host::Host& host) {
  const renewal::RunResult result = RenewChosen(invocation, host, renewal::ManagedRows);
  if (invocation.flags.Text("output") == "text" && result.restart_is_left) {
    invocation.streams.out << "\nDone. Restart kube-apiserver, kube-controller-manager, "
                              "kube-scheduler and etcd: they keep using the old certificates "
                              "until then. With --restart, kubeadm does it.\n";
  }
}

Leaf RenewOne(const certs::Renewable& row) {
  return {.name = std::string(row.name),
          .summary = fmt::format("Renew the {}", row.long_name),
          .text = "certs-renew",
          .flags = RenewFlags(),
          .run = [&row](cli::Invocation& invocation, host::Host& host) {
            RenewChosen(invocation, host,
                        [&](const config::ClusterConfiguration&) { return renewal::Rows{&row}; });
          }};
}

}  // namespace

cli::Command RenewCommand(host::Host& host) {
  return Group("renew", "Renew certificates of this node", "certs-renew", [&host] {
    std::vector<Leaf> leaves{{.name = "all",
                              .summary = "Renew all certificates",
                              .text = "certs-renew-all",
                              .flags = RenewFlags(),
                              .run = RenewAll}};
    for (const certs::Renewable& row : certs::Renewables()) {
      leaves.push_back(RenewOne(row));
    }
    return Made(std::move(leaves), host);
  });
}

}  // namespace kubeadm
