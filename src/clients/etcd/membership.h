// SPDX-License-Identifier: Apache-2.0
// Joining and leaving an etcd cluster without a loss of its quorum. A new member starts as a
// learner, and becomes a voter when it has caught up (reference: manifests.md §6).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/show_line.h"
#include "etcd/client.h"
#include "etcd/waiting.h"

namespace etcd {

// The joining member: the node's name and its peer URL ("https://10.0.0.3:2380").
struct NewMember {
  std::string name;
  std::string peer_url;
};

// The state in which AddLearner found the new member.
enum class Found {
  kAdded,  // it did not exist
  // An earlier run added it, and its process has never started.
  kNotStarted,
  kLearner,  // runs, not promoted yet
  kVoter,    // a full member already
};

// The member that AddLearner found or created.
struct Joined {
  Found found = Found::kAdded;
  std::uint64_t id = 0;
  std::string initial_cluster;  // for the new member's flag --initial-cluster
};

// Adds the new member to the cluster as a learner. References must outlive the object.
class LearnerAddition {
 public:
  LearnerAddition(Client& client, const NewMember& self) : client_(client), self_(self) {}

  // Adds the learner, as the function AddLearner does.
  Joined Run(const Waiting& waiting, const base::ShowLine& show = {});

  // Returns whether the new member may be in the cluster: Run has returned, or may have added the
  // member. This is also true if etcd's answer was lost.
  bool MayBeMember() const { return may_be_member_; }

 private:
  Client& client_;
  const NewMember& self_;
  bool may_be_member_ = false;
};

// Adds the new member to the cluster as a learner. Idempotent: reuses a member with this peer URL.
// While another control plane joins (etcd allows one learner at a time), reports this and waits.
//
// Throws kAlreadyExists if another member has the name, since two members of one name cannot start.
// Throws kConflict if for kStartPatience (health.h) etcd refused new members because of a voter
// that never started. Throws kTimeout, naming the member that it waited for. Throws
// base::Interrupted, or a permanent error of the client.
Joined AddLearner(Client& client, const NewMember& self, const Waiting& waiting,
                  const base::ShowLine& show = {});

// Returns the value of --initial-cluster: all members, in the list's order. The new member has its
// name; other members that never started have their hexadecimal id as the name.
std::string InitialCluster(const std::vector<Member>& members, const NewMember& self);

// The progress of a learner; the indexes are 0 while they are unknown.
struct LearnerProgress {
  bool started = false;
  std::uint64_t applied = 0;         // by the learner
  std::uint64_t leader_applied = 0;  // by the leader
  bool operator==(const LearnerProgress&) const = default;
};

// Waits until the learner has started and copied the leader's data, then promotes it to a voter.
// Succeeds if the member is already a voter. `on_progress` (may be empty) gets each change. Throws
// kNotFound if the member was removed concurrently, and kTimeout with the member's progress. Throws
// base::Interrupted, the error of Waiting::culprit, or a permanent error of the client.
void PromoteWhenCaughtUp(Client& client, std::uint64_t id, const Waiting& waiting,
                         const std::function<void(const LearnerProgress&)>& on_progress = {});

// The result of RemoveMember.
enum class Removal { kRemoved, kAbsent, kOnlyMember };

// The member to remove.
struct Removing {
  std::string peer_url;
  // The caller continues even if the member is not removed.
  bool forced = false;
};

// Removes the member with this peer URL. If the member does not exist or is the only member, does
// nothing. A removed member ends immediately: see Connection::endpoints.
//
// Throws kConflict if the member's data must be kept: the cluster would lose its quorum (quorum.h),
// or does not answer, or the removal failed and the other members have no majority. Before this
// error, waits up to half of the limit for members that do not answer. If their ports are closed,
// waits only a few seconds, unless forced.
//
// Throws kUnavailable if the members cannot be listed. Throws kTimeout if the member was not
// removed, but the other members have a majority. Throws base::Interrupted, or a permanent error of
// the client.
Removal RemoveMember(Client& client, const Removing& removing, const Waiting& waiting,
                     const base::ShowLine& show = {});

// For a node that has lost its etcd data: removes a started learner with this peer URL, and returns
// true. Returns false if no started member has this URL. A learner cannot continue without its
// data, and its removal is safe because it does not vote. Throws kConflict, naming the removal
// command, if the member is a voter. Without its data it has forgotten its votes, and starting it
// again would endanger the cluster's data. Also throws the errors of UndoAdd.
bool ForgetLost(Client& client, const std::string& peer_url, const Waiting& waiting);

// For a node without etcd data that replaces a dead member: removes the started member with the
// node's name or peer URL, and returns the removed member's peer URL. Returns std::nullopt if such
// a member does not exist. Throws kConflict if the member answers, or if the cluster would lose its
// majority. Also throws the errors of UndoAdd and of ClusterHealth.
std::optional<std::string> RemoveDead(Client& client, const NewMember& self,
                                      const Waiting& waiting);

// The result of UndoAdd. A voting member is not removed, because the cluster counts on it.
enum class Undone { kRemoved, kAbsent, kVotes };

// Rolls back AddLearner after a failed join: removes the member with this peer URL if it is a
// learner or never started. Throws kConflict if the cluster would lose its majority, kTimeout,
// base::Interrupted, or a permanent error of the client.
Undone UndoAdd(Client& client, const std::string& peer_url, const Waiting& waiting);

}  // namespace etcd
