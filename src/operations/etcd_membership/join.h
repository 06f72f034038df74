// SPDX-License-Identifier: Apache-2.0
// Bringing this node's etcd into the cluster's, and taking that back when it fails (reference:
// manifests.md §6).
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "cri/runtime.h"
#include "etcd/client.h"
#include "etcd/membership.h"
#include "etcd/waiting.h"
#include "host/host.h"

namespace etcd_membership {

// Node is where the new member runs. Host and runtime must outlive it.
struct Node {
  host::Host& host;
  cri::Runtime&
      runtime;  // one connection for the whole join, which comes back when the runtime does
  std::chrono::system_clock::time_point since;  // failures before it are not this run's
  host::fs::path data_dir;                      // of the new member
};

// Undoing is how the membership is taken back: the user's interrupt, which may be why, ends neither
// its calls nor its waits.
struct Undoing {
  etcd::Client& client;
  etcd::Waiting waiting;
};

// Joining says who joins, and for how long others are waited for.
struct Joining {
  etcd::NewMember member;
  etcd::Waiting waiting;
  Undoing undoing;
};

// JoinSteps are what the caller does on the way.
struct JoinSteps {
  // Writes the manifest of the member, which the cluster knows by now.
  std::function<void(const etcd::Joined& joined)> start;
  // What is waited for from now on; nothing: it is over.
  std::function<void(std::optional<std::string_view> text)> progress;
};

// Join adds the member as a learner, has it started, waits until it has copied the data and
// promotes it, and returns when the cluster has its quorum. When that fails before it votes, what
// was done is taken back (take_back.h): a rerun finds the node as it was. Throws what
// etcd::AddLearner and the waits throw, and the diagnosis of this node's etcd when that fails in a
// way that time does not heal.
void Join(etcd::Client& client, const Joining& joining, const Node& node, const JoinSteps& steps);

// WaitingOn is a wait on the host's clock that `stop` ends.
etcd::Waiting WaitingOn(host::Clock& clock, std::chrono::milliseconds limit,
                        const std::stop_token& stop);

}  // namespace etcd_membership
