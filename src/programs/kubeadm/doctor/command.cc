#include "kubeadm/doctor/command.h"

#include <fmt/core.h>

#include <ostream>

#include "base/utf8.h"
#include "cli/exit.h"
#include "config_input/gather.h"
#include "doctor/gather.h"
#include "doctor/judge.h"
#include "kubeadm/doctor/report.h"
#include "kubeadm/documented.h"
#include "kubeadm/printed.h"
#include "kubelet/local_runtime.h"

namespace kubeadm {
namespace {

void Run(cli::Invocation& invocation, host::Host& host) {
  const print::Printer printer = PrinterOf(invocation.flags, host);
  const doctor::Facts facts =
      doctor::Gather({.host = host,
                      .config_facts = config_input::GatherFacts(host),
                      .cri_socket = [&host] { return kubelet::LocalCriSocket(host); }},
                     {.kubeconfig = invocation.flags.Text("kubeconfig")});
  const std::vector<doctor::Finding> findings = doctor::Judge(facts);
  invocation.streams.out << (printer.IsText() ? base::Visible(DoctorText(facts, findings), "\n\t")
                                              : printer.Print(DoctorObject(facts, findings)))
                         << std::flush;
  if (const int status = doctor::ExitStatus(findings); status != 0) {
    throw cli::Exit{status};
  }
}

}  // namespace

cli::Command DoctorCommand(host::Host& host) {
  cli::Command command =
      Documented("doctor", "Say what is wrong with this node or its cluster", "doctor");
  command.hidden = true;  // upstream has no such command, and its list is read by programs
  command.flags = PrinterFlags();
  command.flags.push_back(
      {.name = "kubeconfig",
       .help = "A kubeconfig file to ask the cluster with, besides those of this node"});
  command.run = [&host](cli::Invocation& invocation) { Run(invocation, host); };
  return command;
}

}  // namespace kubeadm
