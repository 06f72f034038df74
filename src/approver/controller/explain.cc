// SPDX-License-Identifier: Apache-2.0
#include "controller/explain.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "controller/renewal_ca.h"
#include "evidence/cluster_facts.h"
#include "evidence/live_lookups.h"
#include "evidence/node_bindings.h"
#include "evidence/settle.h"
#include "inventories/claims.h"
#include "inventories/dns_host.h"
#include "inventories/entries.h"
#include "inventories/machine_scope.h"
#include "inventories/machine_source.h"
#include "inventories/query.h"
#include "inventories/token_bindings.h"
#include "inventories/used_entries.h"
#include "json/budget.h"
#include "judgement/names.h"
#include "requests/in_flight.h"
#include "requests/newest.h"
#include "requests/store.h"

namespace controller {
namespace {

using base::Error;
using controller::Clusters;
using controller::Settings;
using evidence::DecodeCsr;
using evidence::DecodedCsr;
using evidence::DecodeMachine;
using evidence::DecodeNode;
using evidence::KubeletDialer;
using evidence::Lookups;
using evidence::NodeBindings;
using evidence::ReadDialRules;
using evidence::Settle;
using inventories::Claims;
using inventories::ClaimsOf;
using inventories::FindMachineApi;
using inventories::GroupVersion;
using inventories::InventoryOptions;
using inventories::MachineScope;
using inventories::NamesOf;
using inventories::OwnerOf;
using inventories::ReadEntries;
using inventories::UsedBy;
using judgement::Detail;
using judgement::Dialled;
using judgement::EntryAllowed;
using judgement::EntryOfNode;
using judgement::Facts;
using judgement::FoldedName;
using judgement::LeftAlone;
using judgement::Machine;
using judgement::MachineIndex;
using judgement::MachineKey;
using judgement::MachinePtr;
using judgement::Node;
using judgement::NodeLookup;
using judgement::NodeOf;
using judgement::ParsedRequest;
using judgement::SameName;
using judgement::Time;
using judgement::Verdict;
using requests::InFlight;
using requests::Limits;
using requests::MaxPending;
using requests::Newest;
using requests::PendingCount;
using requests::ReadPending;

// Returns how many bytes of a request are kept: its name, its user's name and, if it has a
// condition, its contents.
std::size_t KeptOf(const json::Value& csr) {
  const auto length = [&](std::initializer_list<std::string_view> path) {
    return json::cost::kText + json::TextAt(csr, path).size();
  };
  const bool settled = !json::At(csr, {"status", "conditions"}).empty();
  return length({"metadata", "name"}) + length({"spec", "username"}) +
         (settled ? length({"spec", "request"}) : 0);
}

// The facts that the cluster has now for one request.
class World {
 public:
  World(const Settings& settings, const Clusters& clusters, host::Host& host)
      : settings_(settings),
        host_(host),
        servers_(clusters.servers),
        workload_(clusters.workload, host.clock, {}),
        management_(clusters.management, host.clock, {}),
        bindings_(workload_.transport(), settings.leader.name_space) {}

  Explanation Explain(const std::string& name) {
    const DecodedCsr decoded = DecodeCsr(workload_.Get({kube::resources::kCsr, "", name}));
    const ParsedRequest request = pki::ReadRequest(decoded.request_pem);
    Facts facts;
    facts.csr = &decoded.csr;
    facts.request = &request;
    ReadMachines(facts);
    ReadEntryLists();
    ReadQueried(facts);
    ReadNodes();
    ReadBundle();
    facts.has_ca = !bundle_.empty();
    if (request) {
      Fill(facts, NodeOf(decoded.csr, *request));
    }
    ReadRequests();
    if (request) {
      const std::string node = FoldedName(NodeOf(decoded.csr, *request));
      facts.in_flight = in_flight_.Others(requests::AskedIn(facts, node), Now());
      facts.newer = newest_.After(decoded.csr, node);
    }
    // Uses the controller's order of rules. The order determines which rule decides, and so the
    // reason.
    Verdict verdict = Settle(facts, settings_.policy.InCheapestOrder(), Detail::kAll, NewLookups());
    if (!LeftAlone(decoded.csr)) {
      MindLimits(verdict);
    }
    verdict.machine = nullptr;  // it must not outlive this world
    return {.csr = decoded.csr, .verdict = std::move(verdict)};
  }

 private:
  void ReadMachines(Facts& facts) {
    int rank = 0;
    for (const GroupVersion& group : settings_.inventories.machines) {
      MachineScope scope(group.group, settings_.inventories.machine_cluster);
      if (const auto api = FindMachineApi(management_.transport(), group, {})) {
        const kube::Resource resource{group.group, api->version, api->plural, "Machine"};
        for (const json::Value& item :
             management_.List(resource, settings_.inventories.machine_namespace)) {
          AddMachine(item, {.rank = rank, .group = group.group}, scope, facts);
        }
      }
      if (!facts.machines_problem) {
        facts.machines_problem = scope.Problem();
      }
      ++rank;
    }
  }

  struct Origin {
    int rank;
    std::string group;
  };

  void AddMachine(const json::Value& item, const Origin& origin, MachineScope& scope,
                  Facts& facts) {
    try {
      Machine machine = DecodeMachine(item, origin.group);
      if (!scope.Put(machine)) {
        return;
      }
      claims_.Put(OwnerOf(machine), NamesOf(machine.addresses));
      const MachineKey key{
          .rank = origin.rank, .name_space = machine.name_space, .name = machine.name};
      machines_.Put(key, std::move(machine));
    } catch (const Error& error) {
      facts.machines_problem = error.message();
    }
  }

  void ReadEntryLists() {
    const InventoryOptions& options = settings_.inventories;
    for (const std::string& name : options.nodes_allowed) {
      AddEntry(EntryAllowed(name));
    }
    if (options.file) {
      for (Machine& entry :
           ReadEntries(host_.files.Read(*options.file), judgement::Source::kFile)) {
        AddEntry(std::move(entry));
      }
    }
    if (options.tokens) {
      ReadTokens();
    }
    if (!options.config_map) {
      return;
    }
    const auto& [name_space, name] = *options.config_map;
    const json::Value map = workload_.Get({kube::resources::kConfigMap, name_space, name});
    for (Machine& entry : ReadEntries(json::TextAt(map, {"data", "inventory.yaml"}),
                                      judgement::Source::kConfigMap)) {
      AddEntry(std::move(entry));
    }
  }

  // The controller approves nothing while a queried inventory cannot be read.
  void ReadQueried(Facts& facts) {
    for (const auto& [source, query] : inventories::QueriesOf(host_, settings_.inventories)) {
      try {
        for (Machine& entry : query({}).entries) {
          AddEntry(std::move(entry));
        }
      } catch (const Error& error) {
        facts.machines_problem = fmt::format("inventory {}: {}", NameOf(source), error.message());
      }
    }
  }

  void ReadTokens() {
    const inventories::ConfigMapRef& map = inventories::IdentitiesMap();
    const auto found = workload_.Find({kube::resources::kConfigMap, map.name_space, map.name});
    for (Machine& entry : inventories::IdentityEntries(found.value_or(json::Value::object()))) {
      AddEntry(std::move(entry));
    }
  }

  void AddEntry(Machine entry) {
    if (entry.one_time) {
      entry.used_by = UsedBy(workload_.transport(), settings_.leader.name_space, entry, {});
    }
    claims_.Put(OwnerOf(entry), NamesOf(entry.addresses));
    const MachineKey key = KeyOf(entry);
    machines_.Put(key, std::move(entry));
  }

  void ReadNodes() {
    for (const json::Value& node : workload_.List(kube::resources::kNode, "")) {
      nodes_.push_back(DecodeNode(node));
      claims_.Put(OwnerOf(nodes_.back()), ClaimsOf(nodes_.back()));
    }
  }

  void ReadBundle() {
    if (!settings_.renewal_ca ||
        !controller::RenewalCaCounts(settings_, management_.transport(), {})) {
      return;
    }
    const auto& [name_space, name] = *settings_.renewal_ca;
    const auto map = workload_.Find({kube::resources::kConfigMap, name_space, name});
    bundle_ =
        pki::LenientChain(json::TextAt(map.value_or(json::Value()), {"data", "ca-bundle.crt"}));
  }

  Time Now() const { return host_.clock.NowSeconds(); }

  // Keeps only the properties of each request that are counted, because there may be very many
  // requests.
  void ReadRequests() {
    const bool tokens = settings_.policy.bootstrap_tokens;
    workload_.ForEach(kube::resources::kCsr, "", [&](const json::Value& item) {
      in_flight_.Put(item, tokens);
      const auto pending = ReadPending(item, tokens);
      if (pending && !pending->hopeless) {
        newest_.Add(pending->csr, pending->node);
        count_.Add(pending->csr.username, pending->csr.created);
      }
      return KeptOf(item);
    });
  }

  // Adjusts the verdict while too many requests are pending.
  void MindLimits(Verdict& verdict) {
    const Limits limits{.pending = count_.RecentAt(Now()),
                        .most = MaxPending(machines_.size(), nodes_.size())};
    if (limits.Exceeded()) {
      Verdict held = limits.Held();
      held.rules.insert(held.rules.end(), verdict.rules.begin(), verdict.rules.end());
      verdict = std::move(held);
    }
  }

  const Node* FindNode(const std::string& name) const {
    const auto found = std::ranges::find(nodes_, name, &Node::name);
    return found == nodes_.end() ? nullptr : &*found;
  }

  void Fill(Facts& facts, const std::string& node) {
    if (MachinePtr bound = machines_.FindBound(*facts.csr)) {
      facts.bound = bound.get();
      held_.push_back(std::move(bound));
    }
    for (MachinePtr& machine : machines_.Named(node)) {
      facts.named.push_back(machine.get());
      held_.push_back(std::move(machine));
    }
    std::vector<MachinePtr> owning = machines_.Owning(node);
    if (const Node* known = FindNode(node); settings_.inventories.nodes && known != nullptr) {
      owning.push_back(std::make_shared<const Machine>(EntryOfNode(*known)));
    }
    for (MachinePtr& machine : owning) {
      facts.owning.push_back(machine.get());
      held_.push_back(std::move(machine));
    }
    if (MachinePtr entry = inventories::AddDnsHost(settings_.inventories, FoldedName(node), facts,
                                                   host_.clock, {})) {
      held_.push_back(std::move(entry));
    }
    const bool there =
        std::ranges::any_of(nodes_, [&](const Node& known) { return SameName(known.name, node); });
    facts.node = there ? NodeLookup::kPresent : NodeLookup::kAbsent;
    const pki::RequestNames& names = (**facts.request).names;
    facts.claims = claims_.Others(names.dns, FoldedName(node));
    const auto addresses = claims_.Others(names.ips, FoldedName(node));
    facts.claims.insert(facts.claims.end(), addresses.begin(), addresses.end());
  }

  Lookups NewLookups() {
    const auto dial = [this](const std::string& name) {
      const Node* node = FindNode(name);
      const KubeletDialer dialer{.bundle = bundle_,
                                 .now = Now(),
                                 .timeout = settings_.dial_timeout,
                                 .stop = {},
                                 .rules = ReadDialRules(workload_.transport(), servers_, {})};
      return node != nullptr ? dialer.Dial(*node) : std::unexpected("there is no node " + name);
    };
    return evidence::LookupsIn(workload_.transport(), servers_, bindings_, dial, {});
  }

  const Settings& settings_;
  host::Host& host_;
  const std::vector<std::string>& servers_;
  kube::Client workload_;
  kube::Client management_;
  NodeBindings bindings_;
  MachineIndex machines_;
  Claims claims_;
  InFlight in_flight_;
  Newest newest_;
  PendingCount count_;
  std::vector<MachinePtr> held_;  // keeps the objects that the facts point to
  std::vector<Node> nodes_;
  std::vector<pki::Certificate> bundle_;
};

}  // namespace

Explanation Explain(const std::string& name, const Settings& settings, const Clusters& clusters,
                    host::Host& host) {
  return World(settings, clusters, host).Explain(name);
}

}  // namespace controller
