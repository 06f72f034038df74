// SPDX-License-Identifier: Apache-2.0
// The journal of a change of this node's configuration. It makes the rollback possible, also after
// a crash of the machine in the middle.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/load.h"
#include "config/types.h"
#include "host/files.h"
#include "upgrade/record.h"

namespace config_change {

// kChangeFile contains a Change, kPodsFile the state of the static Pods.
inline constexpr std::string_view kChangeFile = "/var/lib/slipway/config-change.json";
inline constexpr std::string_view kPodsFile = "/var/lib/slipway/config-change-pods.json";
// kTakenBackFile exists while the last event was a keeper's rollback of its change.
inline constexpr std::string_view kTakenBackFile = "/var/lib/slipway/config-taken-back";

// The changes of one `config apply` to this node and to the cluster.
struct Change {
  enum class State {
    kApplying,  // interrupted, if no process holds the node's lock
    kTrying,    // rolled back at `until` unless it is confirmed
    kKept
  } state = State::kApplying;
  std::string id;               // of this change, used by its rollback timer; "" in older journals
  config::StoredConfig before;  // as stored in the cluster
  config::InitConfiguration node;         // name, socket and endpoint of this node
  bool stored = false;                    // whether the cluster stores the new one
  std::string directory;                  // of the copies of replaced files
  std::vector<std::string> certificates;  // issued again; their pairs are in the directory
  bool kubelet = false;                   // its file is in the directory
  bool core_dns = false;                  // brought up to date
  bool kube_proxy = false;
  bool put_back = false;  // this node is restored; the stored configuration may not be
  std::optional<std::chrono::sys_seconds> until;  // of kTrying
  // The state after the change (traces.h): hashes of the stored configuration then ("": it stored
  // none, or may have been changed since) and of each written file, by its path.
  std::string stored_as;
  std::map<std::string, std::string> written;
};

// Throws base::Error(kInvalid), naming the file, for other content.
std::optional<Change> LoadChange(const host::Files& files);
void SaveChange(host::Files& files, const Change& change);
// Deletes it: after that no rollback is possible.
void RemoveChange(host::Files& files);

// Returns the record for the static Pods of a change to that configuration.
upgrade::Record NewRecord(const config::Init& to);

}  // namespace config_change
