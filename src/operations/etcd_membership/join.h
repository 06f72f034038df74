// SPDX-License-Identifier: Apache-2.0
// Adds this node's etcd to the cluster's etcd, and rolls back after a failure (reference:
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

// The node of the new member. Host and runtime must outlive it.
struct JoiningNode {
  host::Host& host;
  cri::Runtime&
      // The same connection for the whole join; it reconnects after a restart of the runtime.
      runtime;
  // The start of the join. Earlier failures belong to other runs.
  std::chrono::system_clock::time_point since;
  host::fs::path data_dir;  // of the new member
};

// Connections for the rollback. The user's interrupt does not end their calls and waits, because
// this interrupt may be the reason for the rollback.
struct Undoing {
  etcd::Client& client;
  etcd::Waiting waiting;
};

// The new member, and the time limits for waits for the other members.
struct Joining {
  etcd::NewMember member;
  etcd::Waiting waiting;
  Undoing undoing;
  // Before the join, removes a dead member that has the new member's name or peer URL
  // (etcd::RemoveDead). Applies only if this node has no data of the dead member.
  bool replace_dead = false;
};

// Callbacks of the caller.
struct JoinSteps {
  // Writes the manifest of the new member. The member is in the cluster's list before this call.
  std::function<void(const etcd::Joined& joined)> start;
  // Receives a description of the current wait, and std::nullopt at its end.
  std::function<void(std::optional<std::string_view> text)> progress;
};

// Adds the member as a learner, starts it by JoinSteps::start, waits until it has copied the data,
// and promotes it. Returns when the cluster has its quorum. After a failure before the promotion,
// rolls the changes back (join_rollback.h), so that a repeated run starts from the initial state.
// Throws the errors of etcd::AddLearner and of the waits, and the diagnosis of a permanent failure
// of this node's etcd.
void Join(etcd::Client& client, const Joining& joining, const JoiningNode& node,
          const JoinSteps& steps);

// Returns a wait on the host's clock that `stop` ends.
etcd::Waiting WaitingOn(host::Clock& clock, std::chrono::milliseconds limit,
                        const std::stop_token& stop);

}  // namespace etcd_membership
