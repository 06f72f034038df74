// SPDX-License-Identifier: Apache-2.0
// An index of machines by their names and nodes, and other trusted objects in a Machine's shape.
#pragma once

#include <compare>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "judgement/facts.h"

namespace judgement {

// The order of machines, which is upstream's order: first by the position of the group in the flags
// (rank), then by the order of the API server's list.
struct MachineKey {
  int rank = 0;
  std::string name_space, name;
  auto operator<=>(const MachineKey&) const = default;
};

// The rank of entries (MachineKey): after all Machines.
inline constexpr int kEntryRank = 1000;

// Returns the key of an inventory's entry: the entry's name, or the id of a bound token.
MachineKey KeyOf(const Machine& entry);

// Returns the identity of the user of a one-time entry: the request's UID. For a bound token it is
// the public key, because a kubelet may request another certificate for the same key.
std::string UseIdOf(const Machine& entry, const Csr& csr, const pki::Request& request);

// Shared with running verdicts, since a watch may replace the machine concurrently.
using MachinePtr = std::shared_ptr<const Machine>;

// Finds machines in constant time. Not thread-safe. It cannot be copied, because it has iterators
// of its own map.
class MachineIndex {
 public:
  MachineIndex() = default;
  MachineIndex(MachineIndex&&) = default;
  MachineIndex& operator=(MachineIndex&&) = default;

  // Returns whether a machine has this endorsement key (Machine::endorsement_key).
  bool HasEndorsementKey(const std::string& key) const;
  void Put(const MachineKey& key, Machine machine);
  void Remove(const MachineKey& key);

  // Returns machines with the name as an InternalDNS address (case and one trailing dot ignored).
  std::vector<MachinePtr> Named(const std::string& node) const;
  // Returns the machines whose nodeRef names the node; case and one trailing dot are ignored. An
  // inventory's entry owns the node with its name.
  std::vector<MachinePtr> Owning(const std::string& node) const;
  MachinePtr Find(const MachineKey& key) const;
  // Returns the requester's binding to a node: the binding of its bootstrap token
  // ("system:bootstrap:abcdef"), or its identity. Returns null without a binding.
  MachinePtr FindBound(const Csr& csr) const;
  std::size_t size() const { return machines_.size(); }

  // Returns the folded names of a machine's nodes: its InternalDNS addresses and the node that it
  // owns.
  static std::set<std::string> NodesOf(const Machine& machine);

 private:
  using Machines = std::map<MachineKey, MachinePtr>;
  using Names = std::unordered_multimap<std::string, Machines::const_iterator>;
  static std::vector<MachinePtr> Collect(const Names& names, const std::string& name);
  static void Drop(Names& names, const std::string& name, Machines::const_iterator machine);

  Machines machines_;
  Names by_name_;  // folded InternalDNS
  Names by_node_;  // folded nodeRef
};

// Returns a Node as evidence for its own addresses in serving certificates. The rules of
// node_rules.h limit this evidence.
Machine EntryOfNode(const Node& node);

// Returns the identity of a request's user (Csr::identity_node, which must be set) as an entry. It
// attests the client certificates of the user's node.
Machine EntryOfIdentity(const Csr& csr);

// The users of bootstrap tokens: this prefix and the token's id (kubernetes.io, "Authenticating
// with Bootstrap Tokens").
inline constexpr std::string_view kTokenUserPrefix = "system:bootstrap:";

// Returns an entry that attests only client certificates for `name`.
Machine EntryAllowed(const std::string& name);

}  // namespace judgement
