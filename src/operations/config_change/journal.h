// SPDX-License-Identifier: Apache-2.0
// The facts of a change that the engine's journal stores, so that a resumed run and a rollback do
// not need the cluster for them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/load.h"
#include "config_change/plan.h"
#include "engine/trial.h"
#include "host/files.h"
#include "json/value.h"

namespace config_change {

inline constexpr std::string_view kOperation = "config-apply";  // engine::Operation::name

// Ids of steps.
inline constexpr std::string_view kCertificatesStep = "certificates";
inline constexpr std::string_view kKubeletStep = "kubelet";
inline constexpr std::string_view kStoreStep = "store";
// Returns the id of the step that replaces or restarts these Pods.
std::string PodsStep(const std::vector<control_plane::PodChange>& group);

// A fact that is added at the end of a change: the hash of the configuration that the cluster
// stores then.
inline constexpr const char* kStoredAs = "storedAs";

// The configuration before a change.
struct Before {
  config::StoredConfig stored;
  config::InitConfiguration node;  // name, socket and endpoint of this node
};

// A change as the journal records it. `plan` is incomplete: it has no changed fields, no new
// configuration and no new Pods.
struct Recorded {
  Before before;
  Plan plan;
};

json::Value FactsOf(const Before& before, const Plan& plan);

// Returns the change in a journal. Throws base::Error(kInvalid), naming the journal, if its content
// is not a recorded change.
Recorded RecordedIn(const engine::Journal& journal);

// Loads the journal of this node's last change. Also reads the format of releases that did not have
// the engine yet. Throws base::Error(kInvalid), naming the file, if it is malformed.
std::optional<engine::Journal> LoadJournal(const host::Files& files);

// Returns the files of releases that had no engine. The journal replaces these files.
std::vector<std::string> EarlierFiles();

// Returns the rollback timer of `config apply --try`.
const engine::RollbackTimer& Timer();

// Returns a hash that is equal for configurations with equal texts.
std::string HashOf(const config::StoredConfig& stored);

}  // namespace config_change
