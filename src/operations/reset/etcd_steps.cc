// SPDX-License-Identifier: Apache-2.0
// The etcd member: removed from the cluster if that keeps its majority, then its data are deleted.
#include <fmt/core.h>

#include "base/error.h"
#include "base/utf8.h"
#include "config/defaults.h"
#include "etcd_membership/leave.h"
#include "etcd_membership/own_member.h"
#include "reset/etcd.h"
#include "reset/places.h"
#include "reset/steps.h"

namespace reset {
namespace {

using etcd_membership::LocalEtcd;
using Kind = base::Error::Kind;
using std::chrono::milliseconds;

etcd::Waiting WaitingFor(Teardown& teardown, const std::stop_token& stop) {
  return {.now = [&teardown] { return teardown.host.clock.Steady(); },
          .pause =
              [&teardown, stop](milliseconds duration) {
                teardown.host.clock.Sleep(duration, stop);
                return !stop.stop_requested();
              },
          .limit = std::chrono::duration_cast<milliseconds>(
              config::TimeoutOf(teardown.config.timeouts, &config::Timeouts::etcd_api_call))};
}

std::string Describe(etcd::Removal removal) {
  switch (removal) {
    case etcd::Removal::kRemoved:
      return "[reset] Removed this node's member from the etcd cluster";
    case etcd::Removal::kAbsent:
      return "[reset] This node's member is not in the etcd cluster any more";
    default:
      return "[reset] This node's member is the only one of the etcd cluster: not removed from it";
  }
}

void Leave(const LocalEtcd& local, Teardown& teardown, const Notes& notes) {
  const bool known = teardown.Cluster(notes) != nullptr;
  const etcd::Removal removal = etcd_membership::Leave(
      {.files = teardown.host.files,
       .local = local,
       .certificates_dir = fs::path(teardown.config.certificates_dir) / "etcd",
       .cluster = known ? teardown.Client() : nullptr,
       .waiting = WaitingFor(teardown, notes.stop),
       .stop = notes.stop,
       .forced = teardown.config.force},
      {.warn = notes.warn,
       .waiting = [&](const std::string& why) { notes.say("[reset] Waiting: " + why); }});
  notes.say(Describe(removal));
}

base::Error Refusal(const std::string& why) {
  return {Kind::kConflict,
          why + "\nto reset this node all the same, give --force: kubeadm reset --force"};
}

// Removes the member if possible. Throws only if the cluster would lose its quorum.
void LeaveIfPossible(const LocalEtcd& local, Teardown& teardown, const Notes& notes) {
  try {
    Leave(local, teardown, notes);
  } catch (const base::Error& error) {
    if (error.kind() == Kind::kConflict && !teardown.config.force) {
      throw Refusal(error.message());
    }
    RequireDispensableMember(teardown, notes.stop);
    notes.warn(
        fmt::format("this node's etcd member was not removed from the cluster, going on: "
                    "{}; if other members are left, remove it there",
                    error.message()));
  }
}

ResetStep DataStep(const etcd_membership::DataDirectory& data, const host::Files& files) {
  if (!data.path) {
    const std::string external =
        "[reset] No data of an etcd of this cluster is known on this machine: treating it as "
        "external, please reset it yourself so that a new cluster does not find the old data";
    return {.planned = external, .begins = external};
  }
  const fs::path& path = *data.path;
  if (const auto why = WhyKept(path)) {
    return {.warnings = {fmt::format("not emptying {}: {}", path.string(), *why)}};
  }
  ResetStep step{
      .planned = fmt::format("[dryrun] Would delete the contents of etcd's data directory {}",
                             path.string()),
      .run = [path](Teardown& teardown, const Notes& notes) {
        teardown.EmptyDirectory(path, notes);
        teardown.etcd_data = path;
      }};
  if (!data.guessed || !IsEmpty(files, path)) {
    step.begins =
        fmt::format("[reset] Deleting the contents of etcd's data directory {}", path.string());
  }
  return step;
}

}  // namespace

void RequireDispensableMember(Teardown& teardown, const std::stop_token& stop) {
  if (teardown.config.force) {
    return;
  }
  if (const auto problem = etcd_membership::LossProblem(
          teardown.host, fs::path(teardown.config.certificates_dir) / "etcd", stop)) {
    throw Refusal("this node's etcd member cannot be spared: " + *problem);
  }
}

Steps EtcdSteps(Teardown& teardown, const Notes& notes) {
  const host::Files& files = teardown.host.files;
  const etcd_membership::EtcdState etcd = etcd_membership::FindEtcd(files);
  const config::ClusterConfiguration* cluster = teardown.Cluster(notes);
  Steps steps;
  if (!etcd.broken.empty()) {
    steps.push_back({.warnings = {"the manifest of etcd cannot be read: " + etcd.broken}});
  }
  if (etcd.local && !etcd.local->peer_url.empty()) {
    steps.push_back({.planned = fmt::format("[dryrun] Would remove the etcd member {} from its "
                                            "cluster",
                                            base::Visible(etcd.local->peer_url)),
                     .run = [local = *etcd.local](Teardown& of, const Notes& heard) {
                       LeaveIfPossible(local, of, heard);
                     }});
  }
  steps.push_back(DataStep(etcd_membership::DataDirectoryOf(etcd, cluster), files));
  return steps;
}

}  // namespace reset
