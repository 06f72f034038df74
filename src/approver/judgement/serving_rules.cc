// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/problems.h"
#include "base/strings.h"
#include "judgement/name_rules.h"
#include "judgement/names.h"
#include "judgement/node_rules.h"
#include "judgement/renewal.h"
#include "judgement/ruling.h"
#include "net/ip_address.h"

namespace judgement {
namespace {

constexpr std::array<std::string_view, 3> kNameTypes = {"InternalDNS", "ExternalDNS", "Hostname"};
constexpr std::array<std::string_view, 2> kIpTypes = {"InternalIP", "ExternalIP"};
constexpr std::string_view kOpenShiftSdn = "OpenShiftSDN";
constexpr std::string_view kOvnKubernetes = "OVNKubernetes";

// The result of trying one kind of evidence.
struct Step {
  bool holds = false;
  std::string text;
};

void JudgeAsker(const Csr& csr, Ruling& ruling) {
  ruling.Check("node-user", NodeNameOf(csr.username).has_value(),
               {Decision::kIgnore, Reason::kServingNotANodeUser},
               [&] { return "user " + base::Quoted(csr.username); });
  ruling.Check("group-count", csr.groups.size() >= 2,
               {Decision::kIgnore, Reason::kServingTooFewGroups},
               [&] { return fmt::format("{} groups", csr.groups.size()); });
  ruling.Check("node-groups",
               Contains(csr.groups, kNodesGroup) && Contains(csr.groups, kAuthenticatedGroup),
               {Decision::kIgnore, Reason::kServingGroupMissing},
               [&] { return "groups " + base::QuotedList(csr.groups); });
}

void JudgeContents(const Csr& csr, const pki::Request& request, Ruling& ruling) {
  ruling.Check("usage-count", csr.usages.size() == 2 || csr.usages.size() == 3,
               {Decision::kIgnore, Reason::kServingUsageCount},
               [&] { return fmt::format("{} usages", csr.usages.size()); });
  ruling.Check("usages",
               Contains(csr.usages, kDigitalSignature) && Contains(csr.usages, kServerAuth),
               {Decision::kIgnore, Reason::kServingUsageMissing},
               [&] { return "usages " + base::QuotedList(csr.usages); });
  ruling.Check("common-name", request.common_name == csr.username,
               {Decision::kIgnore, Reason::kServingCnMismatch}, [&] {
                 return fmt::format("common name {}, user {}", base::Quoted(request.common_name),
                                    base::Quoted(csr.username));
               });
  ruling.Check("organization", Contains(request.organizations, kNodesGroup),
               {Decision::kIgnore, Reason::kServingOrgMissing},
               [&] { return "organisations " + base::QuotedList(request.organizations); });
}

// Checks our own rules for the alternative names.
void JudgeNames(const pki::RequestNames& names, Ruling& ruling) {
  const bool some = !names.ips.empty() || std::ranges::any_of(names.dns, [](const auto& name) {
    return !FoldedName(name).empty();
  });
  ruling.Check("some-name", some, {Decision::kIgnore, Reason::kServingNoSan}, [&] {
    return fmt::format("{} DNS names, {} IP addresses", names.dns.size(), names.ips.size());
  });
  std::vector<std::string> foreign = names.others;
  foreign.insert(foreign.end(), names.emails.begin(), names.emails.end());
  foreign.insert(foreign.end(), names.uris.begin(), names.uris.end());
  ruling.Check("only-dns-and-ip", foreign.empty(), {Decision::kIgnore, Reason::kServingSanKind},
               [&] {
                 return foreign.empty() ? std::string("DNS names and IP addresses only")
                                        : "other names " + base::QuotedList(foreign);
               });
}

// Refuses names that no inventory may attest. Machines and renewed certificates may have 127.0.0.1,
// as in upstream's approver.
void JudgeForbidden(const pki::RequestNames& names, const Machine* owner, Ruling& ruling) {
  const bool loopback = owner == nullptr || !owner->is_entry;
  std::string why;
  for (const std::string& name : names.dns) {
    if (const auto forbidden = ForbiddenName(name)) {
      why += fmt::format("{}: {}; ", base::Quoted(name), *forbidden);
    }
  }
  for (const std::string& ip : names.ips) {
    const auto address = net::IpAddress::Parse(ip).value();
    const auto forbidden = !loopback && address.IsLoopback()
                               ? std::optional<std::string>("every machine has the address")
                               : ForbiddenAddress(address);
    if (forbidden) {
      why += fmt::format("{}: {}; ", ip, *forbidden);
    }
  }
  ruling.Check("no-forbidden-name", why.empty(), {Decision::kIgnore, Reason::kServingNameForbidden},
               [&] {
                 return why.empty() ? std::string("no name that none may have")
                                    : why.substr(0, why.size() - 2);
               });
}

Step Renewal(const Facts& facts, const std::string& node) {
  const pki::Request& request = **facts.request;
  if (!facts.has_ca) {
    return {.text = "there is no CA bundle"};
  }
  const Dialled& current = *facts.current;
  if (!current) {
    return {.text = "no certificate from the kubelet: " + current.error()};
  }
  if (auto problem = RenewalProblem(request, *current, node)) {
    return {.text = *std::move(problem)};
  }
  return {.holds = true, .text = "the kubelet's certificate has the same names"};
}

// Tries a renewal with the node's egress addresses.
Step ByEgress(const Facts& facts, const std::string& node, const Known<Egress>& egress) {
  if (auto problem = EgressProblem(**facts.request, **facts.current, node, egress)) {
    return {.text = *std::move(problem)};
  }
  return {.holds = true, .text = "other addresses are the node's for egress"};
}

std::vector<std::string> AddressesOf(const Machine& machine,
                                     std::span<const std::string_view> types) {
  std::vector<std::string> found;
  for (const Address& address : machine.addresses) {
    if (std::ranges::find(types, address.type) != types.end()) {
      found.push_back(address.address);
    }
  }
  return found;
}

// Returns the first of the node's entries and of the machines whose nodeRef is exactly the node's
// name. Skips those that attest no serving certificate.
const Machine* OwnerOf(const Facts& facts) {
  const std::optional<std::string> node = NodeNameOf(facts.csr->username);
  for (const Machine* machine : facts.owning) {
    if (!machine->client_only && (machine->is_entry || (node && machine->node_ref == node))) {
      return machine;
    }
  }
  return nullptr;
}

// Returns whether the machine that owns the node has all the names. `egress` contains additional
// addresses of the node.
Step ByMachine(const Facts& facts, const std::vector<std::string>& egress) {
  const Machine* owner = OwnerOf(facts);
  if (owner == nullptr) {
    return {.text = "no machine has the node"};
  }
  const Machine& machine = *owner;
  const pki::RequestNames& names = (*facts.request)->names;
  const auto known_names = AddressesOf(machine, kNameTypes);
  for (const std::string& name : names.dns) {
    if (!name.empty() && std::ranges::none_of(known_names, [&](const std::string& known) {
          return SameName(name, known);
        })) {
      return {.text = fmt::format("DNS name {} is not among the machine's {}", base::Quoted(name),
                                  base::QuotedList(known_names))};
    }
  }
  auto known_ips = AddressesOf(machine, kIpTypes);
  known_ips.insert(known_ips.end(), egress.begin(), egress.end());
  for (const std::string& ip : names.ips) {
    if (std::ranges::none_of(known_ips,
                             [&](const std::string& known) { return SameIp(ip, known); })) {
      return {.text = fmt::format("IP address {} is not among the machine's {}", ip,
                                  base::QuotedList(known_ips))};
    }
  }
  return {.holds = true,
          .text = fmt::format("machine {} has all the names", base::Quoted(machine.name))};
}

// Returns the last binding of a token to the node; null without one.
const Machine* LastBinding(const Facts& facts) {
  const Machine* last = nullptr;
  for (const Machine* machine : facts.owning) {
    if (machine->source == Source::kTokens &&
        (last == nullptr || last->created <= machine->created)) {
      last = machine;
    }
  }
  return last;
}

// Refuses addresses outside of the networks that the administrator gave with the node's token,
// whatever attests these addresses.
void JudgeTokenCidrs(const Facts& facts, const pki::RequestNames& names, Ruling& ruling) {
  const Machine* binding = LastBinding(facts);
  const bool bounded = binding != nullptr && !binding->cidrs.empty();
  const auto outside = std::ranges::find_if(
      names.ips, [&](const std::string& ip) { return bounded && !IsIn(ip, binding->cidrs); });
  ruling.Check("token-cidrs", outside == names.ips.end(),
               {Decision::kRetry, Reason::kServingAddressNotAllowed}, [&] {
                 return outside == names.ips.end()
                            ? std::string("no address outside of the networks of the node's token")
                            : fmt::format("address {} is in none of the networks of token {}",
                                          *outside, binding->token_id);
               });
}

// Tries the kinds of evidence in the order of the policy until one is valid or a fact is missing.
class Ways {
 public:
  Ways(const Facts& facts, const Policy& policy, Ruling& ruling)
      : facts_(facts),
        policy_(policy),
        ruling_(ruling),
        node_(NodeNameOf(facts.csr->username).value_or("")),
        owner_(OwnerOf(facts)) {}

  // Returns the reason of the first valid kind; std::nullopt if no kind is valid or a fact is
  // missing.
  std::optional<Reason> Try() {
    const bool machine_first = policy_.order == Policy::Order::kCheapest;
    if (machine_first) {
      if (const std::optional<Reason> reason = TryOwner(); reason || ruling_.waits()) {
        return reason;
      }
    }
    if (Dial()) {
      return Reason::kServingRenewalOk;
    }
    if (ruling_.waits()) {
      return std::nullopt;
    }
    if (!machine_first) {
      if (const std::optional<Reason> reason = TryOwner(); reason || ruling_.waits()) {
        return reason;
      }
    }
    return ByNetwork();
  }

 private:
  bool Try(std::string_view rule, const Step& step) {
    ruling_.Note(rule, step.holds, step.text);
    if (!step.holds) {
      problems_.Add("", step.text);
    }
    return step.holds;
  }

  // Returns whether the node's kubelet may be dialled. Returns false for a Node that attests
  // itself: names in its present certificate may belong to another node now, and only the rules for
  // Nodes check this.
  bool MayDial() const {
    using Renewal = Policy::Renewal;
    if (owner_ != nullptr && owner_->is_node) {
      return false;
    }
    return policy_.renewal == Renewal::kFallback ||
           (policy_.renewal == Renewal::kWithoutMachine && owner_ == nullptr);
  }

  bool HasCurrent() const { return MayDial() && facts_.current && *facts_.current; }

  bool Dial() {
    if (!MayDial()) {
      ruling_.Note("by-renewal", false,
                   "not for this request: --serving-renewal, or its Node attests");
      return false;
    }
    if (facts_.has_ca && !facts_.current) {
      ruling_.Wants(Want::kCurrentCertificate);
      return false;
    }
    const Step step = Renewal(facts_, node_);
    // Without a present certificate, upstream reports no problem.
    if (!HasCurrent()) {
      ruling_.Note("by-renewal", false, step.text);
      return false;
    }
    return Try("by-renewal", step);
  }

  // Tries the machine that has the node, or the Node itself.
  std::optional<Reason> TryOwner() {
    const Step step = ByMachine(facts_, {});
    if (!Try("by-machine", step)) {
      return std::nullopt;
    }
    if (owner_->is_node && !TryNode()) {
      return std::nullopt;
    }
    ruling_.AttestedBy(owner_);
    return owner_->is_node ? Reason::kServingNodeOk : Reason::kServingMachineOk;
  }

  bool TryNode() {
    NodeStep step = ByNode(facts_, policy_);
    if (step.want != Want::kNothing) {
      ruling_.Wants(step.want);
      return false;
    }
    exhausted_ = step.holds ? exhausted_ : step.reason;
    return Try("by-node", {.holds = step.holds, .text = std::move(step.text)});
  }

  // Returns whether the network's type must be looked up: always in upstream's order, otherwise
  // only while it can change the decision.
  bool NetworkMatters() const {
    return policy_.order == Policy::Order::kAsUpstream || HasCurrent() ||
           (policy_.ovn_egress && owner_ != nullptr);
  }

  std::optional<Reason> ByNetwork() {
    if (!NetworkMatters()) {
      return Exhausted();
    }
    if (!facts_.network) {
      ruling_.Wants(Want::kNetwork);
      return std::nullopt;
    }
    const Known<std::string>& type = *facts_.network;
    const std::string tried = problems_.Text();
    ruling_.Check("network-known", type.has_value(),
                  {Decision::kRetry, Reason::kServingEgressLookupFailed}, [&] {
                    return type ? "network type " + base::Quoted(*type)
                                : type.error() + "; before that: " + tried;
                  });
    if (!type) {
      return std::nullopt;
    }
    if (*type == kOpenShiftSdn && HasCurrent()) {
      return Sdn();
    }
    return policy_.ovn_egress && *type == kOvnKubernetes ? Ovn() : Exhausted();
  }

  std::optional<Reason> Sdn() {
    if (!facts_.host_subnet) {
      ruling_.Wants(Want::kHostSubnet);
      return std::nullopt;
    }
    return Try("by-egress", ByEgress(facts_, node_, *facts_.host_subnet))
               ? std::optional(Reason::kServingRenewalEgressOk)
               : Exhausted();
  }

  std::optional<Reason> Ovn() {
    if (!facts_.egress_ips) {
      ruling_.Wants(Want::kEgressIps);
      return std::nullopt;
    }
    const Known<Egress>& egress = *facts_.egress_ips;
    if (HasCurrent() && Try("by-egress", ByEgress(facts_, node_, egress))) {
      return Reason::kServingRenewalEgressOk;
    }
    if (owner_ != nullptr && !owner_->is_node && egress &&
        Try("by-machine-egress", ByMachine(facts_, egress->ips))) {
      ruling_.AttestedBy(owner_);
      return Reason::kServingMachineEgressOk;
    }
    return Exhausted();
  }

  std::optional<Reason> Exhausted() {
    ruling_.Decide({Decision::kRetry, exhausted_},
                   "no evidence attests the names: " + problems_.Text());
    return std::nullopt;
  }

  const Facts& facts_;
  const Policy& policy_;
  Ruling& ruling_;
  std::string node_;
  const Machine* owner_;  // null: no machine has the node
  base::Problems problems_;
  Reason exhausted_ = Reason::kServingExhausted;
};

}  // namespace

Verdict JudgeServing(const Facts& facts, const Policy& policy, Ruling ruling) {
  const Csr& csr = *facts.csr;
  const pki::Request& request = **facts.request;
  JudgeAsker(csr, ruling);
  JudgeContents(csr, request, ruling);
  JudgeForbidden(request.names, OwnerOf(facts), ruling);
  if (policy.bound_tokens) {
    JudgeWithdrawal(facts.owning, NodeNameOf(csr.username).value_or(""), ruling);
    JudgeTokenCidrs(facts, request.names, ruling);
  }
  std::optional<Reason> reason;
  if (!ruling.decided()) {
    reason = Ways(facts, policy, ruling).Try();
    if (ruling.waits()) {
      return ruling.Take();
    }
  }
  JudgeStrictly(facts, RequestKind::kServing, ruling);
  JudgeNames(request.names, ruling);
  JudgeInFlight(facts, RequestKind::kServing, nullptr, ruling);
  return ruling.Finish(reason.value_or(Reason::kNone), "the node's names are attested");
}

}  // namespace judgement
