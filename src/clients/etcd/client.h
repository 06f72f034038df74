// SPDX-License-Identifier: Apache-2.0
// The members of an etcd cluster, by etcd's gRPC API
// (https://etcd.io/docs/v3.6/dev-guide/api_reference_v3/).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/take_bytes.h"

namespace etcd {

// A member in etcd's member list.
struct Member {
  std::uint64_t id = 0;
  std::string name;  // "" until the member's process has started once
  std::vector<std::string> peer_urls;
  std::vector<std::string> client_urls;  // empty until it has started
  bool learner = false;                  // copies the data, does not vote
  bool started() const { return !name.empty(); }
  bool operator==(const Member&) const = default;
};

// The status that one member reports.
struct MemberStatus {
  std::uint64_t member_id = 0;
  std::uint64_t leader_id = 0;  // 0: it knows no leader
  std::uint64_t cluster_id = 0;
  std::int64_t revision = 0;  // of the data
  std::string version;
  std::uint64_t raft_index = 0;
  std::uint64_t applied_index = 0;
  std::int64_t db_size = 0;         // bytes
  std::int64_t db_size_in_use = 0;  // bytes; the rest is freed by a defragmentation
  std::int64_t db_quota = 0;        // bytes; 0: unknown, as before etcd 3.6
  bool learner = false;
  std::vector<std::string> errors;  // alarms ("NOSPACE"), "no leader", …
};

// The reason for which etcd refused a request over a healthy connection. The caller branches on it.
enum class Refusal {
  kNone,
  kPeerUrlExists,  // a member with this peer URL exists
  // etcd allows one learner at a time (--max-learners).
  kTooManyLearners,
  // After the change, too few of the members would have started.
  kNotEnoughStarted,
  // Some voting members have not been connected for 5 s.
  kUnhealthy,
  // The learner has not copied enough of the data to be promoted.
  kNotInSync,
  kNotLearner,  // the member votes already
  kMemberNotFound,
  kCompacted,  // the revision is compacted already
};

// The consistency of a query. The result of kCluster is up to date, but needs a majority. The
// result of kMember is the queried member's own view, and is available even without a majority.
enum class Reach { kCluster, kMember };

// The key of Client::CheckWrite, outside the keys of Kubernetes ("/registry/…").
inline constexpr std::string_view kWriteCheckKey = "slipway/write-check";

// Communicates with a cluster through any of its endpoints: if one endpoint is not available, the
// client tries the next one. Thread-safe. Calls throw base::Error naming the endpoint: kUnavailable
// (no answer, no leader), kTimeout, kUnauthorized (certificates do not match), kForbidden, or
// kOther with etcd's message. Calls throw base::Interrupted on a stop request.
class Client {
 public:
  virtual ~Client() = default;
  virtual std::vector<Member> Members(Reach reach = Reach::kCluster) = 0;
  // AddLearner, Promote and Remove are idempotent: a second call changes nothing, and returns
  // kPeerUrlExists, kNotLearner or kMemberNotFound.
  virtual Refusal AddLearner(const std::string& peer_url) = 0;
  virtual Refusal Promote(std::uint64_t id) = 0;
  virtual Refusal Remove(std::uint64_t id) = 0;
  // Changes the URL at which peers reach the member.
  virtual Refusal UpdatePeerUrl(std::uint64_t id, const std::string& peer_url) = 0;
  // Queries exactly the member that listens at this client URL, with the connection's timeout.
  MemberStatus Status(const std::string& client_url) { return StatusWithin({}, client_url); }
  // Queries the member like Status, within this timeout; std::nullopt means the connection's
  // timeout.
  virtual MemberStatus StatusWithin(std::optional<std::chrono::milliseconds> timeout,
                                    const std::string& client_url) = 0;
  // Passes the database of exactly the member with this client URL to `take`, piece by piece. The
  // result is a consistent snapshot, unlike a copy of the database file. `on_size` (may be empty)
  // gets the snapshot's size in bytes before the first piece. After the last piece, throws kInvalid
  // if the data do not match etcd's checksum.
  virtual void Snapshot(const std::string& client_url, const base::TakeBytes& take,
                        const std::function<void(std::uint64_t size)>& on_size) = 0;
  // Discards, on all members, old versions of keys that were replaced before the revision. Returns
  // when the queried member has discarded them, which may take minutes. Has no effect for a
  // revision that is already compacted. Throws kOther for a future revision.
  virtual void Compact(std::int64_t revision) = 0;
  // Defragments the database of exactly the member with this client URL, to return free space to
  // the disk. Takes about a second per 100 MB. During this time the member serves no other call.
  virtual void Defragment(const std::string& client_url) = 0;
  // Clears the NOSPACE alarm of that member. Has no effect if the member has no alarm.
  virtual void ClearSpaceAlarm(std::uint64_t member_id) = 0;
  // Writes the key kWriteCheckKey and deletes it again. Throws kOther with etcd's message if etcd
  // does not accept writes.
  virtual void CheckWrite() = 0;
};

// The cluster's endpoints and the client's credentials.
struct Connection {
  // Client URLs ("https://10.0.0.1:2379"), tried in this order. If the calls remove a member, put
  // its endpoint last: a removed member stops without answering the call.
  std::vector<std::string> endpoints;
  std::string ca_pem;  // the only trusted CAs of etcd's servers
  std::string certificate_pem, key_pem;
  std::chrono::milliseconds timeout{2'000};  // of one call to one endpoint
  std::stop_token stop;
};

// Creates the client, without any call yet. Throws base::Error(kInvalid) for an endpoint that is
// not an https URL with a port, for an empty list of endpoints, and for a missing CA.
std::unique_ptr<Client> Connect(Connection connection);

}  // namespace etcd
