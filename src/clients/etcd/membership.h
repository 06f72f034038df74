// SPDX-License-Identifier: Apache-2.0
// Joining an etcd cluster and leaving it, so that it keeps its quorum at every moment: a new member
// first learns, and votes when it has caught up (reference: manifests.md §6).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/show_line.h"
#include "etcd/client.h"
#include "etcd/waiting.h"

namespace etcd {

// NewMember is who joins: the node's name and where its peers reach it ("https://10.0.0.3:2380").
struct NewMember {
  std::string name;
  std::string peer_url;
};

// How AddLearner found the new member.
enum class Found {
  kAdded,       // it was not there
  kNotStarted,  // added by an earlier run, its process never started
  kLearner,     // runs, not promoted yet
  kVoter,       // a full member already
};

// Joined is how AddLearner found the member or made it.
struct Joined {
  Found found = Found::kAdded;
  std::uint64_t id = 0;
  std::string initial_cluster;  // for the new member's flag --initial-cluster
};

// AddLearner makes the new member known to the cluster, as a learner. It may be repeated: a member
// with this peer URL is reused. While another control plane joins (etcd takes one learner at a
// time) it waits for that one, saying so. Throws kAlreadyExists when another member has the name
// (two of one name cannot start), kConflict when for kStartPatience (health.h) etcd took no new
// member beside a voter that never started, kTimeout with the member that it waited for,
// kCancelled, or what the client throws for good. `may_be_added` (may be null) becomes true as soon
// as this call may have added the member, also when the answer was lost.
Joined AddLearner(Client& client, const NewMember& self, const Waiting& waiting,
                  const base::ShowLine& show = {}, bool* may_be_added = nullptr);

// InitialCluster is the value of --initial-cluster: all members in the list's order, the new one
// under its name, others that never started under their id in hex.
std::string InitialCluster(const std::vector<Member>& members, const NewMember& self);

// LearnerProgress is how far a learner has come; the indexes are 0 until they are known.
struct LearnerProgress {
  bool started = false;
  std::uint64_t applied = 0;         // by the learner
  std::uint64_t leader_applied = 0;  // by the leader
  bool operator==(const LearnerProgress&) const = default;
};

// PromoteWhenCaughtUp waits until the learner has started and copied what the leader has, and makes
// it a voter; one that votes already is a success. `on_progress` (may be empty) gets each change.
// Throws kNotFound when the member was removed meanwhile, kTimeout with how far it got, kCancelled,
// the culprit, or what the client throws for good.
void PromoteWhenCaughtUp(Client& client, std::uint64_t id, const Waiting& waiting,
                         const std::function<void(const LearnerProgress&)>& on_progress = {});

// How RemoveMember ended.
enum class Removal { kRemoved, kAbsent, kOnlyMember };

// Removing says which member goes.
struct Removing {
  std::string peer_url;
  // Whoever asks goes on whatever the end is: then only time tells who comes back.
  bool forced = false;
};

// RemoveMember removes the member with this peer URL. Nothing is done when there is none, or when
// it is the only member. Throws kConflict when the cluster would lose its quorum (quorum.h), also
// where etcd did not remove it and the others are not a majority without it, or nobody answers any
// more, so that its data must stay: members that do not answer are asked again for half of the wait
// before, but only for a few seconds, unless forced, where nothing listens. Throws kUnavailable
// when nobody lists the members, kTimeout when it was not removed and the others do not need it,
// kCancelled, or what the client throws for good. A member that goes ends as soon as it is removed:
// see Connection::endpoints.
Removal RemoveMember(Client& client, const Removing& removing, const Waiting& waiting,
                     const base::ShowLine& show = {});

// ForgetLost is for a node that has no data of etcd: a learner with its peer URL that has started
// could never go on, votes for nobody, and is removed (true). A voter that came back without what
// it voted for would be a danger to what etcd stores: throws kConflict, naming the command that
// removes it. Else throws like UndoAdd.
bool ForgetLost(Client& client, const std::string& peer_url, const Waiting& waiting);

// How UndoAdd ended. A member that votes is one that the cluster counts on: it is left alone.
enum class Undone { kRemoved, kAbsent, kVotes };

// UndoAdd takes back what AddLearner did when the join failed after it: removes the member with
// this peer URL if it is a learner or never started.
Undone UndoAdd(Client& client, const std::string& peer_url, const Waiting& waiting);

}  // namespace etcd
