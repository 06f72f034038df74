// SPDX-License-Identifier: Apache-2.0
// Command `kubeadm node rename`.
#include "node_rename/rename.h"

#include <fmt/core.h>

#include "kubeadm/command_line.h"
#include "kubeadm/commands.h"
#include "kubeadm/documented.h"
#include "kubeadm/node_lock.h"
#include "kubeadm/terminal.h"
#include "node_rename/begin.h"

namespace kubeadm {
namespace {

void Rename(cli::Invocation& invocation, host::Host& host) {
  const base::ShowLine say = SayAs("rename", invocation);
  const NodeLock lock = LockToAct(invocation, host, {.say = say});
  const std::string& to = invocation.flags.Text("to");
  const node_rename::Facts facts = node_rename::FactsHere(host, to);
  kube::Client client = node_rename::AsAdministrator(host, invocation.flags.Text("kubeconfig"));
  const node_rename::Journal journal = node_rename::JournalOf(client, host.files, facts, say);
  invocation.streams.out << node_rename::PlanOf(journal) << std::flush;
  WorldBy(invocation.flags, host)->Do({.on_machine = [&] {
    RequireYes(invocation, host);
    node_rename::Apply(
        journal, {.host = host, .client = client, .stop = host.signals.Interrupt(), .say = say});
    say(fmt::format("Node {} is Ready; 'kubectl uncordon {}' lets Pods come", to, to));
  }});
}

}  // namespace

cli::Command NodeRenameCommand(host::Host& host) {
  std::vector<cli::Flag> flags = CommonFlags({"kubeconfig", "yes"});
  flags.push_back(Switch("dry-run", "Say whether it can be done and how, and change nothing"));
  flags.push_back(LockTimeoutFlag(kRunPatience));
  flags.push_back({.name = "to", .help = "The new name", .required = true});
  return Made({.name = "rename",
               .summary = "Give this worker another name",
               .text = "node-rename",
               .flags = ByName(std::move(flags)),
               .run = Rename},
              host);
}

}  // namespace kubeadm
