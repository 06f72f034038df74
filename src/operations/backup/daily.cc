// SPDX-License-Identifier: Apache-2.0
#include "backup/daily.h"

#include <fmt/core.h>

#include <functional>
#include <utility>

#include "backup/storage.h"
#include "base/error.h"
#include "base/log.h"
#include "config/paths.h"
#include "json/rfc3339.h"
#include "kube/client.h"
#include "kube/objects.h"
#include "kubeconfigs/connect.h"
#include "node_identity/readdress/gather.h"
#include "pki/x25519.h"
#include "s3/access.h"
#include "timers/report.h"
#include "timers/textfile.h"

namespace backup {
namespace {

namespace fs = host::fs;
using base::Error;

constexpr std::chrono::milliseconds kEventLimit{10'000};
constexpr std::size_t kLongestMessage = 1024;  // of an Event, in bytes

void RequireDirectory(const host::Files& files, const fs::path& directory) {
  if (IsInBucket(directory)) {
    return;  // the first request reports a missing bucket
  }
  const auto info = files.Stat(directory / ".");
  if (!info || info->kind != host::FileInfo::Kind::kDirectory) {
    throw Error(Error::Kind::kNotFound,
                fmt::format("there is no directory {} for backups: mount its disk, or make it",
                            directory.string()));
  }
}

// Returns the private keys that decrypt a file with these locks. If the locks are recipients,
// generates a key pair, adds its recipient to the locks, and returns its private key.
age::Keys KeysFor(std::optional<age::Locks>& locks) {
  age::Keys keys;
  if (!locks) {
    return keys;
  }
  if (!locks->passphrase.empty()) {
    keys.passphrase = locks->passphrase;
    return keys;
  }
  keys.identities.push_back(pki::NewX25519Key());
  locks->recipients.push_back(pki::X25519PublicKey(keys.identities.front()));
  return keys;
}

// Verifies the new backup. Removes a backup with problems. Keeps a backup that could not be read,
// because a defect of the disk or of this machine may be the cause.
Verified VerifyNew(const Created& created, const age::Keys& keys, const DailyRequest& request,
                   const CollectionInput& input, const VerifyDeps& deps) {
  host::Files& files = input.host.files;
  const Buckets buckets = BucketsOf(input.host, input.stop);
  Verified verified =
      base::WithContext(fmt::format("{} was made and could not be verified", created.path), [&] {
        return Verify({.files = files,
                       .path = created.path,
                       .buckets = buckets,
                       .keys = keys,
                       .progress = request.progress,
                       .stop = input.stop},
                      deps);
      });
  if (!verified.problems.empty()) {
    RemoveBackup(files, created.path, buckets);
    throw Error(Error::Kind::kInvalid,
                fmt::format("{} was removed, since it cannot be restored: {}", created.path,
                            verified.problems.front()));
  }
  return verified;
}

// Removes old backups of the node; the last verified one stays.
std::vector<std::string> RemoveOld(const DailyRequest& request, const Manifest& manifest,
                                   const CollectionInput& input) {
  host::Files& files = input.host.files;
  const Buckets buckets = BucketsOf(input.host, input.stop);
  std::vector<std::string> names;
  for (const std::string& path : ListPaths(files, request.directory, buckets)) {
    names.push_back(fs::path(path).filename());
  }
  const auto last = FindLastBackup(files);
  std::vector<std::string> removed;
  for (const std::string& name :
       ChooseExpired(names, manifest.node.name, request.retention, manifest.created)) {
    const fs::path path = request.directory / name;
    if (!last || last->path != path.string()) {
      RemoveBackup(files, path, buckets);
      removed.push_back(path.string());
    }
  }
  return removed;
}

void AppendMetric(std::string_view name, std::string_view help, std::int64_t value,
                  std::string& text) {
  text += fmt::format(
      "# HELP kubeadm_backup_{0} {1}\n# TYPE kubeadm_backup_{0} gauge\n"
      "kubeadm_backup_{0} {2}\n",
      name, help, value);
}

// Creates an Event about this node, which `kubectl describe node` shows.
void ReportFailure(const std::string& problem, host::Host& host) {
  kube::Client client = kubeconfigs::ClientBy(
      host, fs::path(config::kKubernetesDir) / config::kAdminConf, kEventLimit);
  const std::string node = readdress::CollectNode(host).config.init.node_registration.name;
  const std::string time = json::FormatRfc3339(host.clock.NowSeconds());
  client.Create(
      kube::resources::kEvent,
      {{"apiVersion", "v1"},
       {"kind", "Event"},
       {"metadata", {{"generateName", "kubeadm-backup-failed-"}, {"namespace", "default"}}},
       {"involvedObject", {{"kind", "Node"}, {"name", node}, {"uid", node}}},
       {"type", "Warning"},
       {"reason", "BackupFailed"},
       {"message", json::WithValidUtf8(problem.substr(0, kLongestMessage))},
       {"source", {{"component", "kubeadm"}, {"host", node}}},
       {"firstTimestamp", time},
       {"lastTimestamp", time},
       {"count", 1}});
}

// Calls `report`, which reports a failed backup. If `report` throws, only logs a warning.
void Report(const std::function<void()>& report) {
  try {
    report();
  } catch (const Error& error) {
    base::LogWarning("a report of the failed backup: {}", error.message());
  }
}

}  // namespace

void RequireTimersAccess(const host::Host& host) {
  s3::LoadAccessOfTimer(host.environment, host.files);
}

std::vector<std::string> DailyCommand(const DailyOptions& options) {
  std::vector<std::string> command = {options.program, "backup", "schedule", "run",
                                      options.directory};
  command.insert(command.end(), options.flags.begin(), options.flags.end());
  return command;
}

DailyResult MakeDaily(DailyRequest request, const CollectionInput& input, const EtcdAccess& etcd,
                      const VerifyDeps& deps) {
  host::Files& files = input.host.files;
  RequireDirectory(files, request.directory);
  const age::Keys keys = KeysFor(request.locks);
  DailyResult result{
      .created = Create(
          {.target = request.directory, .locks = request.locks, .progress = request.progress},
          input, etcd),
      .verified = {},
      .removed = {}};
  const Created& created = result.created;
  if (request.on_created) {
    request.on_created();
  }
  result.verified = VerifyNew(created, keys, request, input, deps);
  if (result.verified.etcd) {
    SaveLastBackup(files, {.path = created.path,
                           .created = created.manifest.created,
                           .size = created.size,
                           .revision = result.verified.etcd->revision});
  }
  result.removed = RemoveOld(request, created.manifest, input);
  if (!result.verified.etcd) {
    throw Error(
        fmt::format("{} was made and its checksums match, but no etcd served its snapshot: "
                    "{}",
                    created.path, result.verified.etcd_left_out));
  }
  return result;
}

DailyResult RunDaily(const DailyRequest& request, const CollectionInput& input,
                     const VerifyDeps& deps) {
  host::Host& host = input.host;
  const auto write_metrics = [&](bool succeeded) {
    timers::WriteTextfile(
        {.wanted = request.textfile, .usual_name = "kubeadm_backup.prom"},
        [&] { return MetricsText(host.files, host.clock.NowSeconds(), succeeded); }, host);
  };
  try {
    DailyResult result = MakeDaily(request, input, ConnectToEtcd(input), deps);
    SaveFailure(host.files, std::nullopt);
    write_metrics(true);
    return result;
  } catch (const Error& error) {
    const std::string& problem = error.message();
    Report([&] {
      SaveFailure(host.files, Failure{.time = host.clock.NowSeconds(), .error = problem});
    });
    Report([&] { write_metrics(false); });
    Report([&] { ReportFailure(problem, host); });
    throw;
  }
}

std::string MetricsText(const host::Files& files, std::chrono::sys_seconds now, bool succeeded) {
  std::string text;
  AppendMetric("last_run_timestamp_seconds", "When the backup of this node ran last.",
               now.time_since_epoch().count(), text);
  AppendMetric("last_run_success", "Whether that run made and verified a backup.",
               succeeded ? 1 : 0, text);
  if (const auto last = FindLastBackup(files)) {
    AppendMetric("last_verified_timestamp_seconds",
                 "When the last backup that was verified was made.",
                 last->created.time_since_epoch().count(), text);
    AppendMetric("last_verified_size_bytes", "The size of that backup.", last->size, text);
    AppendMetric("last_verified_revision",
                 "The revision of etcd in the last backup that was "
                 "verified.",
                 last->revision, text);
  }
  return text;
}

ScheduleStatus CollectSchedule(host::Host& host) {
  ScheduleStatus schedule{
      .timer = {}, .last = FindLastBackup(host.files), .failure = FindFailure(host.files)};
  if (const auto scheduler = timers::DetectScheduler(host)) {
    schedule.timer = timers::StatusOf(kDaily, *scheduler, host);
  }
  return schedule;
}

std::string TextOf(const ScheduleStatus& schedule) {
  std::string text = timers::TextOf(timers::StatusReport{.task = kDaily, .status = schedule.timer});
  if (schedule.last) {
    text += fmt::format("Last verified: {}, made at {}\n", schedule.last->path,
                        json::FormatRfc3339(schedule.last->created));
  }
  if (schedule.failure) {
    text += fmt::format("The last run failed at {}: {}\n",
                        json::FormatRfc3339(schedule.failure->time), schedule.failure->error);
  }
  return text;
}

json::Ordered ObjectOf(const ScheduleStatus& schedule) {
  json::Ordered object =
      timers::ObjectOf(timers::StatusReport{.task = kDaily, .status = schedule.timer});
  object["lastVerified"] = nullptr;
  if (const auto& last = schedule.last) {
    object["lastVerified"] = {{"path", last->path},
                              {"created", json::FormatRfc3339(last->created)},
                              {"size", last->size},
                              {"revision", last->revision}};
  }
  object["lastFailure"] = nullptr;
  if (const auto& failure = schedule.failure) {
    object["lastFailure"] = {{"time", json::FormatRfc3339(failure->time)},
                             {"error", failure->error}};
  }
  return object;
}

std::string TextOf(const DailyResult& result) {
  std::string text = TextOf(result.created) + TextOf(result.verified);
  for (const std::string& path : result.removed) {
    text += fmt::format("[backup] Removed {}, by the limits of the schedule\n", path);
  }
  return text;
}

json::Value ObjectOf(const DailyResult& result) {
  return {{"created", ObjectOf(result.created)},
          {"verified", ObjectOf(result.verified)},
          {"removed", result.removed}};
}

}  // namespace backup
