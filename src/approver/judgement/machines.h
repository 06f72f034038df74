// SPDX-License-Identifier: Apache-2.0
// Machines, found by the names and nodes that they stand for, and what vouches in a Machine's
// shape.
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

// MachineKey orders machines as upstream lists them: groups in the order of the flags (rank), then
// as the API server lists.
struct MachineKey {
  int rank = 0;
  std::string name_space, name;
  auto operator<=>(const MachineKey&) const = default;
};

// kEntryRank is the rank of entries among what vouches (MachineKey): after all Machines.
inline constexpr int kEntryRank = 1000;

// A machine is shared with the verdicts that are being reached while a watch replaces it.
using MachinePtr = std::shared_ptr<const Machine>;

// MachineIndex finds machines in a time that does not grow with their number. Not thread-safe.
class MachineIndex {
 public:
  void Put(const MachineKey& key, Machine machine);
  void Remove(const MachineKey& key);

  // Named: an InternalDNS address is the name (letter case and one trailing dot aside).
  std::vector<MachinePtr> Named(const std::string& node) const;
  // Owning: nodeRef names the node (letter case and one trailing dot aside); entries of inventories
  // own the node that they are called.
  std::vector<MachinePtr> Owning(const std::string& node) const;
  MachinePtr Find(const MachineKey& key) const;
  std::size_t size() const { return machines_.size(); }

  // NodesOf is the folded names of the nodes that a machine has to do with.
  static std::set<std::string> NodesOf(const Machine& machine);

 private:
  using Keys = std::unordered_map<std::string, std::set<MachineKey>>;
  std::vector<MachinePtr> Collect(const Keys& keys, const std::string& name) const;

  std::map<MachineKey, MachinePtr> machines_;
  Keys by_name_;  // folded InternalDNS
  Keys by_node_;  // folded nodeRef
};

// EntryOfNode is a Node that vouches for its own addresses in serving certificates, within the
// rules of node_rules.h.
Machine EntryOfNode(const Node& node);

// EntryAllowed is a name that a bootstrap token's owner may get a client certificate for, and
// nothing else.
Machine EntryAllowed(const std::string& name);

}  // namespace judgement
