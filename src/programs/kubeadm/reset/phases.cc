#include "kubeadm/reset/phases.h"

#include "base/error.h"
#include "base/strings.h"
#include "kubeadm/preflight_report.h"
#include "preflight/checks.h"
#include "reset/places.h"

namespace kubeadm {
namespace {

void AskUser(const ResetData& data, workflow::Context& context) {
  if (data.config.force) {
    return;
  }
  context.Remark(
      "[reset] WARNING: this undoes what \"kubeadm init\" or \"kubeadm join\" did to this "
      "machine: "
      "its Pods, certificates and, on a control plane, etcd's data will be gone");
  if (!data.confirm("[reset] Are you sure that you want to go on? [y/N]: ")) {
    throw base::Error("won't proceed: the answer was not \"y\" or \"yes\"");
  }
}

void Preflight(ResetData& data, workflow::Context& context) {
  data.world.Do({.act = [&] { AskUser(data, context); }});
  context.Print("[preflight] Checking this machine");
  RunPreflight(preflight::RootChecks(data.host), {.ignored = data.ignored_preflight_errors},
               context);
}

}  // namespace

std::vector<ResetPhase> ResetPhases() {
  return {{.name = "preflight",
           .summary = "Ask for confirmation and check that this machine can be reset",
           .aliases = {"pre-flight"},
           .flags = {"dry-run", "force", "ignore-preflight-errors"},
           .only_looks = true,
           .run = Preflight},
          {.name = "remove-etcd-member",
           .summary = "Take this node's member out of the etcd cluster and remove its data",
           .flags = {"dry-run", "kubeconfig"},
           .run = RemoveEtcdMember},
          {.name = "cleanup-node",
           .summary = "Stop the kubelet, remove Pods, mounts, folders and files",
           .aliases = {"cleanupnode"},
           .flags = {"cert-dir", "cleanup-tmp-dir", "cri-socket", "dry-run"},
           .run = CleanNode},
          {.name = "cleanup-all",
           .summary = "Take back rules and links of the network and the user's kubeconfig",
           .hidden = true,
           .when = [](const ResetData& data) { return data.options.all; },
           .run = CleanAll}};
}

void EmptyFolder(const fs::path& folder, ResetData& data, workflow::Context& context) {
  for (const std::string& kept : reset::Empty(data.host.files, folder, data.config)) {
    context.Warn(kept);
  }
  data.emptied.push_back(folder);
}

std::string ResetReport(const std::vector<std::string>& leftovers) {
  if (leftovers.empty()) {
    return "\n[reset] Done: nothing of the cluster is left on this machine that is known here.\n";
  }
  return "\n[reset] Done. What is left on this machine, for you to look at:\n  - " +
         base::Join(leftovers, "\n  - ") + "\n";
}

}  // namespace kubeadm
