// SPDX-License-Identifier: Apache-2.0
// The API server of this node that a run which was cut off was replacing.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string_view>

#include "host/host.h"
#include "kube/client.h"
#include "upgrade/record.h"

namespace upgrade {

// ServerWait is one wait. References outlive it.
struct ServerWait {
  host::Host& host;
  kube::Client& client;
  std::chrono::milliseconds limit{300'000};
  std::stop_token stop = {};
  // Gets what is waited for, and nothing when the wait is over; may be empty.
  std::function<void(std::optional<std::string_view> what)> progress = {};
  std::string_view record = kRecordFile;  // of the change that may have been cut off
};

// AwaitReplacedServer returns when the API server is ready that a run which was cut off was
// replacing or restarting, or whose etcd it was; at once where the record of this node tells of no
// such run. A call's own retries are shorter than what an API server may take then: the old one has
// a grace period of half a minute, and the kubelet looks for its end a quarter of a minute later.
// Throws base::Error: kTimeout with the way back when the limit is over, kConflict while etcd's
// data is being put back, kCancelled.
void AwaitReplacedServer(const ServerWait& wait);

}  // namespace upgrade
