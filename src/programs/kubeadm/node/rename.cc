// SPDX-License-Identifier: Apache-2.0
// Command `kubeadm node rename`.
#include <fmt/core.h>

#include "kubeadm/command_line.h"
#include "kubeadm/commands.h"
#include "kubeadm/documented.h"
#include "kubeadm/operation_command.h"
#include "node_identity/rename/operation.h"

namespace kubeadm {
namespace {

PlannedRun PlanRename(cli::Invocation& invocation, host::Host& host, const base::ShowLine& say) {
  const std::string& to = invocation.flags.Text("to");
  const std::optional<engine::Journal> interrupted = node_rename::LoadJournal(host.files);
  const node_rename::RenameFacts facts = node_rename::CollectFacts(host, to, interrupted);
  const auto client = std::make_shared<kube::Client>(
      node_rename::ConnectAsAdministrator(host, invocation.flags.Text("kubeconfig")));
  const node_rename::Renaming renaming =
      node_rename::PlanRenaming(*client, facts, interrupted, say);
  const node_rename::RenameDeps deps{.host = host, .client = client};
  const auto credentials = std::make_shared<std::optional<kubelet_recovery::NewCredentials>>();
  return {.operation = node_rename::PlanOperation(renaming, credentials, deps),
          .journal = interrupted,
          .plan = ToString(renaming),
          .prepare =
              [=] {
                *credentials = node_rename::RequestCredentials(renaming, deps,
                                                               deps.host.signals.Interrupt(), say);
              },
          .end = {fmt::format("Node {} is Ready; 'kubectl uncordon {}' lets Pods come", to, to)}};
}

}  // namespace

cli::Command NodeRenameCommand(host::Host& host) {
  return Made(
      {.name = "rename",
       .summary = "Give this worker another name",
       .text = "node-rename",
       .flags = Joined(OperationFlags(),
                       Joined(CommonFlags({"kubeconfig"}),
                              {{.name = "to", .help = "The new name", .required = true}})),
       .run =
           [](cli::Invocation& invocation, host::Host& machine) {
             RunOperation(
                 "rename",
                 [&](const base::ShowLine& say) { return PlanRename(invocation, machine, say); },
                 invocation, machine);
           }},
      host);
}

}  // namespace kubeadm
