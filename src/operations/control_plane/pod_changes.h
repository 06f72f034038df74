// SPDX-License-Identifier: Apache-2.0
// The static Pods of this node: the upgrade to the new version, and the rollback after a failure
// (reference: upgrade-reset.md §5, §6).
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/show_line.h"
#include "control_plane/record.h"
#include "host/host.h"
#include "static_pods/restart.h"

namespace control_plane {

// The required action for one component.
struct PodChange {
  components::Component component;
  json::Value pod;  // the wanted Pod
  enum class What {
    kNothing,
    // The manifest is unchanged. The component is restarted, because it must read new certificates.
    kRestart,
    kReplace,
    // An interrupted run has replaced the Pod, and ended before the Pod served.
    kAwait,
  } what = What::kNothing;
  bool operator==(const PodChange&) const = default;
};

// Selects whether certificates are renewed.
enum class Renews { kNo, kYes };

// Plans the change of each component: compares the wanted Pods with the present manifests, in the
// order etcd, API server, controller manager, scheduler. The certificates of an unchanged Pod are
// not renewed. The exception is etcd: its certificates are renewed with the certificates of the API
// server (`renews`), and then etcd is restarted. Throws base::Error(kNotFound) naming a missing
// manifest.
std::vector<PodChange> PlanChanges(const host::Files& files,
                                   std::span<const static_pods::Replacement> wanted,
                                   const UpgradeRecord& record, Renews renews);

// Returns the changes other than kNothing in groups. The groups are applied one after the other, in
// the order of dependencies. etcd and the API server are one group, so that only one outage occurs.
// The controller manager and the scheduler are another group.
std::vector<std::vector<PodChange>> GroupsOf(std::span<const PodChange> changes);

// Returns the replacements of a group, in the order in which the old Pods are stopped.
std::vector<static_pods::Replacement> ReplacementsOf(const std::vector<PodChange>& group);

// The context of ApplyChanges.
struct PodUpgrade {
  host::Host& host;
  const static_pods::RestartContext& restart;
  UpgradeRecord& record;  // kept up to date on disk
  // Creates the directory for the old manifests on first use.
  std::function<host::fs::path()> backup_directory;
  // Renews the certificates that a component reads; may be empty.
  std::function<void(components::Component)> renew = {};
  // Restores etcd's data while etcd is stopped. Empty if no copy exists, or if other members have
  // the data, too.
  std::function<void()> restore_etcd_data = {};
  base::ShowLine say;
};

// Applies the changes, group by group. Afterwards all changed Pods serve.
//
// If a Pod does not serve, restores all replaced manifests, including the manifests that an
// interrupted run replaced. Throws base::Error with the kind of the cause, naming the cause and the
// result of the rollback. An etcd of another minor version stays if it has served. The old etcd
// would refuse its data, and a restored copy would lose newer writes. The error mentions this.
// After base::Interrupted nothing is rolled back, and the next run resumes.
void ApplyChanges(std::span<const PodChange> changes, const PodUpgrade& upgrade);

// Selects whether a rollback includes etcd's manifest, and whether it also restores etcd's data if
// etcd does not serve otherwise.
enum class Etcd { kLeave, kPutBack, kPutBackWithData };

// Restores the record's old manifests, all together, and waits until the Pods serve. They are
// restored together because no component is healthy without an API server, and the API server may
// be the reason for the rollback. Removes restored components from the record.
void PutBack(Etcd etcd, const PodUpgrade& upgrade);

// Returns the extent of a rollback after a component other than etcd has failed. If etcd has served
// in its new version, it is rolled back only if its minor version is unchanged. Otherwise it stays,
// because the old etcd refuses the new data ("version 3.7.0 is not supported"). If etcd has never
// served and does not serve now, or if its manifest is missing, it is rolled back. In this case its
// data may still be the old etcd's data, so no copy replaces them.
Etcd BackOfServingEtcd(const PodUpgrade& upgrade);

}  // namespace control_plane
