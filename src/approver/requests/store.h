// SPDX-License-Identifier: Apache-2.0
// The objects known from watches: machines, nodes, pending requests, the CA bundle.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "evidence/decode.h"
#include "inventories/claims.h"
#include "judgement/judge.h"
#include "judgement/machines.h"
#include "pki/certificate.h"
#include "requests/newest.h"
#include "requests/pending_count.h"

namespace requests {

// A request with its parsed contents, shared with the worker that judges it.
struct Pending {
  judgement::Csr csr;
  judgement::ParsedRequest request;
  std::string node;  // folded; "" if the request names no node
  // The object as the watch reported it, in JSON, without the fields that only the API server
  // writes: status and managedFields. "" if `hopeless` or `thin`.
  std::string object = {};
  // `hopeless` is the verdict of a terminal request. A `thin` request was evicted, and must be read
  // again before it is judged. In both cases `request` is an error, and `csr` has only name, UID,
  // user and creation time.
  std::optional<judgement::Verdict> hopeless = {};
  bool thin = false;
  std::size_t weight = 0;  // approximate bytes
};
// Points to an immutable object. A change of the request creates another object.
using PendingPtr = std::shared_ptr<const Pending>;

// Parses a CertificateSigningRequest. Returns std::nullopt if it is not ours or is already decided.
// With `tokens`, requests of bootstrap tokens' owners are ours, too.
std::optional<Pending> ReadPending(const json::Value& object, bool tokens);

// The facts of one verdict, together with the objects to which they point. A terminal or evicted
// request has no facts.
struct Gathered {
  judgement::Facts facts;
  PendingPtr pending;
  std::vector<judgement::MachinePtr> machines;
  std::optional<judgement::Node> node;  // the requesting node, for dialling it
};

// The number of pending requests, and the number above which no request is approved.
struct Limits {
  std::size_t pending = 0;
  std::size_t most = 0;
  bool Exceeded() const { return pending > most; }
  // Returns the verdict on every request while the limit is exceeded.
  judgement::Verdict Held() const;
};

// The stored requests and facts. Each function that changes the store returns the names of the
// requests that must be judged again because of the new state. Thread-safe.
class Store {
 public:
  using Names = std::set<std::string>;

  // The approximate limit, in bytes, of requests that are stored completely. Of further requests
  // only the identity is stored.
  static constexpr std::size_t kMostWeight = std::size_t{8} << 20U;
  // The limits of cached requests: in total, per node, and for terminal requests per user. Further
  // requests of a flooding user are dropped, so that other users are not affected.
  static constexpr std::size_t kMostKept = 20'000;
  static constexpr std::size_t kMostOfOne = 10'000;

  // Adds a request, or removes it if it is not ours or is already decided. Drops the request if too
  // many requests are cached.
  Names PutCsr(const json::Value& object, bool tokens);
  void RemoveCsr(const std::string& name);
  // Removes a collected request, but not a newer one of the same name.
  void Forget(const PendingPtr& pending);
  Names PutMachine(const judgement::MachineKey& key, judgement::Machine machine);
  Names RemoveMachine(const judgement::MachineKey& key);
  // Sets the problem of the source of machines with that rank; std::nullopt clears it. No request
  // is approved while a problem is set.
  Names SetMachinesProblem(int rank, const std::string& key,
                           const std::optional<std::string>& problem);
  Names PutNode(const json::Value& object);
  Names RemoveNode(const std::string& name);
  Names SetBundle(std::string_view pem);
  // Declares that Nodes attest their own addresses (inventory `nodes`).
  void SetNodesAttest() { nodes_attest_ = true; }
  // Records that a one-time entry was used.
  void MarkUsed(const judgement::MachineKey& key, const std::string& uid);

  // Returns the facts of a request; std::nullopt if the request is not pending any more.
  std::optional<Gathered> Collect(const std::string& name) const;
  // Returns the facts of a request that was read again.
  Gathered CollectFor(PendingPtr pending) const;
  // Returns the requester; std::nullopt if the request is not pending any more.
  std::optional<std::string> RequesterOf(const std::string& name) const;
  std::vector<pki::Certificate> Bundle() const;
  // Returns whether an inventory lists this endorsement key.
  bool HasEndorsementKey(const std::string& key) const;
  Names All() const;
  // Returns the names that All returns, and the names of terminal requests.
  Names Kept() const;
  // Returns the pending requests of `node`, a folded name; an empty list for "".
  Names PendingOf(const std::string& node) const;
  // Returns the limits at `now`. Terminal requests do not count, and only some requests of each
  // node count (PendingCount).
  Limits LimitsAt(judgement::Time now) const;

 private:
  Names WaitingFor(const std::set<std::string>& nodes) const;
  Names AllLocked() const;
  void RemoveCsrLocked(const std::string& name);
  bool IsFullFor(const Pending& pending) const;
  Gathered CollectLocked(PendingPtr pending) const;
  void DropMachine(const judgement::MachineKey& key, const judgement::Machine& machine);
  void FillOwners(const std::string& node, Gathered& gathered) const;

  bool nodes_attest_ = false;  // set before any thread starts
  mutable std::mutex mutex_;
  // The members below are guarded by mutex_.
  std::unordered_map<std::string, PendingPtr> pending_;
  std::unordered_map<std::string, Names> by_node_;  // folded node → requests
  Newest newest_;                                   // without terminal requests
  PendingCount count_;                              // of the requests in newest_
  std::size_t weight_ = 0;                          // of pending_
  // Maps a user to the number of requests in pending_ that count against kMostOfOne.
  std::unordered_map<std::string, std::size_t> of_one_;
  judgement::MachineIndex machines_;
  std::map<std::pair<int, std::string>, std::string> machine_problems_;
  // Maps a folded name to the nodes of that name, of which an API server stores only one.
  std::unordered_map<std::string, std::vector<judgement::Node>> nodes_;
  std::size_t node_count_ = 0;
  inventories::Claims claims_;  // filled only if Nodes attest themselves
  std::vector<pki::Certificate> bundle_;
};

// Returns whether a request is ours: a kubelet's serving request, or a client request of the
// machine bootstrapper. With `tokens`, client requests of bootstrap tokens and of identities
// (Csr::identity_node) are ours, too (reference: approver.md §3).
bool IsOurs(const judgement::Csr& csr, bool tokens);

// Returns whether upstream counts a request as pending: ours, not decided, and recent.
bool CountsAt(const judgement::Csr& csr, bool tokens, judgement::Time now);

// Returns max(machines, nodes) + 100.
std::size_t MaxPending(std::size_t machines, std::size_t nodes);

}  // namespace requests
