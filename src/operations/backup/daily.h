// SPDX-License-Identifier: Apache-2.0
// The daily backup of a control plane. A run creates a backup, verifies it, and removes old ones.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "age/header.h"
#include "backup/collect.h"
#include "backup/create.h"
#include "backup/last_backup.h"
#include "backup/retention.h"
#include "backup/verify.h"
#include "timers/timer.h"

namespace backup {

inline constexpr timers::Task kDaily{
    .name = "kubeadm-backup",
    .group = "kubeadm backup schedule",
    .log = "kubeadm-backup",
    .kind = "BackupSchedule",
    .purpose = "Back this Kubernetes control plane up",
    .happens = "This control plane is backed up",
    .lacks = "No timer backs this control plane up",
    .elsewhere = "kubeadm backup schedule run DIRECTORY --recipients-file FILE"};

// The options of the daily command.
struct DailyOptions {
  std::string program;                  // absolute path of kubeadm
  std::string directory;                // "/var/backups", "s3://BUCKET/PREFIX/"
  std::vector<std::string> flags = {};  // "--recipients-file=/etc/recipients.txt", "--keep=7"
};

// For backups in a bucket: checks that a timer's run can access the bucket without the environment
// variables of this shell. Throws the errors of s3::LoadAccessOfTimer.
void RequireTimersAccess(const host::Host& host);

// Returns the command line of the daily run. No argument contains a space.
std::vector<std::string> DailyCommand(const DailyOptions& options);

// The request of one run.
struct DailyRequest {
  host::fs::path directory;         // "/var/backups", which must exist, or "s3://BUCKET/PREFIX/"
  std::optional<age::Locks> locks;  // not set: not encrypted
  Retention retention = {};
  Progress progress = {};
  std::string textfile = {};  // path of the metrics file; "": the default path
  // Called when the backup is complete, before it is verified; may be empty.
  std::function<void()> on_created = {};
};

// The result of a run that succeeded.
struct DailyResult {
  Created created;
  Verified verified;
  std::vector<std::string> removed;  // paths of old backups
};

// Creates a backup in the directory or below the prefix, verifies it, records it (last_backup.h),
// and removes old backups. The private keys of the recipients are not on this node. So the run adds
// a recipient of its own, decrypts the file with the private key of this recipient, and then
// discards this key. Writes metrics. A failure is recorded (last_backup.h) until a run succeeds,
// and becomes an Event of this node if the API server answers.
//
// Throws base::Error: kNotFound if the directory is missing, for example because its disk is not
// mounted; the errors of Create and Verify; kInvalid for a backup with problems, which is removed;
// kOther if no etcd could serve the snapshot. In the last case the new backup is kept, but not
// recorded. The last verified backup is kept after every error.
DailyResult RunDaily(const DailyRequest& request, const CollectionInput& input,
                     const VerifyDeps& deps);

// Creates, verifies and records the backup, and removes old ones, as RunDaily describes. Writes no
// metrics, no record of a failure, and no Event. `etcd` is the etcd of this node.
DailyResult MakeDaily(DailyRequest request, const CollectionInput& input, const EtcdAccess& etcd,
                      const VerifyDeps& deps);

// Returns metrics in Prometheus' text format: kubeadm_backup_last_run_timestamp_seconds and
// kubeadm_backup_last_run_success. If a verified backup is recorded, also returns
// kubeadm_backup_last_verified_timestamp_seconds, kubeadm_backup_last_verified_size_bytes and
// kubeadm_backup_last_verified_revision. Throws the errors of FindLastBackup.
std::string MetricsText(const host::Files& files, std::chrono::sys_seconds now, bool succeeded);

// The schedule of this node, and the results of its runs.
struct ScheduleStatus {
  timers::Status timer;
  std::optional<LastBackup> last;  // the last verified backup
  std::optional<Failure> failure;  // of the last run
};

// Reads the schedule's timer and the records of its runs. On a host without a scheduler, the status
// has no timer. Throws the errors of FindLastBackup and FindFailure.
ScheduleStatus CollectSchedule(host::Host& host);

// The following functions return the output of the commands.
std::string TextOf(const ScheduleStatus& schedule);
json::Ordered ObjectOf(const ScheduleStatus& schedule);
std::string TextOf(const DailyResult& result);
json::Value ObjectOf(const DailyResult& result);

}  // namespace backup
