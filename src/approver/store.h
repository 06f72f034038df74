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

#include "approver/decode.h"
#include "approver/judge.h"
#include "approver/machines.h"
#include "pki/certificate.h"

namespace approver {

// Pending is a request with what was read from it, shared with the worker that judges it.
struct Pending {
  Csr csr;
  ParsedRequest request;
  std::string node;  // folded; "" when it names none
};
using PendingPtr = std::shared_ptr<const Pending>;

// Gathered is the facts for one verdict together with what keeps them alive.
struct Gathered {
  Facts facts;
  PendingPtr pending;
  std::vector<MachinePtr> machines;
  std::optional<Node> node;  // the node that asks, for dialling it
};

// Limits are the numbers beyond which nothing is approved.
struct Limits {
  std::size_t pending = 0;
  std::size_t most = 0;
  bool Exceeded() const { return pending > most; }
  // Held is the verdict on every request while they are exceeded.
  Verdict Held() const;
};

// Store is thread-safe. Its changes return the names of the requests to judge again because of
// them: the level-triggered part.
class Store {
 public:
  using Names = std::set<std::string>;

  // PutCsr takes a request in, or out when it is none of ours or decided by now.
  Names PutCsr(const data::Json& object, bool tokens);
  void RemoveCsr(const std::string& name);
  Names PutMachine(const MachineKey& key, Machine machine);
  Names RemoveMachine(const MachineKey& key);
  // SetMachinesProblem notes why a source of machines (by rank) cannot be relied on; "" when it
  // can. While there is a problem, nothing is approved.
  Names SetMachinesProblem(int rank, const std::string& key, const std::string& problem);
  Names PutNode(const data::Json& object);
  Names RemoveNode(const std::string& name);
  Names SetBundle(std::string_view pem);
  // SetNodesVouch: Nodes vouch for their own addresses (inventory `nodes`).
  void SetNodesVouch() { nodes_vouch_ = true; }
  // MarkUsed notes that a one-time entry has vouched.
  void MarkUsed(const MachineKey& key, const std::string& uid);

  // Gather is nothing when the request is not pending any more.
  std::optional<Gathered> Gather(const std::string& name) const;
  std::vector<pki::Certificate> Bundle() const;
  Names All() const;
  Limits LimitsAt(Seconds now) const;

 private:
  Names WaitingFor(const std::set<std::string>& nodes) const;
  Names AllLocked() const;
  void RemoveCsrLocked(const std::string& name);

  bool nodes_vouch_ = false;  // set before any thread starts
  mutable std::mutex mutex_;
  // All below is guarded by mutex_.
  std::unordered_map<std::string, PendingPtr> pending_;
  std::unordered_map<std::string, Names> by_node_;  // folded node → requests
  std::map<Seconds, std::size_t> created_;          // pending requests by creation
  MachineIndex machines_;
  std::map<std::pair<int, std::string>, std::string> machine_problems_;
  std::unordered_map<std::string, std::map<std::string, Node>> nodes_;  // folded → name → node
  std::size_t node_count_ = 0;
  std::vector<pki::Certificate> bundle_;
};

// IsOurs is the filter of events: a kubelet's serving request, or a client request of the machine
// bootstrapper, with `tokens` also of a bootstrap token's owner (reference: approver.md §3).
bool IsOurs(const Csr& csr, bool tokens);

// MaxPending is max(machines, nodes) + 100.
std::size_t MaxPending(std::size_t machines, std::size_t nodes);

// IsRecent: created strictly inside (now − 1 h, now + 10 s).
bool IsRecent(Seconds created, Seconds now);

}  // namespace approver
