// SPDX-License-Identifier: Apache-2.0
// Command `kubeadm restore`.
#include "backup/restore.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "base/strings.h"
#include "cri/runtime.h"
#include "kubeadm/backup/keys.h"
#include "kubeadm/commands.h"
#include "kubeadm/documented.h"
#include "kubeadm/operation_command.h"
#include "kubelet/local_runtime.h"

namespace kubeadm {
namespace {

using base::Error;

constexpr const char* kOnly = "only";
// Creating a separate Pod and reading a large snapshot take longer than other calls.
constexpr std::chrono::seconds kRuntimeLimit{60};

std::optional<backup::Part> PartBy(const cli::Parsed& flags) {
  const std::string& text = flags.Text(kOnly);
  if (text.empty()) {
    return std::nullopt;
  }
  const auto names = EnumNames(backup::Part());
  const auto found = std::ranges::find(names, text);
  if (found == names.end()) {
    throw Error(Error::Kind::kUsage, fmt::format("--{}: {} is not one of pki, config and etcd",
                                                 kOnly, base::Quoted(text)));
  }
  return static_cast<backup::Part>(found - names.begin());
}

// Returns the lines after the restore: the steps that follow on other nodes.
std::vector<std::string> EndOf(const backup::Manifest& manifest, bool whole) {
  if (!whole) {
    return {"This part of the backup is restored"};
  }
  std::vector<std::string> lines = {
      "The control plane serves again. Workers come back by themselves"};
  for (const backup::MemberRecord& member : manifest.etcd.members) {
    if (member.name != manifest.node.name) {
      lines.push_back(
          fmt::format("{0} is no longer a member of etcd: run 'kubectl delete node {0}', and on "
                      "that machine 'kubeadm reset' and 'kubeadm join --control-plane'",
                      member.name));
    }
  }
  return lines;
}

PlannedRun PlanRun(const backup::RestoreRequest& request, const backup::RestoreDeps& deps) {
  // The whole backup is read before any change, so that a damaged or hostile file changes nothing.
  const backup::NodeFiles files = base::WithContext(
      "nothing was changed", [&] { return backup::ReadNodeFiles(request, deps); });
  PlannedRun run{.operation = backup::PlanRestore(files.manifest, request, deps),
                 .plan = backup::DescribeBackup(files.manifest),
                 .end = EndOf(files.manifest, !request.only)};
  run.journal = backup::LoadInterruptedRestore(deps.host.files, run.operation);
  run.require = [files, request, deps, interrupted = run.journal.has_value()] {
    backup::RequireRestorable(files, request, deps, interrupted);
  };
  return run;
}

void Run(cli::Invocation& invocation, host::Host& host) {
  const backup::RestoreRequest request{.file = RequireOneFile(invocation),
                                       .keys = KeysBy(invocation.flags, host.files),
                                       .only = PartBy(invocation.flags)};
  const backup::RestoreDeps deps{
      .host = host,
      .connect_runtime =
          [&host] { return cri::Connect(kubelet::LocalCriSocket(host), kRuntimeLimit); },
      .progress = ProgressOf(invocation, host),
      .stop = host.signals.Interrupt()};
  RunOperation(
      "restore", [&](const base::ShowLine&) { return PlanRun(request, deps); }, invocation, host);
}

}  // namespace

cli::Command RestoreCommand(host::Host& host) {
  return Made({.name = "restore",
               .summary = "Bring a control plane back from a backup",
               .text = "restore",
               .flags = Joined(OperationFlags(),
                               Joined(KeyFlags(), {{.name = kOnly,
                                                    .help = "Restore one part, and start nothing: "
                                                            "pki, config or etcd"}})),
               .usage_args = "FILE",
               .max_args = 1,
               .beyond_upstream = true,
               .run = Run},
              host);
}

}  // namespace kubeadm
