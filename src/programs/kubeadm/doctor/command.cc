// SPDX-License-Identifier: Apache-2.0
#include "cli/exit.h"
#include "doctor/before_init.h"
#include "doctor/gather.h"
#include "doctor/report.h"
#include "kubeadm/commands.h"
#include "kubeadm/documented.h"
#include "kubeadm/printed.h"
#include "kubelet/local_runtime.h"
#include "node_input/config_facts.h"

namespace kubeadm {
namespace {

void Run(cli::Invocation& invocation, host::Host& host) {
  const Output output(invocation, host);
  doctor::Facts facts =
      doctor::Collect({.host = host,
                       .config_facts = node_input::CollectFacts(host),
                       .cri_socket = [&host] { return kubelet::LocalCriSocket(host); }},
                      {.kubeconfig = invocation.flags.Text("kubeconfig")});
  if (facts.role == doctor::Role::kNone) {
    doctor::CollectBeforeInit(host, facts);
  }
  const doctor::Diagnosis diagnosis{
      .facts = facts, .findings = doctor::Judge(facts), .columns = invocation.streams.columns};
  output.Show(diagnosis);
  if (const int status = doctor::ExitStatus(diagnosis.findings); status != 0) {
    throw cli::Exit{status};
  }
}

}  // namespace

cli::Command DoctorCommand(host::Host& host) {
  return Made({.name = "doctor",
               .summary = "Say what is wrong with this node or its cluster",
               .text = "doctor",
               .flags = WithPrinter({{.name = "kubeconfig",
                                      .help = "A kubeconfig file to query the cluster with, in "
                                              "addition to those of this node"}}),
               .beyond_upstream = true,
               .run = Run},
              host);
}

}  // namespace kubeadm
