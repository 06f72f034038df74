// SPDX-License-Identifier: Apache-2.0
// Carrying out a new name of a worker.
#pragma once

#include <chrono>
#include <stop_token>

#include "base/show_line.h"
#include "host/host.h"
#include "kube/client.h"
#include "node_rename/journal.h"

namespace node_rename {

// Engine is what acts. References outlive it.
struct Engine {
  host::Host& host;
  kube::Client& client;                      // an administrator's
  std::chrono::milliseconds limit{180'000};  // for what is waited for
  std::stop_token stop = {};
  base::ShowLine say;
};

// Apply gets a certificate of the new name from the cluster, stops the kubelet, gives it
// certificate and name, puts the new Node in the place of the old one and starts the kubelet; it
// ends when that Node is Ready. The old Node goes first: its Pod networks are the new one's, and
// would be free for a third when it went later. Each step may be repeated; the journal is removed
// in the end. Throws base::Error.
void Apply(const Journal& journal, const Engine& engine);

}  // namespace node_rename
