// SPDX-License-Identifier: Apache-2.0
#include "inventories/token_bindings.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/log.h"
#include "base/utf8.h"
#include "kube/objects.h"

namespace inventories {

using judgement::kEntryRank;
using judgement::Machine;
using judgement::MachineKey;
using judgement::Source;
using node_identities::TokenBinding;

Machine EntryOfToken(const TokenBinding& binding) {
  return {.source = Source::kTokens,
          .api_group = {},
          .name = binding.node,
          .created = binding.created,
          .node_ref = {},
          .addresses = {{.type = "InternalDNS", .address = binding.node}},
          .is_entry = true,
          .one_time = binding.once,
          .used_by = {},
          .provider_id = {},
          .client_only = true,
          .token_id = binding.token_id,
          .cidrs = binding.cidrs};
}

Machine EntryOfWithdrawal(const node_identities::Withdrawal& withdrawal) {
  return {.source = Source::kWithdrawn,
          .api_group = {},
          .name = withdrawal.node,
          .created = withdrawal.since,
          .node_ref = {},
          .addresses = {{.type = "InternalDNS", .address = withdrawal.node}},
          .is_entry = true,
          .used_by = {},
          .provider_id = {},
          .client_only = true};
}

std::vector<Machine> IdentityEntries(const json::Value& config_map) {
  const node_identities::Identities identities = node_identities::ReadIdentities(config_map);
  std::vector<Machine> entries;
  std::ranges::transform(identities.bindings, std::back_inserter(entries), EntryOfToken);
  std::ranges::transform(identities.withdrawals, std::back_inserter(entries), EntryOfWithdrawal);
  return entries;
}

bool SameIdentity(const Machine& a, const Machine& b) {
  return a.source == b.source && a.token_id == b.token_id && a.name == b.name &&
         a.one_time == b.one_time && a.cidrs == b.cidrs && a.created == b.created;
}

ConfigMapRef IdentitiesMap() {
  return {.name_space = std::string(kube::kSystemNamespace),
          .name = std::string(node_identities::kMapName)};
}

TokenBindings::TokenBindings(Sink& sink) : sink_(sink) { SetProblem("it has not been read yet"); }

void TokenBindings::SetProblem(const std::optional<std::string>& problem) {
  const std::string name(NameOf(Source::kTokens));
  sink_.SetProblem(kEntryRank, name, problem.transform([&](const std::string& text) {
    return "inventory " + name + ": " + text;
  }));
}

void TokenBindings::Take(const json::Value& config_map) {
  try {
    Replace(IdentityEntries(config_map));
  } catch (const std::exception& error) {
    const std::string problem = base::Visible(error.what());
    SetProblem(problem);
    base::LogError("inventory {}: {}; nothing is approved until it is corrected",
                   NameOf(Source::kTokens), problem);
    return;
  }
  SetProblem(std::nullopt);
}

void TokenBindings::TakeNone() { Take(json::Value::object()); }

void TokenBindings::Replace(const std::vector<Machine>& entries) {
  std::map<MachineKey, Machine> before = std::exchange(entries_, {});
  for (const Machine& entry : entries) {
    const MachineKey key = KeyOf(entry);
    const auto old = before.find(key);
    if (old == before.end() || !SameIdentity(old->second, entry)) {
      if (old != before.end()) {
        sink_.Remove(key);  // a use of the old binding does not count for the new binding
      }
      sink_.Put(key, entry);
    }
    entries_.emplace(key, entry);
  }
  for (const auto& [key, entry] : before) {
    if (!entries_.contains(key)) {
      sink_.Remove(key);
    }
  }
}

}  // namespace inventories
