#include "approver/store.h"

#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <expected>
#include <utility>

#include "approver/inventory.h"
#include "approver/names.h"
#include "approver/ruling.h"

namespace approver {
namespace {

constexpr std::string_view kBootstrapperUser =
    "system:serviceaccount:openshift-machine-config-operator:node-bootstrapper";
constexpr std::string_view kTokenUserPrefix = "system:bootstrap:";
constexpr std::size_t kAllowance = 100;
constexpr Seconds kPendingFor = 3600;
constexpr Seconds kAhead = 10;

bool SameVouching(const Node& a, const Node& b) {
  return a.kubelet_port == b.kubelet_port &&
         std::ranges::equal(a.addresses, b.addresses, [](const Address& x, const Address& y) {
           return x.type == y.type && x.address == y.address;
         });
}

// ReadAnything lets no request end the process, not even by a mistake of ours that it has found: it
// would be there again after the restart.
ParsedRequest ReadAnything(const std::string& pem) {
  try {
    return pki::ReadRequest(pem);
  } catch (const std::exception& error) {
    return std::unexpected(
        pki::RequestFault{.kind = pki::RequestFault::Kind::kMalformed, .text = error.what()});
  }
}

}  // namespace

Verdict Limits::Held() const {
  std::string message = fmt::format(
      "{} requests are pending, more than the {} that machines and nodes account for: none is "
      "approved until there are fewer",
      pending, most);
  return {.decision = Decision::kIgnore,
          .reason = "too-many-pending",
          .message = message,
          .rules = {{"pending-limit", false, std::move(message)}}};
}

bool IsOurs(const Csr& csr, bool tokens) {
  if (csr.signer == kServingSigner) {
    return Contains(csr.groups, kNodesGroup);
  }
  return csr.signer == kClientSigner && (csr.username == kBootstrapperUser ||
                                         (tokens && csr.username.starts_with(kTokenUserPrefix)));
}

std::size_t MaxPending(std::size_t machines, std::size_t nodes) {
  return std::max(machines, nodes) + kAllowance;
}

bool IsRecent(Seconds created, Seconds now) {
  return created > now - kPendingFor && created < now + kAhead;
}

Store::Names Store::PutCsr(const data::Json& object, bool tokens) {
  DecodedCsr decoded = DecodeCsr(object);
  const std::string name = decoded.csr.name;
  if (!IsOurs(decoded.csr, tokens) || !LeftAlone(decoded.csr).empty()) {
    RemoveCsr(name);
    return {};
  }
  auto pending = std::make_shared<Pending>(
      Pending{.csr = std::move(decoded.csr), .request = ReadAnything(decoded.request_pem)});
  if (pending->request) {
    pending->node = FoldedName(NodeOf(pending->csr, *pending->request));
  }
  const std::lock_guard lock(mutex_);
  RemoveCsrLocked(name);
  by_node_[pending->node].insert(name);
  ++created_[pending->csr.created];
  pending_[name] = std::move(pending);
  return {name};
}

void Store::RemoveCsr(const std::string& name) {
  const std::lock_guard lock(mutex_);
  RemoveCsrLocked(name);
}

void Store::RemoveCsrLocked(const std::string& name) {
  const auto found = pending_.find(name);
  if (found == pending_.end()) {
    return;
  }
  const Pending& pending = *found->second;
  const auto waiting = by_node_.find(pending.node);
  waiting->second.erase(name);
  if (waiting->second.empty()) {
    by_node_.erase(waiting);
  }
  const auto created = created_.find(pending.csr.created);
  if (--created->second == 0) {
    created_.erase(created);
  }
  pending_.erase(found);
}

Store::Names Store::PutMachine(const MachineKey& key, Machine machine) {
  std::set<std::string> nodes = MachineIndex::NodesOf(machine);
  const std::lock_guard lock(mutex_);
  if (const MachinePtr old = machines_.Find(key)) {
    nodes.merge(MachineIndex::NodesOf(*old));
    machine.used_by = machine.used_by.empty() ? old->used_by : machine.used_by;
  }
  machines_.Put(key, std::move(machine));
  return WaitingFor(nodes);
}

Store::Names Store::RemoveMachine(const MachineKey& key) {
  const std::lock_guard lock(mutex_);
  const MachinePtr old = machines_.Find(key);
  if (old == nullptr) {
    return {};
  }
  machines_.Remove(key);
  return WaitingFor(MachineIndex::NodesOf(*old));
}

Store::Names Store::SetMachinesProblem(int rank, const std::string& key,
                                       const std::string& problem) {
  const std::lock_guard lock(mutex_);
  const bool before = !machine_problems_.empty();
  if (problem.empty()) {
    machine_problems_.erase({rank, key});
  } else {
    machine_problems_[{rank, key}] = problem;
  }
  return before && machine_problems_.empty() ? AllLocked() : Names();
}

Store::Names Store::PutNode(const data::Json& object) {
  Node node = DecodeNode(object);
  const std::string folded = FoldedName(node.name);
  const std::lock_guard lock(mutex_);
  auto& same = nodes_[folded];
  const auto [at, is_new] = same.try_emplace(node.name, node);
  node_count_ += is_new ? 1 : 0;
  if (!is_new && SameVouching(at->second, node)) {
    return {};  // kubelets report every few seconds
  }
  at->second = std::move(node);
  return WaitingFor({folded});
}

Store::Names Store::RemoveNode(const std::string& name) {
  const std::string folded = FoldedName(name);
  const std::lock_guard lock(mutex_);
  const auto found = nodes_.find(folded);
  if (found == nodes_.end() || found->second.erase(name) == 0) {
    return {};
  }
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

std::optional<Gathered> Store::Gather(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = pending_.find(name);
  if (found == pending_.end()) {
    return {};
  }
  Gathered gathered{.facts = {}, .pending = found->second, .machines = {}, .node = {}};
  Facts& facts = gathered.facts;
  facts.csr = &gathered.pending->csr;
  facts.request = &gathered.pending->request;
  facts.has_ca = !bundle_.empty();
  if (!machine_problems_.empty()) {
    facts.machines_problem = machine_problems_.begin()->second;
  }
  if (!gathered.pending->request) {
    return gathered;
  }
  const std::string node = NodeOf(*facts.csr, *gathered.pending->request);
  const auto nodes = nodes_.find(gathered.pending->node);
  facts.node = nodes == nodes_.end() ? NodeLookup::kAbsent : NodeLookup::kPresent;
  if (nodes != nodes_.end() && nodes->second.contains(node)) {
    gathered.node = nodes->second.at(node);
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
  if (nodes_vouch_ && gathered.node) {
    add(std::make_shared<const Machine>(EntryOfNode(*gathered.node)), facts.owning);
  }
  return gathered;
}

std::vector<pki::Certificate> Store::Bundle() const {
  const std::lock_guard lock(mutex_);
  return bundle_;
}

Store::Names Store::All() const {
  const std::lock_guard lock(mutex_);
  return AllLocked();
}

Store::Names Store::AllLocked() const {
  Names names;
  for (const auto& [name, pending] : pending_) {
    names.insert(name);
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

Limits Store::LimitsAt(Seconds now) const {
  const std::lock_guard lock(mutex_);
  Limits limits{.most = MaxPending(machines_.size(), node_count_)};
  for (auto at = created_.upper_bound(now - kPendingFor);
       at != created_.end() && IsRecent(at->first, now); ++at) {
    limits.pending += at->second;
  }
  return limits;
}

}  // namespace approver
