// SPDX-License-Identifier: Apache-2.0
// Makes the last member of an etcd without majority its only member, as an operation of the engine
// (docs/etcd.md).
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cri/runtime.h"
#include "engine/operation.h"
#include "etcd_maintenance/recovery_facts.h"
#include "host/host.h"

namespace etcd_maintenance {

// Dependencies of the steps. The host must outlive the operation.
struct RecoverDeps {
  host::Host& host;
  std::function<std::unique_ptr<cri::Runtime>()> connect_runtime;
  std::chrono::milliseconds limit{300'000};  // for the control plane to serve
};

// Returns the steps of the recovery. 1. Stop the kubelet, the API server and etcd. 2. Move etcd's
// data aside. 3. Start an etcd with a copy of the data as its only member, and restore its snapshot
// as a new cluster with a raised revision. 4. Start the control plane. 5. Verify a write. etcd's
// manifest is removed before the data are moved, so that no etcd starts without data, even after a
// reboot. An interrupted recovery is resumed.
engine::Operation RecoverOperation(const RecoveryFacts& facts, const RecoverDeps& deps);

// Returns the text that the user sees before the steps of the plan: what the recovery does to the
// members, and which data are lost.
std::string TextOf(const RecoveryFacts& facts);

// Throws base::Error(kConflict), before any change, if this member must not become the only member
// (RecoveryRefusal).
void RequireRecoverable(const RecoveryFacts& facts);

// Returns the lines after a recovery: how the other control planes join again.
std::vector<std::string> StepsAfterRecovery(const RecoveryFacts& facts);

}  // namespace etcd_maintenance
