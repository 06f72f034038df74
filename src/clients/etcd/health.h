// SPDX-License-Identifier: Apache-2.0
// How the members of an etcd cluster are, and what to do about one that is gone.
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

// MemberHealth is one member and what it said.
struct MemberHealth {
  Member member;
  std::optional<MemberStatus> status;  // nothing when it did not answer
  std::optional<std::string> problem;  // why it is not healthy
  bool healthy() const { return !problem; }
};

// Health is that of a cluster: of the members, and whether they are enough.
struct Health {
  std::vector<MemberHealth> members;  // in the order of the member list
  // Voters counts the members that vote; a learner does not.
  std::size_t Voters() const;
  std::size_t HealthyVoters() const;
  // HasQuorum: more than half of the voters are healthy.
  bool HasQuorum() const;
  // Named is the member of that name; nullptr when there is none.
  const MemberHealth* Named(std::string_view name) const;
  // At is the member that its peers reach at that URL; nullptr when there is none.
  const MemberHealth* At(const std::string& peer_url) const;
  // Leader is the member that healthy ones follow; nullptr when there is none.
  const MemberHealth* Leader() const;
};

// ClusterHealth asks every member for its status, all at once. The list of members is the
// cluster's, or what one member remembers when the majority is gone.
Health ClusterHealth(Client& client);

// NameOf is what a user knows a member by: its name, else its peer URL.
std::string NameOf(const Member& member);

// RemovalCommand is the line that removes a member for good, run in the Pod of the member `via`
// (its name is its node's); the paths are those of that Pod.
std::string RemovalCommand(const Member& member, const std::string& via,
                           const std::string& certificates_dir = "/etc/kubernetes/pki");

// Explain says which members are not healthy and why, one line each, and for those that do not
// answer the command that removes them (while a quorum is left to run it); nothing when all are
// healthy.
std::optional<std::string> Explain(const Health& health);

// kStartPatience limits the wait for an added voter to start; after it, a wait for the cluster ends
// and names the voter. Such a voter counts towards the majority, and only starting it helps.
inline constexpr std::chrono::milliseconds kStartPatience{10'000};

// FindUnstartedVoter returns the first member that votes and never started, or nullptr.
const Member* FindUnstartedVoter(const std::vector<Member>& members);

// WaitForQuorum waits until more than half of the voters are healthy. Throws kTimeout with what
// Explain says, and kConflict when for kStartPatience nothing was missing but voters that never
// started.
Health WaitForQuorum(Client& client, const Waiting& waiting);

}  // namespace etcd
