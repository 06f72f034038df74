#include "kubeadm/upgrade/flags.h"

#include <algorithm>
#include <iterator>

#include "kubeadm/node_lock.h"
#include "kubeadm/reported_run.h"
#include "kubeadm/upgrade/config.h"

namespace kubeadm {
namespace {

using cli::FlagType;
using Command = UpgradeData::Command;

// Flags that phases of both commands have.
std::vector<cli::Flag> NodeFlags() {
  return UpgradeFlags({"certificate-renewal", "config", "dry-run", "etcd-upgrade",
                       "ignore-preflight-errors", "kubeconfig", "patches"});
}

std::vector<cli::Flag> ApplyOnlyFlags() {
  std::vector<cli::Flag> flags = UpgradeFlags(
      {"allow-experimental-upgrades", "allow-release-candidate-upgrades", "print-config"});
  flags.push_back({.name = "force",
                   .shorthand = 'f',
                   .type = FlagType::kBool,
                   .help = "Go on against what speaks against this version, and ask nothing"});
  flags.push_back(
      {.name = "yes", .shorthand = 'y', .type = FlagType::kBool, .help = "Ask nothing"});
  return flags;
}

// Flags of the whole commands alone.
cli::Flag OutputFlag() {
  return {.name = "output",
          .shorthand = 'o',
          .default_text = "text",
          .help = "'text' for people, 'json' for one JSON event a line (docs/events.md)",
          .beyond_upstream = true};
}

}  // namespace

std::vector<cli::Flag> UpgradePhaseFlags(UpgradeData::Command command) {
  std::vector<cli::Flag> flags = NodeFlags();
  flags.push_back(LockTimeoutFlag(kStepPatience));
  if (command == Command::kApply) {
    std::ranges::move(ApplyOnlyFlags(), std::back_inserter(flags));
  }
  std::ranges::sort(flags, {}, &cli::Flag::name);
  return flags;
}

std::vector<cli::Flag> UpgradeRunFlags(UpgradeData::Command command) {
  std::vector<cli::Flag> flags = UpgradePhaseFlags(command);
  std::erase_if(flags, [](const cli::Flag& flag) { return flag.name == kLockTimeout; });
  flags.push_back(LockTimeoutFlag(kRunPatience));
  flags.push_back({.name = "skip-phases", .type = FlagType::kList, .help = "Phases to leave out"});
  flags.push_back(OutputFlag());
  flags.push_back(TimelineFlag());
  std::ranges::sort(flags, {}, &cli::Flag::name);
  return flags;
}

}  // namespace kubeadm
