// SPDX-License-Identifier: Apache-2.0
// The static Pods of this node: to the new version, and back when that fails (reference:
// upgrade-reset.md §5, §6).
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

// PodChange is what has to be done to one component.
struct PodChange {
  components::Component component;
  json::Value pod;  // as it must become
  enum class What {
    kNothing,
    kRestart,  // the same manifest; new certificates have to be read
    kReplace,
    kAwait,  // a run that was cut off has replaced it, and has not seen it serve
  } what = What::kNothing;
  bool operator==(const PodChange&) const = default;
};

// PlanChanges compares the wanted Pods, in the order etcd, API server, controller manager,
// scheduler, with the manifests here. A Pod that stays as it is keeps its certificates; only
// etcd's are renewed with the API server's, wherefore it is restarted then (`renews`). Throws
// base::Error(kNotFound) naming a manifest that is missing.
enum class Renews { kNo, kYes };
std::vector<PodChange> PlanChanges(const host::Files& files,
                                   std::span<const static_pods::Replacement> wanted,
                                   const Record& record, Renews renews);

// PodUpgrade is what ApplyChanges needs to know and do.
struct PodUpgrade {
  host::Host& host;
  const static_pods::RestartContext& restart;
  Record& record;  // kept up to date on disk
  // Makes the directory for the old manifests at first need.
  std::function<host::fs::path()> backup_directory;
  // Renews the certificates that a component reads; may be empty.
  std::function<void(components::Component)> renew = {};
  // Puts back etcd's data while etcd is down; empty when there is no copy, or others hold the data,
  // too.
  std::function<void()> restore_etcd_data = {};
  base::ShowLine say;
  std::string_view verb = "upgrade";  // what errors call it, a literal
};

// ApplyChanges carries out the changes one after the other, each after what it talks to; etcd and
// the API server together, whose outage is one. Afterwards all of them serve. When one does not,
// the old manifests of all that was replaced are put back, also by a run before that was cut off,
// and base::Error tells the cause and how that went. An etcd that served stays at another minor
// version: the old one refuses its data, and to put back a copy would lose what was stored since;
// the error says so. Interrupted (kCancelled), it leaves all as it is: the next run goes on.
void ApplyChanges(std::span<const PodChange> changes, const PodUpgrade& upgrade);

// PutBack restores the record's old manifests, all at once, and waits until they serve: without an
// API server that does, which may be why one goes back, none of the others is well. `etcd` says
// whether etcd's as well, and its data, too, when it does not serve otherwise. What is back is
// taken out of the record.
enum class Etcd { kLeave, kPutBack, kPutBackWithData };
void PutBack(Etcd etcd, const PodUpgrade& upgrade);

// BackOfServingEtcd says how far to go back where etcd is not what failed. One that has served in
// its new version goes back within a minor version; else it is left, since the old etcd refuses its
// data ("version 3.7.0 is not supported"). One that was never seen to serve and does not now, or
// has no manifest, goes back: its data may be the old one's still, and no copy takes their place.
Etcd BackOfServingEtcd(const PodUpgrade& upgrade);

}  // namespace upgrade
