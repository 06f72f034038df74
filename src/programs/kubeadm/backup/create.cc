// SPDX-License-Identifier: Apache-2.0
// Commands `kubeadm backup` and `kubeadm backup create`.
#include "backup/create.h"

#include "backup/collect.h"
#include "base/build.h"
#include "kubeadm/backup/keys.h"
#include "kubeadm/commands.h"
#include "kubeadm/documented.h"
#include "kubeadm/node_lock.h"
#include "kubeadm/printed.h"

namespace kubeadm {
namespace {

void Run(cli::Invocation& invocation, host::Host& host) {
  const Output output(invocation, host);
  const backup::CreateRequest request{.target = RequireOneFile(invocation),
                                      .locks = LocksBy(invocation.flags, host.files),
                                      .progress = ProgressOf(invocation, host)};
  const NodeLock lock =
      LockNode(invocation, host, {.directories = {}, .say = [&](const std::string& line) {
                                    output.Line("[backup] " + line);
                                  }});
  const backup::CollectionInput sources{.host = host,
                                        .created_by = std::string(base::kSlipwayVersion),
                                        .stop = host.signals.Interrupt()};
  output.Show(backup::Create(request, sources, backup::ConnectToEtcd(sources)));
}

}  // namespace

cli::Command BackupCreateCommand(host::Host& host) {
  return Made({.name = "create",
               .summary = "Write a backup of this control plane to a new file",
               .text = "backup-create",
               .flags = WithPrinter(Joined(LockFlags(), {LockTimeoutFlag(kStepPatience)})),
               .usage_args = "FILE|DIRECTORY|s3://BUCKET/KEY",
               .max_args = 1,
               .run = Run},
              host);
}

cli::Command BackupCommand(host::Host& host) {
  cli::Command command =
      Group("backup", "Back this control plane up, and examine backups", "backup", [&host] {
        return std::vector<cli::Command>{BackupCreateCommand(host), BackupInspectCommand(host),
                                         BackupListCommand(host), BackupScheduleCommand(host),
                                         BackupVerifyCommand(host)};
      });
  command.beyond_upstream = true;
  return command;
}

}  // namespace kubeadm
