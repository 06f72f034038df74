// SPDX-License-Identifier: Apache-2.0
// Executes the change of a worker's name.
#pragma once

#include <chrono>
#include <stop_token>

#include "base/show_line.h"
#include "host/host.h"
#include "kube/client.h"
#include "node_rename/journal.h"

namespace node_rename {

// The context of a change. References must outlive it.
struct Engine {
  host::Host& host;
  kube::Client& client;                      // an administrator's
  std::chrono::milliseconds limit{180'000};  // for waits
  std::stop_token stop = {};
  base::ShowLine say;
};

// Gets a certificate of the new name from the cluster, stops the kubelet, and installs certificate
// and name. Replaces the old Node by the new one, starts the kubelet, and returns when that Node is
// Ready. The old Node is deleted first: the new one gets its Pod networks, which a third node could
// otherwise get. Each step may be repeated; the journal is removed at the end. Throws base::Error.
void Apply(const Journal& journal, const Engine& engine);

}  // namespace node_rename
