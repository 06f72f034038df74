// SPDX-License-Identifier: Apache-2.0
#include "requests/store.h"

#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <expected>
#include <utility>

#include "inventories/entries.h"
#include "judgement/hopeless.h"
#include "judgement/names.h"

namespace requests {
namespace {

using evidence::DecodeCsr;
using evidence::DecodedCsr;
using evidence::DecodeNode;
using inventories::ClaimsOf;
using inventories::NamesOf;
using inventories::OwnerOf;
using judgement::Address;
using judgement::Condition;
using judgement::Contains;
using judgement::Csr;
using judgement::Decision;
using judgement::EntryOfNode;
using judgement::Facts;
using judgement::FoldedName;
using judgement::HopelessVerdict;
using judgement::kClientSigner;
using judgement::kNodesGroup;
using judgement::kServingSigner;
using judgement::kTokenUserPrefix;
using judgement::LeftAlone;
using judgement::Machine;
using judgement::MachineIndex;
using judgement::MachineKey;
using judgement::MachinePtr;
using judgement::Node;
using judgement::NodeLookup;
using judgement::NodeNameOf;
using judgement::NodeOf;
using judgement::ParsedRequest;
using judgement::Time;
using judgement::Verdict;

constexpr std::string_view kBootstrapperUser =
    "system:serviceaccount:openshift-machine-config-operator:node-bootstrapper";
constexpr std::size_t kAllowance = 100;

bool SameAttested(const Node& a, const Node& b) {
  return a.kubelet_port == b.kubelet_port &&
         std::ranges::equal(a.addresses, b.addresses, [](const Address& x, const Address& y) {
           return x.type == y.type && x.address == y.address;
         });
}

// Parses a request and catches every exception. Otherwise a request that triggers a bug would end
// the process again after each restart.
ParsedRequest ReadAnything(const std::string& pem) {
  try {
    return pki::ReadRequest(pem);
  } catch (const std::exception& error) {
    return std::unexpected(
        pki::RequestFault{.kind = pki::RequestFault::Kind::kMalformed, .text = error.what()});
  }
}

std::size_t WeightOf(const std::string& text) { return sizeof(std::string) + text.capacity(); }

std::size_t WeightOf(const std::vector<std::string>& texts) {
  std::size_t sum = 0;
  for (const std::string& text : texts) {
    sum += WeightOf(text);
  }
  return sum;
}

std::size_t WeightOf(const Csr& csr) {
  std::size_t sum = WeightOf(csr.username) + WeightOf(csr.groups) + WeightOf(csr.usages) +
                    WeightOf(csr.identity_node.value_or("")) + WeightOf(csr.identity_addresses) +
                    WeightOf(csr.identity_endorsement_key);
  for (const Condition& condition : csr.conditions) {
    sum += sizeof(condition) + condition.type.size();
  }
  return sum;
}

std::size_t WeightOf(const pki::Request& request) {
  const pki::RequestNames& names = request.names;
  return WeightOf(request.common_name) + WeightOf(request.organizations) + WeightOf(names.dns) +
         WeightOf(names.emails) + WeightOf(names.uris) + WeightOf(names.ips) +
         WeightOf(names.others);
}

// Reduces a request to its identity.
void Thin(Pending& pending) {
  Csr whole = std::exchange(pending.csr, {});
  pending.csr.name = std::move(whole.name);
  pending.csr.uid = std::move(whole.uid);
  pending.csr.username = std::move(whole.username);
  pending.csr.created = whole.created;
  pending.request = std::unexpected(
      pki::RequestFault{.kind = pki::RequestFault::Kind::kNoRequest, .text = "it is not kept"});
  pending.object = {};
}

// Returns whether a request counts against kMostOfOne. The machine bootstrapper and tokens' owners
// serve many machines, so only their terminal requests count.
bool CountsForOne(const Pending& pending) {
  return pending.hopeless || NodeNameOf(pending.csr.username);
}

}  // namespace

Verdict Limits::Held() const {
  std::string message = fmt::format(
      "{} requests are pending, more than the {} that machines and nodes account for: none is "
      "approved until there are fewer",
      pending, most);
  return {.decision = Decision::kIgnore,
          .reason = judgement::Reason::kTooManyPending,
          .message = message,
          .rules = {{"pending-limit", false, std::move(message)}}};
}

bool IsOurs(const Csr& csr, bool tokens) {
  if (csr.signer == kServingSigner) {
    return Contains(csr.groups, kNodesGroup);
  }
  return csr.signer == kClientSigner &&
         (csr.username == kBootstrapperUser ||
          (tokens && (csr.identity_node || csr.username.starts_with(kTokenUserPrefix))));
}

std::size_t MaxPending(std::size_t machines, std::size_t nodes) {
  return std::max(machines, nodes) + kAllowance;
}

bool CountsAt(const Csr& csr, bool tokens, Time now) {
  return IsOurs(csr, tokens) && !LeftAlone(csr) && IsRecent(csr.created, now);
}

// Returns Pending::object of a request.
std::string ObjectOf(json::Value object) {
  object.erase("status");
  object["metadata"].erase("managedFields");
  return json::Compact(object);
}

std::optional<Pending> ReadPending(const json::Value& object, bool tokens) {
  DecodedCsr decoded = DecodeCsr(object);
  if (!IsOurs(decoded.csr, tokens) || LeftAlone(decoded.csr)) {
    return {};
  }
  Pending pending{
      .csr = std::move(decoded.csr), .request = ReadAnything(decoded.request_pem), .node = {}};
  if (auto verdict = HopelessVerdict(pending.csr, pending.request, tokens)) {
    pending.hopeless = std::move(verdict);
    Thin(pending);
    return pending;
  }
  pending.node = FoldedName(NodeOf(pending.csr, *pending.request));
  pending.object = ObjectOf(object);
  pending.weight = WeightOf(pending.csr) + WeightOf(*pending.request) + WeightOf(pending.object);
  return pending;
}

Store::Names Store::PutCsr(const json::Value& object, bool tokens) {
  const std::string name = json::TextAt(object, {"metadata", "name"});
  std::optional<Pending> pending = ReadPending(object, tokens);
  const std::lock_guard lock(mutex_);
  RemoveCsrLocked(name);
  if (!pending || IsFullFor(*pending)) {
    return {};
  }
  if (CountsForOne(*pending)) {
    ++of_one_[pending->csr.username];
  }
  if (!pending->hopeless) {
    by_node_[pending->node].insert(name);
    newest_.Add(pending->csr, pending->node);
    count_.Add(pending->csr.username, pending->csr.created);
  }
  if (weight_ + pending->weight > kMostWeight) {
    Thin(*pending);
    pending->thin = true;
    pending->weight = 0;
  }
  weight_ += pending->weight;
  pending_[name] = std::make_shared<const Pending>(*std::move(pending));
  return {name};
}

bool Store::IsFullFor(const Pending& pending) const {
  const auto of_one = of_one_.find(pending.csr.username);
  return pending_.size() >= kMostKept ||
         (CountsForOne(pending) && of_one != of_one_.end() && of_one->second >= kMostOfOne);
}

void Store::RemoveCsr(const std::string& name) {
  const std::lock_guard lock(mutex_);
  RemoveCsrLocked(name);
}

void Store::Forget(const PendingPtr& pending) {
  const std::lock_guard lock(mutex_);
  const auto found = pending_.find(pending->csr.name);
  if (found != pending_.end() && found->second == pending) {
    RemoveCsrLocked(pending->csr.name);
  }
}

void Store::RemoveCsrLocked(const std::string& name) {
  const auto found = pending_.find(name);
  if (found == pending_.end()) {
    return;
  }
  const PendingPtr pending = found->second;
  pending_.erase(found);
  weight_ -= pending->weight;
  if (CountsForOne(*pending) && --of_one_[pending->csr.username] == 0) {
    of_one_.erase(pending->csr.username);
  }
  if (pending->hopeless) {
    return;
  }
  const auto waiting = by_node_.find(pending->node);
  waiting->second.erase(name);
  if (waiting->second.empty()) {
    by_node_.erase(waiting);
  }
  newest_.Remove(pending->csr, pending->node);
  count_.Remove(pending->csr.username, pending->csr.created);
}

Store::Names Store::PutMachine(const MachineKey& key, Machine machine) {
  std::set<std::string> nodes = MachineIndex::NodesOf(machine);
  const std::lock_guard lock(mutex_);
  if (const MachinePtr old = machines_.Find(key)) {
    nodes.merge(MachineIndex::NodesOf(*old));
    machine.used_by = machine.used_by ? machine.used_by : old->used_by;
    DropMachine(key, *old);
  }
  if (nodes_attest_) {
    claims_.Put(OwnerOf(machine), NamesOf(machine.addresses));
  }
  machines_.Put(key, std::move(machine));
  return WaitingFor(nodes);
}

void Store::DropMachine(const MachineKey& key, const Machine& machine) {
  if (nodes_attest_) {
    claims_.Remove(OwnerOf(machine), NamesOf(machine.addresses));
  }
  machines_.Remove(key);
}

Store::Names Store::RemoveMachine(const MachineKey& key) {
  const std::lock_guard lock(mutex_);
  const MachinePtr old = machines_.Find(key);
  if (old == nullptr) {
    return {};
  }
  DropMachine(key, *old);
  return WaitingFor(MachineIndex::NodesOf(*old));
}

Store::Names Store::SetMachinesProblem(int rank, const std::string& key,
                                       const std::optional<std::string>& problem) {
  const std::lock_guard lock(mutex_);
  const bool before = !machine_problems_.empty();
  if (problem) {
    machine_problems_[{rank, key}] = *problem;
  } else {
    machine_problems_.erase({rank, key});
  }
  return before && machine_problems_.empty() ? AllLocked() : Names();
}

Store::Names Store::PutNode(const json::Value& object) {
  Node node = DecodeNode(object);
  const std::string folded = FoldedName(node.name);
  const std::lock_guard lock(mutex_);
  auto& same = nodes_[folded];
  const auto known = std::ranges::find(same, node.name, &Node::name);
  if (known != same.end() && SameAttested(*known, node)) {
    return {};  // no change: kubelets report every few seconds
  }
  if (nodes_attest_ && known != same.end()) {
    claims_.Remove(OwnerOf(*known), ClaimsOf(*known));
  }
  if (nodes_attest_) {
    claims_.Put(OwnerOf(node), ClaimsOf(node));
  }
  if (known != same.end()) {
    *known = std::move(node);
  } else {
    same.push_back(std::move(node));
    ++node_count_;
  }
  return WaitingFor({folded});
}

Store::Names Store::RemoveNode(const std::string& name) {
  const std::string folded = FoldedName(name);
  const std::lock_guard lock(mutex_);
  const auto found = nodes_.find(folded);
  if (found == nodes_.end()) {
    return {};
  }
  const auto node = std::ranges::find(found->second, name, &Node::name);
  if (node == found->second.end()) {
    return {};
  }
  claims_.Remove(OwnerOf(*node), ClaimsOf(*node));
  found->second.erase(node);
  --node_count_;
  if (found->second.empty()) {
    nodes_.erase(found);
  }
  return WaitingFor({folded});
}

Store::Names Store::SetBundle(std::string_view pem) {
  std::vector<pki::Certificate> bundle = pki::LenientChain(pem);
  const std::lock_guard lock(mutex_);
  if (bundle == bundle_) {
    return {};
  }
  bundle_ = std::move(bundle);
  return AllLocked();
}

void Store::MarkUsed(const MachineKey& key, const std::string& uid) {
  const std::lock_guard lock(mutex_);
  if (const MachinePtr old = machines_.Find(key)) {
    Machine machine = *old;
    machine.used_by = uid;
    machines_.Put(key, std::move(machine));
  }
}

std::optional<Gathered> Store::Collect(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = pending_.find(name);
  return found == pending_.end() ? std::nullopt : std::optional(CollectLocked(found->second));
}

Gathered Store::CollectFor(PendingPtr pending) const {
  const std::lock_guard lock(mutex_);
  return CollectLocked(std::move(pending));
}

std::optional<std::string> Store::RequesterOf(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = pending_.find(name);
  return found == pending_.end() ? std::nullopt : std::optional(found->second->csr.username);
}

Gathered Store::CollectLocked(PendingPtr pending) const {
  Gathered gathered{.facts = {}, .pending = std::move(pending), .machines = {}, .node = {}};
  if (gathered.pending->hopeless || gathered.pending->thin) {
    return gathered;
  }
  Facts& facts = gathered.facts;
  facts.csr = &gathered.pending->csr;
  facts.request = &gathered.pending->request;
  facts.newer = newest_.After(*facts.csr, gathered.pending->node);
  facts.has_ca = !bundle_.empty();
  if (!machine_problems_.empty()) {
    facts.machines_problem = machine_problems_.begin()->second;
  }
  const std::string node = NodeOf(*facts.csr, *gathered.pending->request);
  const auto nodes = nodes_.find(gathered.pending->node);
  facts.node = nodes == nodes_.end() ? NodeLookup::kAbsent : NodeLookup::kPresent;
  if (nodes != nodes_.end()) {
    const auto found = std::ranges::find(nodes->second, node, &Node::name);
    if (found != nodes->second.end()) {
      gathered.node = *found;
    }
  }
  FillOwners(node, gathered);
  return gathered;
}

void Store::FillOwners(const std::string& node, Gathered& gathered) const {
  Facts& facts = gathered.facts;
  if (MachinePtr bound = machines_.FindBound(*facts.csr)) {
    facts.bound = bound.get();
    gathered.machines.push_back(std::move(bound));
  }
  const auto add = [&](MachinePtr machine, std::vector<const Machine*>& list) {
    list.push_back(machine.get());
    gathered.machines.push_back(std::move(machine));
  };
  for (MachinePtr& machine : machines_.Named(node)) {
    add(std::move(machine), facts.named);
  }
  for (MachinePtr& machine : machines_.Owning(node)) {
    add(std::move(machine), facts.owning);
  }
  if (nodes_attest_ && gathered.node) {
    add(std::make_shared<const Machine>(EntryOfNode(*gathered.node)), facts.owning);
    const pki::RequestNames& names = (*gathered.pending->request).names;
    facts.claims = claims_.Others(names.dns, gathered.pending->node);
    const auto addresses = claims_.Others(names.ips, gathered.pending->node);
    facts.claims.insert(facts.claims.end(), addresses.begin(), addresses.end());
  }
}

bool Store::HasEndorsementKey(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  return machines_.HasEndorsementKey(key);
}

std::vector<pki::Certificate> Store::Bundle() const {
  const std::lock_guard lock(mutex_);
  return bundle_;
}

Store::Names Store::All() const {
  const std::lock_guard lock(mutex_);
  return AllLocked();
}

Store::Names Store::Kept() const {
  const std::lock_guard lock(mutex_);
  Names names;
  for (const auto& [name, pending] : pending_) {
    names.insert(name);
  }
  return names;
}

Store::Names Store::PendingOf(const std::string& node) const {
  const std::lock_guard lock(mutex_);
  return node.empty() ? Names() : WaitingFor({node});
}

Store::Names Store::AllLocked() const {
  Names names;
  for (const auto& [name, pending] : pending_) {
    if (!pending->hopeless) {  // its verdict cannot change
      names.insert(name);
    }
  }
  return names;
}

Store::Names Store::WaitingFor(const std::set<std::string>& nodes) const {
  Names names;
  for (const std::string& node : nodes) {
    if (const auto found = by_node_.find(node); found != by_node_.end()) {
      names.insert(found->second.begin(), found->second.end());
    }
  }
  return names;
}

Limits Store::LimitsAt(Time now) const {
  const std::lock_guard lock(mutex_);
  return {.pending = count_.RecentAt(now), .most = MaxPending(machines_.size(), node_count_)};
}

}  // namespace requests
