// SPDX-License-Identifier: Apache-2.0
// The health of an etcd cluster's members, and the remedy for a lost member.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "etcd/client.h"
#include "etcd/waiting.h"

namespace etcd {

// One member and its answer.
struct MemberHealth {
  Member member;
  std::optional<MemberStatus> status;  // std::nullopt if it did not answer
  std::optional<std::string> problem;  // why it is not healthy
  bool healthy() const { return !problem; }
};

// The health of a cluster: its members and its majority.
struct Health {
  std::vector<MemberHealth> members;  // in the order of the member list
  // Returns the number of voting members; learners do not vote.
  std::size_t Voters() const;
  std::size_t HealthyVoters() const;
  // Returns whether more than half of the voters are healthy.
  bool HasQuorum() const;
  // Returns the member of that name, or nullptr.
  const MemberHealth* Named(std::string_view name) const;
  // Returns the member with that peer URL, or nullptr.
  const MemberHealth* At(const std::string& peer_url) const;
  // Returns the healthy member that is the leader, or nullptr.
  const MemberHealth* Leader() const;
};

// Queries the status of every member concurrently. The list of members comes from the cluster or,
// without a majority, from one member's own view.
Health ClusterHealth(Client& client);

// Returns a member's name for users: its name, else its peer URL, else its id.
std::string NameOf(const Member& member);

// Returns the command that removes a member permanently, and the host on which to run it.
std::string RemovalCommand(const Member& member);

// Explains which members are unhealthy and why, one line each. If members do not answer and a
// quorum is left, adds the command that removes them. Returns std::nullopt if all members are
// healthy.
std::optional<std::string> Explain(const Health& health);

// The time that a newly added voter has to start. Afterwards a wait for the cluster ends with an
// error that names the voter. A voter counts for the majority even before it starts, so the cluster
// may need its start to recover.
inline constexpr std::chrono::milliseconds kStartPatience{10'000};

// FindUnstartedVoter returns the first member that votes and never started, or nullptr.
const Member* FindUnstartedVoter(const std::vector<Member>& members);

// Waits until more than half of the voters are healthy. Throws kTimeout with the result of Explain.
// Throws kConflict if for kStartPatience all started voters have answered, but unstarted voters
// prevented a majority.
Health WaitForQuorum(Client& client, const Waiting& waiting);

}  // namespace etcd
