// SPDX-License-Identifier: Apache-2.0
// What the watches know: machines, nodes, pending requests, the CA bundle.
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

// Pending is a request with what was read from it, shared with the worker that judges it.
struct Pending {
  judgement::Csr csr;
  judgement::ParsedRequest request;
  std::string node;  // folded; "" when it names none
  // Of a hopeless request only the verdict is kept, of a thin one nothing: it must be read again to
  // be judged. Both have no request, and of `csr` name, UID, user and creation.
  std::optional<judgement::Verdict> hopeless = {};
  bool thin = false;
  std::size_t weight = 0;  // bytes, about
};
// PendingPtr stays as it was, whatever becomes of the request.
using PendingPtr = std::shared_ptr<const Pending>;

// ReadPending reads a CertificateSigningRequest; nothing when it is not ours or decided by now.
// With `tokens` requests of bootstrap tokens' owners are ours, too.
std::optional<Pending> ReadPending(const json::Value& object, bool tokens);

// Gathered is the facts for one verdict together with what keeps them alive; no facts for a
// hopeless or thin request.
struct Gathered {
  judgement::Facts facts;
  PendingPtr pending;
  std::vector<judgement::MachinePtr> machines;
  std::optional<judgement::Node> node;  // the node that asks, for dialling it
};

// Limits are the numbers beyond which nothing is approved.
struct Limits {
  std::size_t pending = 0;
  std::size_t most = 0;
  bool Exceeded() const { return pending > most; }
  // Held is the verdict on every request while they are exceeded.
  judgement::Verdict Held() const;
};

// Store is thread-safe. Its changes return the names of the requests to judge again because of
// them: the level-triggered part.
class Store {
 public:
  using Names = std::set<std::string>;

  // kMostWeight is how many bytes of requests are kept whole, about; more of them are kept thin.
  static constexpr std::size_t kMostWeight = std::size_t{8} << 20U;
  // So many requests are kept at all, and so many that one node makes or that one user makes
  // without hope: who floods is not heard further, others are.
  static constexpr std::size_t kMostKept = 20'000;
  static constexpr std::size_t kMostOfOne = 10'000;

  // PutCsr takes a request in, or out when it is not ours or decided by now. It is left out when
  // too many are kept.
  Names PutCsr(const json::Value& object, bool tokens);
  void RemoveCsr(const std::string& name);
  // Forget takes out a request that was gathered, but not one that has come under its name since.
  void Forget(const PendingPtr& pending);
  Names PutMachine(const judgement::MachineKey& key, judgement::Machine machine);
  Names RemoveMachine(const judgement::MachineKey& key);
  // SetMachinesProblem notes why a source of machines (by rank) cannot be relied on; nothing
  // when it can. While there is a problem, nothing is approved.
  Names SetMachinesProblem(int rank, const std::string& key,
                           const std::optional<std::string>& problem);
  Names PutNode(const json::Value& object);
  Names RemoveNode(const std::string& name);
  Names SetBundle(std::string_view pem);
  // SetNodesVouch: Nodes vouch for their own addresses (inventory `nodes`).
  void SetNodesVouch() { nodes_vouch_ = true; }
  // MarkUsed notes that a one-time entry has vouched.
  void MarkUsed(const judgement::MachineKey& key, const std::string& uid);

  // Gather is nothing when the request is not pending any more.
  std::optional<Gathered> Gather(const std::string& name) const;
  // GatherFor is for a request that was read again.
  Gathered GatherFor(PendingPtr pending) const;
  // RequesterOf is the user who asked; nothing when the request is not pending any more.
  std::optional<std::string> RequesterOf(const std::string& name) const;
  std::vector<pki::Certificate> Bundle() const;
  Names All() const;
  // Kept is All and the hopeless ones.
  Names Kept() const;
  // PendingOf is the pending requests of a node (FoldedName); none for "".
  Names PendingOf(const std::string& node) const;
  // LimitsAt counts no hopeless requests, which wait for nothing, and few of one node
  // (PendingCount).
  Limits LimitsAt(judgement::Time now) const;

 private:
  Names WaitingFor(const std::set<std::string>& nodes) const;
  Names AllLocked() const;
  void RemoveCsrLocked(const std::string& name);
  bool IsFullFor(const Pending& pending) const;
  Gathered GatherLocked(PendingPtr pending) const;
  void DropMachine(const judgement::MachineKey& key, const judgement::Machine& machine);
  void FillOwners(const std::string& node, Gathered& gathered) const;

  bool nodes_vouch_ = false;  // set before any thread starts
  mutable std::mutex mutex_;
  // All below is guarded by mutex_.
  std::unordered_map<std::string, PendingPtr> pending_;
  std::unordered_map<std::string, Names> by_node_;  // folded node → requests
  Newest newest_;                                   // of those with hope
  PendingCount count_;                              // of the same
  std::size_t weight_ = 0;                          // of pending_
  // User → how many of pending_ count against kMostOfOne.
  std::unordered_map<std::string, std::size_t> of_one_;
  judgement::MachineIndex machines_;
  std::map<std::pair<int, std::string>, std::string> machine_problems_;
  std::unordered_map<std::string, std::map<std::string, judgement::Node>>
      nodes_;  // folded → name → node
  std::size_t node_count_ = 0;
  inventories::Claims claims_;  // kept only where Nodes vouch for themselves
  std::vector<pki::Certificate> bundle_;
};

// IsOurs is the filter of events: a kubelet's serving request, or a client request of the machine
// bootstrapper, with `tokens` also of a bootstrap token's owner (reference: approver.md §3).
bool IsOurs(const judgement::Csr& csr, bool tokens);

// CountsAt is whether upstream counts a request as pending: ours, not decided, and recent.
bool CountsAt(const judgement::Csr& csr, bool tokens, judgement::Time now);

// MaxPending is max(machines, nodes) + 100.
std::size_t MaxPending(std::size_t machines, std::size_t nodes);

}  // namespace requests
