// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/upgrade/flags.h"

#include <algorithm>

#include "kubeadm/command_line.h"
#include "kubeadm/documented.h"
#include "kubeadm/node_lock.h"
#include "kubeadm/reported_run.h"
#include "kubeadm/upgrade/path_question.h"

namespace kubeadm {
namespace {

using cli::Flag;
using cli::FlagType;
using Command = UpgradeData::Command;

// Returns the rows of flags whose texts only these commands have.
const std::vector<Flag>& OwnRows() {
  static const std::vector<Flag> rows = {
      Switch("allow-experimental-upgrades",
             "Allow alpha, beta and candidate versions of Kubernetes as target"),
      Switch("allow-release-candidate-upgrades",
             "Allow candidate versions of Kubernetes as target"),
      {.name = "certificate-renewal",
       .type = FlagType::kBool,
       .default_text = "true",
       .help = "Renew the certificates of upgraded components"},
      {.name = "check",
       .type = FlagType::kBool,
       .help = "With --path: fail if something on the path would stop the upgrade",
       .beyond_upstream = true},
      {.name = "config", .help = "A file with an UpgradeConfiguration"},
      {.name = "etcd-upgrade",
       .type = FlagType::kBool,
       .default_text = "true",
       .help = "Also upgrade etcd where it runs as a static Pod"},
      {.name = "force",
       .shorthand = 'f',
       .type = FlagType::kBool,
       .help = "Go on despite objections to this version, and do not ask for confirmation"},
      {.name = "ignore-preflight-errors",
       .type = FlagType::kList,
       .help = "Checks whose errors are shown as warnings (\"CreateJob,CoreDNSMigration\"), or "
               "\"all\""},
      {.name = "no-backup",
       .type = FlagType::kBool,
       .help = "Do not back this node up before its first change",
       .beyond_upstream = true},
      Switch("print-config", "Print the cluster's configuration, complete, before going on"),
      {.name = "node-packages",
       .help = "A directory with kubelets, DIR/v1.36.3/kubelet: this node's kubelet follows its "
               "control plane",
       .beyond_upstream = true},
      {.name = "path",
       .type = FlagType::kBool,
       .help = "Go over as many minor versions as it takes, one after the other",
       .beyond_upstream = true},
      {.name = "soak",
       .type = FlagType::kBool,
       .help = "Let the new control plane behave as the old minor version until 'kubeadm upgrade "
               "commit', so that a rollback loses nothing",
       .beyond_upstream = true},
      {.name = "upgrade-kubelet-command",
       .help = "A shell command that brings this node's kubelet to $KUBELET_VERSION",
       .beyond_upstream = true}};
  return rows;
}

cli::Flag DiscardDriftFlag() {
  return {.name = "discard-drift",
          .type = FlagType::kBool,
          .help = "Discard manual changes on this node, without a warning or a question",
          .beyond_upstream = true};
}

}  // namespace

std::vector<Flag> UpgradeFlags(std::initializer_list<std::string_view> names) {
  std::vector<Flag> chosen;
  for (const std::string_view name : names) {
    const auto own = std::ranges::find(OwnRows(), name, &Flag::name);
    chosen.push_back(own != OwnRows().end() ? *own : CommonFlags({name}).front());
  }
  return chosen;
}

std::vector<Flag> UpgradePhaseFlags(Command command) {
  std::vector<Flag> flags =
      UpgradeFlags({"certificate-renewal", "config", "dry-run", "etcd-upgrade",
                    "ignore-preflight-errors", "kubeconfig", "patches"});
  flags.push_back(LockTimeoutFlag(kStepPatience));
  flags.push_back(DiscardDriftFlag());
  if (command == Command::kApply) {
    flags = Joined(std::move(flags),
                   UpgradeFlags({"allow-experimental-upgrades", "allow-release-candidate-upgrades",
                                 "force", "no-backup", "print-config", "yes"}));
  } else {
    flags = Joined(std::move(flags), KubeletFlags());
  }
  return ByName(std::move(flags));
}

std::vector<Flag> UpgradeRunFlags(Command command) {
  std::vector<Flag> flags = UpgradePhaseFlags(command);
  std::erase_if(flags, [](const Flag& flag) { return flag.name == kLockTimeout; });
  flags = Joined(std::move(flags), CommonFlags({"output", "skip-phases"}));
  if (command == Command::kApply) {
    flags = Joined(std::move(flags), Joined(PathFlags(), UpgradeFlags({"soak"})));
  }
  return ByName(Joined(std::move(flags), {LockTimeoutFlag(kRunPatience), TimelineFlag()}));
}

}  // namespace kubeadm
