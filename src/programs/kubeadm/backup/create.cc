// SPDX-License-Identifier: Apache-2.0
// Commands `kubeadm backup` and `kubeadm backup create`.
#include "backup/create.h"

#include <optional>

#include "backup/collect.h"
#include "base/build.h"
#include "kubeadm/backup/keys.h"
#include "kubeadm/commands.h"
#include "kubeadm/documented.h"
#include "kubeadm/node_lock.h"
#include "kubeadm/operation_command.h"

namespace kubeadm {
namespace {

void Run(cli::Invocation& invocation, host::Host& host) {
  const backup::CreateRequest request{.target = RequireOneFile(invocation),
                                      .locks = LocksBy(invocation.flags, host.files),
                                      .progress = ProgressOf(invocation, host)};
  const backup::CollectionInput sources{.host = host,
                                        .created_by = std::string(base::kSlipwayVersion),
                                        .stop = host.signals.Interrupt()};
  backup::EtcdAccess etcd;
  std::optional<backup::PlannedBackup> planned;
  std::optional<backup::Created> created;
  const auto plan = [&](const base::ShowLine&) -> PlannedRun {
    etcd = backup::ConnectToEtcd(sources);
    planned.emplace(request, sources, etcd);
    return {.operation = CreateOperation(*planned, sources, etcd, created),
            .plan = TextOf(*planned)};
  };
  RunForResult("backup", plan, invocation, host, [&](const Output& output) {
    if (created) {
      output.Show(*created);
    } else {
      output.Show(*planned);
    }
  });
}

}  // namespace

cli::Command BackupCreateCommand(host::Host& host) {
  return Made({.name = "create",
               .summary = "Write a backup of this control plane to a new file",
               .text = "backup-create",
               .flags = Joined(LockFlags(), ResultFlags(kStepPatience)),
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
