// SPDX-License-Identifier: Apache-2.0
#include "judgement/machines.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/rows.h"
#include "judgement/names.h"

namespace judgement {
namespace {

constexpr std::string_view kInternalDns = "InternalDNS";

std::set<std::string> InternalNames(const Machine& machine) {
  std::set<std::string> names;
  for (const Address& address : machine.addresses) {
    const std::string name =
        address.type == kInternalDns ? FoldedName(address.address) : std::string();
    if (!name.empty()) {
      names.insert(name);
    }
  }
  return names;
}

// Returns the node of a machine; "" without one.
std::string OwnedNode(const Machine& machine) {
  return machine.is_entry ? machine.name : machine.node_ref.value_or("");
}

}  // namespace

void MachineIndex::Put(const MachineKey& key, Machine machine) {
  Remove(key);
  const auto added =
      machines_.emplace(key, std::make_shared<const Machine>(std::move(machine))).first;
  for (const std::string& name : InternalNames(*added->second)) {
    by_name_.emplace(name, added);
  }
  if (const std::string node = FoldedName(OwnedNode(*added->second)); !node.empty()) {
    by_node_.emplace(node, added);
  }
}

void MachineIndex::Remove(const MachineKey& key) {
  const auto found = machines_.find(key);
  if (found == machines_.end()) {
    return;
  }
  for (const std::string& name : InternalNames(*found->second)) {
    Drop(by_name_, name, found);
  }
  Drop(by_node_, FoldedName(OwnedNode(*found->second)), found);
  machines_.erase(found);
}

void MachineIndex::Drop(Names& names, const std::string& name, Machines::const_iterator machine) {
  const auto [begin, end] = names.equal_range(name);
  const auto found =
      std::find_if(begin, end, [&](const auto& item) { return item.second == machine; });
  if (found != end) {
    names.erase(found);
  }
}

// Returns the machines of that name, in the order of MachineKey.
std::vector<MachinePtr> MachineIndex::Collect(const Names& names, const std::string& name) {
  std::vector<Machines::const_iterator> found;
  const auto [begin, end] = names.equal_range(name);
  std::transform(begin, end, std::back_inserter(found),
                 [](const auto& item) { return item.second; });
  std::ranges::sort(found, {}, [](Machines::const_iterator machine) { return machine->first; });
  std::vector<MachinePtr> machines;
  std::ranges::transform(found, std::back_inserter(machines),
                         [](Machines::const_iterator machine) { return machine->second; });
  return machines;
}

std::vector<MachinePtr> MachineIndex::Named(const std::string& node) const {
  return Collect(by_name_, FoldedName(node));
}

std::vector<MachinePtr> MachineIndex::Owning(const std::string& node) const {
  return Collect(by_node_, FoldedName(node));
}

MachinePtr MachineIndex::Find(const MachineKey& key) const {
  const auto found = machines_.find(key);
  return found == machines_.end() ? nullptr : found->second;
}

MachinePtr MachineIndex::FindBound(const Csr& csr) const {
  if (csr.identity_node) {
    return std::make_shared<const Machine>(EntryOfIdentity(csr));
  }
  const std::string_view user = csr.username;
  if (!user.starts_with(kTokenUserPrefix)) {
    return nullptr;
  }
  return Find({.rank = kEntryRank,
               .name_space = std::string(NameOf(Source::kTokens)),
               .name = std::string(user.substr(kTokenUserPrefix.size()))});
}

bool MachineIndex::HasEndorsementKey(const std::string& key) const {
  return std::ranges::any_of(machines_, [&](const auto& item) {
    return !key.empty() && item.second->endorsement_key == key;
  });
}

std::set<std::string> MachineIndex::NodesOf(const Machine& machine) {
  std::set<std::string> nodes = InternalNames(machine);
  if (const std::string node = FoldedName(OwnedNode(machine)); !node.empty()) {
    nodes.insert(node);
  }
  return nodes;
}

std::string_view NameOf(Source source) {
  static constexpr std::pair<Source, std::string_view> kNames[] = {
      {Source::kApi, ""},
      {Source::kFile, "file"},
      {Source::kConfigMap, "configmap"},
      {Source::kNodes, "nodes"},
      {Source::kTokens, "tokens"},
      {Source::kWithdrawn, "withdrawn"},
      {Source::kHttp, "http"},
      {Source::kExec, "exec"},
      {Source::kDns, "dns"},
      {Source::kIdentity, "identity"}};
  return base::RowOf(kNames, source, &std::pair<Source, std::string_view>::first).second;
}

MachineKey KeyOf(const Machine& entry) {
  return {.rank = kEntryRank,
          .name_space = std::string(entry.SourceName()),
          .name = entry.source == Source::kTokens ? entry.token_id : entry.name};
}

std::string UseIdOf(const Machine& entry, const Csr& csr, const pki::Request& request) {
  return entry.source == Source::kTokens ? request.key_id : csr.uid;
}

Machine EntryOfNode(const Node& node) {
  return {.source = Source::kNodes,
          .api_group = {},
          .name = node.name,
          .node_ref = node.name,
          .addresses = node.addresses,
          .is_entry = true,
          .used_by = {},
          .provider_id = {},
          .is_node = true};
}

Machine EntryOfIdentity(const Csr& csr) {
  return {.source = Source::kIdentity,
          .api_group = {},
          .name = csr.identity_node.value_or(""),
          .created = csr.identity_created,
          .node_ref = {},
          .addresses = {{.type = "InternalDNS", .address = csr.identity_node.value_or("")}},
          .is_entry = true,
          .used_by = {},
          .provider_id = {},
          .client_only = true,
          .token_id = csr.username};
}

Machine EntryAllowed(const std::string& name) {
  return {.source = Source::kNodes,
          .api_group = {},
          .name = name,
          .node_ref = {},
          .addresses = {{.type = "InternalDNS", .address = name}},
          .is_entry = true,
          .used_by = {},
          .provider_id = {},
          .client_only = true};
}

}  // namespace judgement
