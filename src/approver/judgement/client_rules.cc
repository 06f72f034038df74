// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "json/rfc3339.h"
#include "json/value.h"
#include "judgement/machines.h"
#include "judgement/names.h"
#include "judgement/ruling.h"

namespace judgement {
namespace {

constexpr std::string_view kBootstrapper =
    "system:serviceaccount:openshift-machine-config-operator:node-bootstrapper";
constexpr std::array<std::string_view, 3> kBootstrapperGroups = {
    "system:serviceaccounts:openshift-machine-config-operator", "system:serviceaccounts",
    kAuthenticatedGroup};
constexpr std::string_view kTokenGroup = "system:bootstrappers";

// A client request must be created after the machine's creation minus kBefore, and before the
// machine's creation plus kAfter. Both ends are excluded.
constexpr std::chrono::seconds kBefore{10};
constexpr std::chrono::hours kAfter{2};

enum class Asker { kMachineAccount, kToken, kIdentity, kOther };

// Returns whether only entries of inventories attest for the requester.
bool NeedsEntry(Asker asker) { return asker == Asker::kToken || asker == Asker::kIdentity; }

Asker AskerOf(const Csr& csr, const Policy& policy) {
  const auto known = [](const std::string& group) {
    return std::ranges::find(kBootstrapperGroups, group) != kBootstrapperGroups.end();
  };
  const auto given = [&](std::string_view group) { return Contains(csr.groups, group); };
  if (csr.username == kBootstrapper && std::ranges::all_of(csr.groups, known) &&
      std::ranges::all_of(kBootstrapperGroups, given)) {
    return Asker::kMachineAccount;
  }
  const bool token = csr.username.starts_with(kTokenUserPrefix) &&
                     csr.username.size() > kTokenUserPrefix.size() && given(kTokenGroup) &&
                     given(kAuthenticatedGroup);
  if (!policy.bootstrap_tokens) {
    return Asker::kOther;
  }
  if (csr.identity_node) {
    return Asker::kIdentity;
  }
  return token ? Asker::kToken : Asker::kOther;
}

std::string TimeText(Time time) { return time == kNoTime ? "no time" : json::FormatRfc3339(time); }

std::string Called(const Machine& machine) {
  if (machine.source == Source::kIdentity) {
    return fmt::format("the identity of user {}, whose node is {}", base::Quoted(machine.token_id),
                       base::Quoted(machine.name));
  }
  if (machine.source == Source::kTokens) {
    return fmt::format("the binding of token {} to node {}", machine.token_id,
                       base::Quoted(machine.name));
  }
  return fmt::format("{} {}{}{}", machine.SourceName(), machine.name_space,
                     machine.name_space.empty() ? "" : "/", machine.name);
}

void JudgeNode(const Facts& facts, const std::string& name, Ruling& ruling) {
  ruling.Check("node-name", !name.empty(), {Decision::kIgnore, Reason::kClientEmptyNodeName},
               [&] { return "node name " + base::Quoted(name); });
  const bool looked_up = IsPathSegment(name) && facts.node != NodeLookup::kFailed;
  ruling.Check("node-lookup", looked_up, {Decision::kRetry, Reason::kClientNodeLookupFailed}, [&] {
    return IsPathSegment(name) ? facts.node_problem.value_or("looked up")
                               : fmt::format("{} cannot be a node's name", base::Quoted(name));
  });
  ruling.Check("node-absent", facts.node != NodeLookup::kPresent,
               {Decision::kIgnore, Reason::kClientNodeExists}, [&] {
                 return fmt::format("{} node is called {}, whatever its letters' case",
                                    facts.node == NodeLookup::kPresent ? "a" : "no",
                                    base::Quoted(name));
               });
}

// Checks upstream's conditions for the machine that must attest the request.
void JudgeUpstream(const Csr& csr, const Machine& machine, Ruling& ruling) {
  ruling.Check("machine-without-node", !machine.node_ref,
               {Decision::kIgnore, Reason::kClientMachineHasNoderef}, [&] {
                 return fmt::format(
                     "{} has {}", Called(machine),
                     machine.node_ref ? "node " + base::Quoted(*machine.node_ref) : "no node yet");
               });
  const bool inside =
      csr.created > machine.created - kBefore && csr.created < machine.created + kAfter;
  ruling.Check("time-window", !machine.HasWindow() || inside,
               {Decision::kIgnore, Reason::kClientOutsideTimeWindow}, [&] {
                 return !machine.HasWindow()
                            ? std::string("entries of inventories have no window")
                            : fmt::format("asked {}, machine made {}", TimeText(csr.created),
                                          TimeText(machine.created));
               });
}

// Returns whether the requester's token or identity is bound to another node. Compares the names in
// the form that a certificate would have.
bool IsOfAnotherNode(const Facts& facts, Asker asker, const std::string& name) {
  return NeedsEntry(asker) && facts.bound != nullptr && facts.bound->name != name;
}

// A token or identity that is bound to a node is for that node only, whatever other inventories
// list.
void JudgeToken(const Facts& facts, Asker asker, const std::string& name, Ruling& ruling) {
  const bool other = IsOfAnotherNode(facts, asker, name);
  ruling.Check(
      "token-of-node", !other, {Decision::kIgnore, Reason::kClientTokenOfAnotherNode}, [&] {
        return facts.bound == nullptr
                   ? std::string("the requester has no bound token")
                   : fmt::format("{}, requested {}", Called(*facts.bound), base::Quoted(name));
      });
}

// Returns the machine that must attest the request: usually the first machine with the name. For
// the owner of a bootstrap token it is the token's binding; without a binding, the first entry of
// an inventory. For an identity it is the identity itself, or the first entry of an inventory if
// the identity is a TPM. A token's binding attests only requests of the token's owner.
const Machine* ChosenOf(const Facts& facts, Asker asker, const std::string& name) {
  if (IsOfAnotherNode(facts, asker, name)) {
    return nullptr;
  }
  if (NeedsEntry(asker) && facts.bound != nullptr && facts.csr->identity_endorsement_key.empty()) {
    return facts.bound;
  }
  const Machine* first = nullptr;
  for (const Machine* machine : facts.named) {
    if (machine->source == Source::kTokens || machine->source == Source::kWithdrawn) {
      continue;
    }
    if (NeedsEntry(asker) && machine->is_entry) {
      return machine;
    }
    first = first == nullptr ? machine : first;
  }
  return first;
}

// Returns another machine of this name that has a nodeRef, or another machine whose nodeRef names
// the node. Returns null without one.
const Machine* OwnerOf(const Facts& facts, const Machine& chosen) {
  for (const Machine* machine : facts.named) {
    if (machine != &chosen && machine->node_ref) {
      return machine;
    }
  }
  for (const Machine* machine : facts.owning) {
    if (machine != &chosen && !machine->is_entry) {
      return machine;
    }
  }
  return nullptr;
}

// Requires the TPM whose endorsement key is in the inventory. A machine without such a key must not
// be attested by a TPM either: each requester could have one.
void JudgeEndorsementKey(const Csr& csr, const Machine& machine, Ruling& ruling) {
  if (machine.endorsement_key.empty() && csr.identity_endorsement_key.empty()) {
    return;
  }
  const auto shown = [](const std::string& key) { return key.empty() ? "none" : key; };
  ruling.Check("endorsement-key", machine.endorsement_key == csr.identity_endorsement_key,
               {Decision::kIgnore, Reason::kClientEndorsementKey}, [&] {
                 return fmt::format("the endorsement key of {} is {}, proved was {}",
                                    Called(machine), shown(machine.endorsement_key),
                                    shown(csr.identity_endorsement_key));
               });
}

// Checks our own conditions for the attesting machine.
void JudgeMachine(const Facts& facts, const Machine& machine, Asker asker, Ruling& ruling) {
  const Machine* owner = OwnerOf(facts, machine);
  ruling.Check("name-not-taken", owner == nullptr,
               {Decision::kIgnore, Reason::kClientMachineHasNoderef}, [&] {
                 return owner == nullptr ? "no other machine's node has the name"
                                         : Called(*owner) + " owns the name";
               });
  ruling.Check("machine-stays", !machine.deleting,
               {Decision::kRetry, Reason::kClientMachineBeingDeleted}, [&] {
                 return Called(machine) +
                        (machine.deleting ? " is being deleted" : " is not being deleted");
               });
  ruling.Check(
      "asker-fits-machine", !NeedsEntry(asker) || machine.is_entry,
      {Decision::kIgnore, Reason::kClientNotBootstrapper}, [&] {
        return std::string(NeedsEntry(asker) ? "a joining machine" : "the machine bootstrapper") +
               " for " + Called(machine);
      });
  JudgeEndorsementKey(*facts.csr, machine, ruling);
  const bool unused = !machine.one_time || !machine.used_by ||
                      machine.used_by == UseIdOf(machine, *facts.csr, **facts.request);
  ruling.Check("entry-unused", unused, {Decision::kIgnore, Reason::kClientEntryUsed}, [&] {
    return unused ? Called(machine) + " may attest"
                  : fmt::format("{} attested once, for {}{}", Called(machine),
                                machine.source == Source::kTokens ? "the public key " : "",
                                *machine.used_by);
  });
}

// Requires the user's latest request. The key of an earlier request is lost, and the certificate of
// an earlier request would replace the certificate for which the kubelet waits.
void JudgeNewest(const Facts& facts, Ruling& ruling) {
  ruling.Check("newest", !facts.newer, {Decision::kRetry, Reason::kClientSuperseded}, [&] {
    return facts.newer ? fmt::format("request {} was made for the node since, by the same user",
                                     base::Quoted(*facts.newer))
                       : "no later request of the user for the node is pending";
  });
}

// `bound_only` is set for the owner of a bootstrap token if the inventory `tokens` is in use. The
// reason of a refusal is then that the token is not bound.
void JudgeFound(const Machine* machine, const std::string& name, bool bound_only, Ruling& ruling) {
  const Reason reason =
      bound_only ? Reason::kClientTokenNotBound : Reason::kClientNoMachineWithInternalDns;
  ruling.Check("machine-found", machine != nullptr, {Decision::kRetry, reason}, [&] {
    if (machine != nullptr) {
      return fmt::format("{} has the InternalDNS address {}", Called(*machine), base::Quoted(name));
    }
    return (bound_only ? "the bootstrap token is bound to no node, and no entry has the name "
                       : "no machine has the InternalDNS address ") +
           base::Quoted(name);
  });
}

}  // namespace

Verdict JudgeClient(const Facts& facts, const Policy& policy, Ruling ruling) {
  const Csr& csr = *facts.csr;
  const std::string name = NodeNameOf((*facts.request)->common_name).value_or("");
  ruling.Check(
      "client-enabled", !policy.client_disabled, {Decision::kRetry, Reason::kClientFlowDisabled},
      [&] { return fmt::format("nodeClientCert.disabled is {}", policy.client_disabled); });
  const Asker asker = AskerOf(csr, policy);
  ruling.Check("bootstrapper", asker != Asker::kOther,
               {Decision::kIgnore, Reason::kClientNotBootstrapper}, [&] {
                 return fmt::format("user {}, groups {}", base::Quoted(csr.username),
                                    base::QuotedList(csr.groups));
               });
  if (asker == Asker::kIdentity) {
    ruling.Check("identities-known", policy.bound_tokens,
                 {Decision::kRetry, Reason::kClientTokenNotBound}, [&] {
                   return fmt::format("the inventory tokens, which identities need, is {}",
                                      policy.bound_tokens ? "on" : "off");
                 });
  }
  JudgeNode(facts, name, ruling);
  if (policy.bound_tokens) {
    JudgeWithdrawal(facts.owning, name, ruling);
    JudgeToken(facts, asker, name, ruling);
  }
  const Machine* machine = ChosenOf(facts, asker, name);
  JudgeFound(machine, name, policy.bound_tokens && asker == Asker::kToken, ruling);
  if (machine != nullptr) {
    JudgeUpstream(csr, *machine, ruling);
  }
  JudgeStrictly(facts, RequestKind::kClient, ruling);
  if (machine != nullptr) {
    JudgeMachine(facts, *machine, asker, ruling);
    JudgeNewest(facts, ruling);
    JudgeInFlight(facts, RequestKind::kClient, machine, ruling);
    ruling.AttestedBy(machine);
  }
  return ruling.Finish(Reason::kClientOk, machine == nullptr ? "" : Called(*machine) + " attests");
}

}  // namespace judgement
