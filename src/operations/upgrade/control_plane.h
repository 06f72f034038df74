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
#include "host/host.h"
#include "static_pods/restart.h"
#include "upgrade/record.h"

namespace upgrade {

// The required action for one component.
struct PodChange {
  components::Component component;
  json::Value pod;  // the wanted Pod
  enum class What {
    kNothing,
    kRestart,  // the same manifest; new certificates have to be read
    kReplace,
    kAwait,  // an interrupted run has replaced it, and has not seen it serve
  } what = What::kNothing;
  bool operator==(const PodChange&) const = default;
};

// Compares the wanted Pods, in the order etcd, API server, controller manager, scheduler, with the
// present manifests. An unchanged Pod keeps its certificates. The exception is etcd: its
// certificates are renewed with the API server's, so it is restarted then (`renews`). Throws
// base::Error(kNotFound) naming a missing manifest.
enum class Renews { kNo, kYes };
std::vector<PodChange> PlanChanges(const host::Files& files,
                                   std::span<const static_pods::Replacement> wanted,
                                   const UpgradeRecord& record, Renews renews);

// Returns the changes other than kNothing in groups, which are applied one after the other, in the
// order of dependencies. etcd and the API server are replaced together, to have one outage, and so
// are the controller manager and the scheduler.
std::vector<std::vector<PodChange>> GroupsOf(std::span<const PodChange> changes);

// Returns the replacements of a group, in the order in which the old Pods end.
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
  // Restores etcd's data while etcd is stopped; empty without a copy, or if other members have the
  // data, too.
  std::function<void()> restore_etcd_data = {};
  base::ShowLine say;
};

// Applies the changes, group by group. Afterwards all changed Pods serve.
//
// If one does not, all replaced manifests are restored, including those that an interrupted run
// replaced. base::Error contains the cause and the result of the rollback. An etcd of another minor
// version stays if it has served: the old etcd refuses its data, and a restored copy would lose
// later writes. The error mentions this. After base::Interrupted the present state stays: the next
// run continues.
void ApplyChanges(std::span<const PodChange> changes, const PodUpgrade& upgrade);

// Restores the record's old manifests, all at once, and waits until they serve: without a serving
// API server, which may be the reason for the rollback, none of the others is healthy. `etcd`
// selects whether etcd's manifest is included, and whether etcd's data are restored, too, if etcd
// does not serve otherwise. Restored components are removed from the record.
enum class Etcd { kLeave, kPutBack, kPutBackWithData };
void PutBack(Etcd etcd, const PodUpgrade& upgrade);

// Returns the extent of a rollback after a component other than etcd has failed. An etcd that has
// served in its new version is rolled back if its minor version is unchanged. Otherwise it is left,
// since the old etcd refuses the new data ("version 3.7.0 is not supported"). An etcd that has
// never served and does not serve now, or whose manifest is missing, is rolled back. Its data may
// still be the old etcd's, so no copy replaces them.
Etcd BackOfServingEtcd(const PodUpgrade& upgrade);

}  // namespace upgrade
