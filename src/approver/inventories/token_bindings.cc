// SPDX-License-Identifier: Apache-2.0
#include "inventories/token_bindings.h"

#include <utility>

#include "base/log.h"
#include "base/utf8.h"
#include "judgement/machines.h"
#include "kube/objects.h"

namespace inventories {

using judgement::kEntryRank;
using judgement::Machine;
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
    Replace(node_identities::ReadIdentities(config_map).bindings);
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

void TokenBindings::Replace(const std::vector<TokenBinding>& bindings) {
  std::map<std::string, TokenBinding> before = std::exchange(bindings_, {});
  for (const TokenBinding& binding : bindings) {
    const auto old = before.find(binding.token_id);
    const Machine entry = EntryOfToken(binding);
    if (old == before.end() || old->second != binding) {
      if (old != before.end()) {
        sink_.Remove(KeyOf(entry));  // a use of the old binding does not count for the new one
      }
      sink_.Put(KeyOf(entry), entry);
    }
    bindings_.emplace(binding.token_id, binding);
  }
  for (const auto& [id, binding] : before) {
    if (!bindings_.contains(id)) {
      sink_.Remove(KeyOf(EntryOfToken(binding)));
    }
  }
}

}  // namespace inventories
