// SPDX-License-Identifier: Apache-2.0
// The commands of kubeadm. `host` must outlive them.
#pragma once

#include "cli/command.h"
#include "host/host.h"

namespace kubeadm {

// The commands directly below `kubeadm`.

// BackupCommand: creates, verifies and lists backups of a control plane (docs/backup.md).
cli::Command BackupCommand(host::Host& host);
cli::Command CertsCommand(host::Host& host);
cli::Command ConfigCommand(host::Host& host);
// DoctorCommand: diagnoses problems of this node or its cluster, causes first.
cli::Command DoctorCommand(host::Host& host);
// DriftCommand: shows manual changes (docs/drift.md).
cli::Command DriftCommand(host::Host& host);
// EndpointCommand: changes the control-plane endpoint (docs/endpoint.md).
cli::Command EndpointCommand(host::Host& host);
// EtcdCommand: maintenance of the cluster's etcd (docs/etcd.md).
cli::Command EtcdCommand(host::Host& host);
// EventsCommand: evaluates the events that runs print with --output json (docs/events.md).
cli::Command EventsCommand(host::Host& host);
// FleetCommand: runs operations on all nodes of the cluster (docs/fleet.md).
cli::Command FleetCommand(host::Host& host);
cli::Command InitCommand(host::Host& host);
cli::Command JoinCommand(host::Host& host);
cli::Command KubeconfigCommand(host::Host& host);
// NodeCommand: repairs or changes this node in its cluster.
cli::Command NodeCommand(host::Host& host);
cli::Command ResetCommand(host::Host& host);
// RestoreCommand: restores a control plane from a backup (docs/backup.md).
cli::Command RestoreCommand(host::Host& host);
cli::Command TokenCommand(host::Host& host);
cli::Command UpgradeCommand(host::Host& host);
cli::Command VersionCommand(host::Host& host);

// The commands below `backup`.
cli::Command BackupCreateCommand(host::Host& host);
cli::Command BackupInspectCommand(host::Host& host);
cli::Command BackupListCommand(host::Host& host);
cli::Command BackupScheduleCommand(host::Host& host);
cli::Command BackupVerifyCommand(host::Host& host);

// The commands below `certs`.
cli::Command AutoRenewCommand(host::Host& host);
cli::Command GenerateCsrCommand(host::Host& host);
cli::Command RenewCommand(host::Host& host);
cli::Command RotateCaCommand(host::Host& host);

// The commands below `config`. ConfigApplyCommand changes a running cluster (docs/config-apply.md).
cli::Command ConfigApplyCommand(host::Host& host);
cli::Command DiffCommand(host::Host& host);
cli::Command ExplainCommand(host::Host& host);
cli::Command ImagesCommand(host::Host& host);
cli::Command SchemaCommand(host::Host& host);

// The commands below `etcd`.

// EtcdDefragCommand: returns free space of etcd to the disk, and clears a NOSPACE alarm.
cli::Command EtcdDefragCommand(host::Host& host);
// EtcdRecoverCommand: makes the remaining member the only one after the majority is lost.
cli::Command EtcdRecoverCommand(host::Host& host);

// The commands below `fleet`.

// FleetHostExecCommand: runs a command on the host of a Job's container.
cli::Command FleetHostExecCommand(host::Host& host);
// FleetHostRebootCommand: restarts this host.
cli::Command FleetHostRebootCommand(host::Host& host);
cli::Command FleetRunCommand(host::Host& host);

// The commands below `node`.

// NodeRecoverCommand: issues a new certificate for the kubelet (docs/node-recover.md).
cli::Command NodeRecoverCommand(host::Host& host);
// NodeReaddressCommand: changes the node's IP address (docs/readdress.md).
cli::Command NodeReaddressCommand(host::Host& host);
cli::Command NodeAdmitCommand(host::Host& host);
// NodeRenameCommand: changes the node's name in the cluster (docs/node-rename.md).
cli::Command NodeRenameCommand(host::Host& host);
cli::Command NodeWithdrawCommand(host::Host& host);

// The command below `token`.
cli::Command TokenCreateCommand(host::Host& host);

// The commands below `upgrade`.
cli::Command UpgradeApplyCommand(host::Host& host);
// UpgradeCommitCommand ends the soaking of an upgrade (control_plane/soak.h).
cli::Command UpgradeCommitCommand(host::Host& host);
cli::Command UpgradeDiffCommand(host::Host& host);
cli::Command UpgradeNodeCommand(host::Host& host);
cli::Command UpgradePlanCommand(host::Host& host);
// UpgradeRollbackCommand reverts the last upgrade's changes to this node, from its backups.
cli::Command UpgradeRollbackCommand(host::Host& host);

}  // namespace kubeadm
