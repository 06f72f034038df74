// SPDX-License-Identifier: Apache-2.0
// The journal of a change of this node's configuration: by it a change is taken back, also after
// the machine went down in the middle.
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

// kChangeFile holds a Change, kPodsFile what has become of the static Pods.
inline constexpr std::string_view kChangeFile = "/var/lib/slipway/config-change.json";
inline constexpr std::string_view kPodsFile = "/var/lib/slipway/config-change-pods.json";
// kTakenBackFile is there while the last that has happened is that a keeper took its change back.
inline constexpr std::string_view kTakenBackFile = "/var/lib/slipway/config-taken-back";

// Change is what one `config apply` has done here, and to the cluster.
struct Change {
  enum class State {
    kApplying,  // cut off, when nobody holds the node's lock
    kTrying,    // taken back at `until` unless it is confirmed
    kKept
  } state = State::kApplying;
  std::string id;  // of this change, by which its rollback timer knows it; "" in older journals
  config::StoredConfig before;            // as the cluster stored it
  config::InitConfiguration node;         // name, socket and endpoint of this node
  bool stored = false;                    // whether the cluster stores the new one
  std::string directory;                  // of the copies of what was replaced
  std::vector<std::string> certificates;  // issued again; their pairs lie in the directory
  bool kubelet = false;                   // its file lies in the directory
  bool core_dns = false;                  // brought up to date
  bool kube_proxy = false;
  bool put_back = false;  // this node is as before; what the cluster stores may not be
  std::optional<std::chrono::sys_seconds> until;  // of kTrying
  // As the change has left things (traces.h): hashes of what the cluster stored then ("": it stored
  // nothing, or may have gone on since) and of each file that was written, by its path.
  std::string stored_as;
  std::map<std::string, std::string> written;
};

// LoadChange throws base::Error(kInvalid), naming the file, when it holds something else.
std::optional<Change> LoadChange(const host::Files& files);
void SaveChange(host::Files& files, const Change& change);
// RemoveChange forgets it: there is no way back any more.
void RemoveChange(host::Files& files);

// NewRecord is for the static Pods of a change to that configuration.
upgrade::Record NewRecord(const config::Init& to);

}  // namespace config_change
