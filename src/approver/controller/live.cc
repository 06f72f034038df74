// SPDX-License-Identifier: Apache-2.0
#include "controller/live.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "inventories/entries.h"
#include "inventories/token_bindings.h"
#include "judgement/machines.h"
#include "judgement/names.h"

namespace controller {
namespace {

using evidence::DecodeNode;
using inventories::ReadEntries;
using judgement::Csr;
using judgement::FoldedName;
using judgement::KindOf;
using judgement::Machine;
using judgement::Node;
using judgement::NodeOf;
using judgement::RequestKind;
using judgement::Source;
using judgement::Verdict;
using requests::Gathered;

// Returns whether the machine is an entry of ConfigMap kube-system/kubeadm-node-identities.
bool IsIdentity(const Machine* machine) {
  return machine->source == Source::kTokens || machine->source == Source::kWithdrawn;
}

}  // namespace

std::optional<json::Value> LiveReader::FindNode(const std::string& name,
                                                const std::stop_token& stop) const {
  return kube::Found(
      [&] { return workload_.Do({.resource = kube::resources::kNode, .name = name}, stop); });
}

// Queries the name as written, because the certificate would contain it as written. Also queries it
// in lower case, as the API server stores Nodes.
bool LiveReader::NodeExists(const std::string& name, const std::stop_token& stop) const {
  const std::set<std::string> names{name, FoldedName(name)};
  return std::ranges::any_of(
      names, [&](const std::string& each) { return FindNode(each, stop).has_value(); });
}

bool LiveReader::SameNode(const Gathered& gathered, const std::stop_token& stop) const {
  if (!gathered.node) {
    return false;
  }
  const std::optional<json::Value> object = FindNode(gathered.node->name, stop);
  if (!object) {
    return false;
  }
  const Node now = DecodeNode(*object);
  return now.kubelet_port == gathered.node->kubelet_port &&
         now.addresses == gathered.node->addresses;
}

bool LiveReader::SameMachine(const Machine& machine, const std::stop_token& stop) const {
  const std::optional<json::Value> now =
      kube::Found([&] { return json::Parse(management_.GetPath(*machine.path, stop)); });
  return now && json::TextAt(*now, {"metadata", "resourceVersion"}) == machine.resource_version;
}

std::optional<json::Value> LiveReader::FindMap(const inventories::ConfigMapRef& map,
                                               const std::stop_token& stop) const {
  return kube::Found([&] {
    return workload_.Do(
        {.resource = kube::resources::kConfigMap, .name_space = map.name_space, .name = map.name},
        stop);
  });
}

bool LiveReader::SameIdentities(const Gathered& gathered, const std::stop_token& stop) const {
  const std::optional<json::Value> map = FindMap(inventories::IdentitiesMap(), stop);
  judgement::MachineIndex now;
  for (const Machine& entry : inventories::IdentityEntries(map.value_or(json::Value::object()))) {
    now.Put(KeyOf(entry), entry);
  }
  const judgement::MachinePtr bound = now.FindBound(*gathered.facts.csr);
  const Machine* judged = gathered.facts.bound;
  if ((judged == nullptr) != (bound == nullptr) ||
      (judged != nullptr && !inventories::SameIdentity(*judged, *bound))) {
    return false;
  }
  std::vector<const Machine*> owning;
  std::ranges::copy_if(gathered.facts.owning, std::back_inserter(owning), IsIdentity);
  return std::ranges::equal(owning,
                            now.Owning(NodeOf(*gathered.facts.csr, **gathered.facts.request)),
                            [](const Machine* a, const judgement::MachinePtr& b) {
                              return inventories::SameIdentity(*a, *b);
                            });
}

bool LiveReader::SameEntry(const Machine& entry, const std::stop_token& stop) const {
  if (entry.source == Source::kHttp || entry.source == Source::kExec) {
    return confirm_(entry, stop);
  }
  // An entry of kDns needs no second check: it was looked up for this verdict.
  if (entry.source != Source::kConfigMap) {
    return true;
  }
  const std::optional<json::Value> map = FindMap(entries_.value(), stop);
  if (!map) {
    return false;
  }
  const std::vector<Machine> entries =
      ReadEntries(json::TextAt(*map, {"data", "inventory.yaml"}), entry.source);
  const auto now = std::ranges::find(entries, entry.name, &Machine::name);
  return now != entries.end() && inventories::SameEntry(*now, entry);
}

Live LiveReader::Check(const Gathered& gathered, const Verdict& verdict,
                       const std::stop_token& stop) const {
  const Csr& csr = gathered.pending->csr;
  const pki::Request& request = *gathered.pending->request;
  const bool client = KindOf(csr, request) == RequestKind::kClient;
  if (client && NodeExists(NodeOf(csr, request), stop)) {
    return Live::kNodeExists;
  }
  const Machine* machine = verdict.machine;
  // Without a machine, the evidence was the certificate of the Node's kubelet.
  const bool by_node =
      !client && (machine == nullptr || machine->source == judgement::Source::kNodes);
  if (by_node && !SameNode(gathered, stop)) {
    return Live::kChanged;
  }
  if (machine != nullptr && machine->path && !SameMachine(*machine, stop)) {
    return Live::kChanged;
  }
  if (machine != nullptr && !SameEntry(*machine, stop)) {
    return Live::kChanged;
  }
  if (tokens_ && !SameIdentities(gathered, stop)) {
    return Live::kChanged;
  }
  return Live::kSame;
}

}  // namespace controller
