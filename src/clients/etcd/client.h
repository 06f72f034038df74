// SPDX-License-Identifier: Apache-2.0
// The members of an etcd cluster, by etcd's gRPC API
// (https://etcd.io/docs/v3.6/dev-guide/api_reference_v3/).
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/take_bytes.h"

namespace etcd {

// Member is one of an etcd cluster, as the member list has it.
struct Member {
  std::uint64_t id = 0;
  std::string name;  // "" until the member's process has started once
  std::vector<std::string> peer_urls;
  std::vector<std::string> client_urls;  // empty until it has started
  bool learner = false;                  // copies the data, does not vote
  bool started() const { return !name.empty(); }
  bool operator==(const Member&) const = default;
};

// MemberStatus is what one member says of itself.
struct MemberStatus {
  std::uint64_t member_id = 0;
  std::uint64_t leader_id = 0;  // 0: it knows of none
  std::string version;
  std::uint64_t raft_index = 0;
  std::uint64_t applied_index = 0;
  std::int64_t db_size = 0;  // bytes
  bool learner = false;
  std::vector<std::string> errors;  // alarms ("NOSPACE"), "no leader", …
};

// Refusal is why a healthy connection did not get what it asked for: the caller branches on it.
enum class Refusal {
  kNone,
  kPeerUrlExists,     // a member with this peer URL is there
  kTooManyLearners,   // etcd takes one learner at a time (--max-learners)
  kNotEnoughStarted,  // the change would leave too few members that ever started
  kUnhealthy,         // not all voting members have been connected for 5 s
  kNotInSync,         // the learner has not copied enough to be promoted
  kNotLearner,        // promoted already
  kMemberNotFound,
};

// Reach of a question: kCluster needs a majority to answer and is up to date; kMember is what the
// member that is asked knows, also when the majority is gone.
enum class Reach { kCluster, kMember };

// Client talks to a cluster through any of its endpoints: when one is not available the next is
// asked. Safe to use from several threads. Calls throw base::Error with the endpoint in the text:
// kUnavailable (nobody answers, no leader), kTimeout, kUnauthorized (certificates do not fit),
// kForbidden, kCancelled, or kOther with etcd's message.
class Client {
 public:
  virtual ~Client() = default;
  virtual std::vector<Member> Members(Reach reach = Reach::kCluster) = 0;
  // Add, Promote and Remove may be repeated: the second time they refuse (kPeerUrlExists,
  // kNotLearner, kMemberNotFound).
  virtual Refusal AddLearner(const std::string& peer_url) = 0;
  virtual Refusal Promote(std::uint64_t id) = 0;
  virtual Refusal Remove(std::uint64_t id) = 0;
  // UpdatePeerUrl tells the cluster where the member's peers reach it from now on.
  virtual Refusal UpdatePeerUrl(std::uint64_t id, const std::string& peer_url) = 0;
  // Status asks exactly the member that listens at this client URL, for the connection's time.
  MemberStatus Status(const std::string& client_url) { return StatusWithin({}, client_url); }
  // The same for another time.
  virtual MemberStatus StatusWithin(std::optional<std::chrono::milliseconds> timeout,
                                    const std::string& client_url) = 0;
  // Snapshot hands on the database of exactly the member that listens at this client URL, piece by
  // piece, as it is at one moment: what a copy of its file, which changes, is not. Throws kInvalid
  // at the end where the pieces do not add up to etcd's checksum.
  virtual void Snapshot(const std::string& client_url, const base::TakeBytes& take) = 0;
};

// Connection says where a cluster is and who asks.
struct Connection {
  // Client URLs ("https://10.0.0.1:2379"), tried in this order. Whoever removes a member puts its
  // endpoint last: it ends while it answers.
  std::vector<std::string> endpoints;
  std::string ca_pem;  // of etcd's servers; no other CA is trusted
  std::string certificate_pem, key_pem;
  std::chrono::milliseconds timeout{2'000};  // of one call to one endpoint
  std::stop_token stop;
};

// Connect makes the client; no call is made yet. Throws base::Error(kInvalid) for an endpoint that
// is not an https URL with a port, when there is none, and without a CA.
std::unique_ptr<Client> Connect(Connection connection);

}  // namespace etcd
