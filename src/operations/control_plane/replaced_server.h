// SPDX-License-Identifier: Apache-2.0
// Waits for this node's API server after an interrupted run that was replacing it.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string_view>

#include "control_plane/record.h"
#include "host/host.h"
#include "kube/client.h"

namespace control_plane {

// The parameters of one wait. References must outlive it.
struct ServerWait {
  host::Host& host;
  kube::Client& client;
  std::chrono::milliseconds limit{300'000};
  std::stop_token stop = {};
  // Receives the reason of the wait, and std::nullopt at its end; may be empty.
  std::function<void(std::optional<std::string_view> what)> progress = {};
};

// Waits until the API server is ready, if a run was interrupted while it replaced or restarted the
// API server or its etcd. Returns immediately if this node's record has no such run.
//
// The retries of a single request are too short for this wait. The old API server has a grace
// period of half a minute, and the kubelet checks for its end up to 15 s later. Throws base::Error:
// kTimeout, with the command to roll back, after the limit; kConflict during a restore of etcd's
// data. Throws base::Interrupted.
void AwaitReplacedServer(const ServerWait& wait);

}  // namespace control_plane
