// SPDX-License-Identifier: Apache-2.0
// The members of the cluster's etcd and their state (docs/etcd.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "etcd/client.h"
#include "etcd/health.h"
#include "json/value.h"

namespace etcd_maintenance {

// One member and its state.
struct MemberState {
  etcd::Member member;
  std::optional<etcd::MemberStatus> status;  // std::nullopt if it did not answer
  std::string problem;                       // why it is unhealthy; "" if it is healthy
  std::vector<std::string> alarms;           // its own: "NOSPACE"
  std::int64_t lag = 0;                      // revisions behind the most advanced member
};

// The state of a cluster, as its members report it.
struct ClusterState {
  std::vector<MemberState> members;  // sorted by name, unnamed ones last
  std::string leader;                // the name of the member; "" without a leader
  std::uint64_t cluster_id = 0;      // 0 if no member answered
  std::int64_t revision = 0;         // of the most advanced member
  bool quorum = false;               // more than half of the voting members follow a leader
  // Returns whether every member is healthy, without an alarm.
  bool IsHealthy() const;
};

// Returns the state of a cluster from its members' answers.
ClusterState StateOf(const etcd::Health& health);

// Queries all members. A member that does not answer is included in the result. Throws
// base::Error(kUnavailable) if no member provides the member list.
ClusterState CollectState(etcd::Client& client);

// Formats the output of `etcd status`.
std::string TextOf(const ClusterState& state);
json::Value ObjectOf(const ClusterState& state);

// The list of members alone, sorted like ClusterState::members.
struct MemberList {
  std::vector<etcd::Member> members;
};

// Lists the members. Without a majority, the list comes from a single member and may be stale.
// Throws base::Error(kUnavailable) if no member answers.
MemberList CollectMembers(etcd::Client& client);

// Formats the output of `etcd members`.
std::string TextOf(const MemberList& list);
json::Value ObjectOf(const MemberList& list);

// Returns the member of that name or hexadecimal id. Throws base::Error(kNotFound), with the names
// of all members, if no member has that name or id.
const etcd::Member& RequireMember(const std::vector<etcd::Member>& members,
                                  const std::string& name_or_id);

}  // namespace etcd_maintenance
