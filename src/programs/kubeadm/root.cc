// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/root.h"

#include "host/change_root.h"
#include "kubeadm/commands.h"
#include "kubeadm/documented.h"

namespace kubeadm {
namespace {

std::vector<cli::Flag> GlobalFlags(cli::Terminal* terminal) {
  std::vector<cli::Flag> flags = cli::LogFlags();
  flags.push_back({.name = "color",
                   .default_text = "auto",
                   .help = "When to use colours: auto (on a terminal, unless NO_COLOR is set), "
                           "always or never",
                   .persistent = true,
                   .beyond_upstream = true,
                   .on_set = [terminal](const cli::Parsed& so_far) {
                     if (terminal != nullptr) {
                       terminal->ChooseColors(so_far.Text("color"));
                     }
                   }});
  flags.push_back({.name = "rootfs",
                   .help = "Act on the system whose root directory this is: change into it first",
                   .persistent = true});
  return flags;
}

}  // namespace

cli::Command Root(host::Host& host, cli::Terminal* terminal) {
  cli::Command root = Documented("kubeadm", "Make and keep a Kubernetes cluster", "kubeadm");
  root.max_args = cli::kAnyNumber;
  root.flags = GlobalFlags(terminal);
  root.before = [](cli::Invocation& invocation) {
    if (const std::string& rootfs = invocation.flags.Text("rootfs"); !rootfs.empty()) {
      host::ChangeRoot(rootfs);
    }
  };
  root.children = [&host] {
    return std::vector<cli::Command>{
        // Upstream's group of experimental commands, which is empty at present.
        {.name = "alpha", .summary = "Experimental commands"},
        BackupCommand(host),
        CertsCommand(host),
        ConfigCommand(host),
        DoctorCommand(host),
        DriftCommand(host),
        EndpointCommand(host),
        EtcdCommand(host),
        EventsCommand(host),
        FleetCommand(host),
        InitCommand(host),
        JoinCommand(host),
        KubeconfigCommand(host),
        NodeCommand(host),
        ResetCommand(host),
        RestoreCommand(host),
        TokenCommand(host),
        UpgradeCommand(host),
        VersionCommand(host),
    };
  };
  return root;
}

}  // namespace kubeadm
