// SPDX-License-Identifier: Apache-2.0
// Command `kubeadm etcd recover`.
#include "etcd_maintenance/recover.h"

#include "cri/runtime.h"
#include "etcd_maintenance/recovery_facts.h"
#include "kubeadm/commands.h"
#include "kubeadm/documented.h"
#include "kubeadm/etcd/access.h"
#include "kubeadm/operation_command.h"
#include "kubelet/local_runtime.h"

namespace kubeadm {
namespace {

// Creating a separate Pod and reading large data take longer than other calls.
constexpr std::chrono::seconds kRuntimeLimit{60};

PlannedRun PlanRecovery(const cli::Invocation& invocation, host::Host& host) {
  const auto journal = engine::LoadJournal(host.files, etcd_maintenance::kRecoverOperation);
  const etcd_maintenance::RecoveryFacts facts =
      journal ? etcd_maintenance::ResumedFacts(*journal, host.files)
              : etcd_maintenance::CollectRecoveryFacts(
                    {.host = host,
                     .endpoints = invocation.flags.List(kEndpointFlag),
                     .stop = host.signals.Interrupt()});
  const etcd_maintenance::RecoverDeps deps{.host = host, .connect_runtime = [&host] {
                                             return cri::Connect(kubelet::LocalCriSocket(host),
                                                                 kRuntimeLimit);
                                           }};
  PlannedRun run{.operation = etcd_maintenance::RecoverOperation(facts, deps),
                 .journal = journal,
                 .plan = TextOf(facts),
                 .end = etcd_maintenance::StepsAfterRecovery(facts)};
  // An interrupted run has already changed the conditions that RequireRecoverable checks.
  if (!journal) {
    run.require = [facts] { etcd_maintenance::RequireRecoverable(facts); };
  }
  return run;
}

void Run(cli::Invocation& invocation, host::Host& host) {
  RunOperation(
      "etcd", [&](const base::ShowLine&) { return PlanRecovery(invocation, host); }, invocation,
      host);
}

}  // namespace

cli::Command EtcdRecoverCommand(host::Host& host) {
  return Made({.name = "recover",
               .summary = "Make the last member the only one, after the majority was lost",
               .text = "etcd-recover",
               .flags = Joined(OperationFlags(), EndpointFlags()),
               .run = Run},
              host);
}

}  // namespace kubeadm
