// SPDX-License-Identifier: Apache-2.0
#include "join_secrets/bound_tokens.h"

#include <fmt/core.h>

#include <set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "config/token.h"
#include "join_secrets/tokens.h"
#include "json/value.h"
#include "kube/objects.h"
#include "node_identities/cluster.h"

namespace join_secrets {
namespace {

using base::Error;
using node_identities::Identities;
using node_identities::TokenBinding;

bool Exists(kube::Client& client, const kube::ObjectKey& key) {
  bool exists = false;
  client.Retry("", [&] { exists = client.Find(key).has_value(); });
  return exists;
}

bool TokenExists(kube::Client& client, const std::string& id) {
  return Exists(client, {kube::resources::kSecret, kube::kSystemNamespace, TokenSecretName(id)});
}

bool NodeExists(kube::Client& client, const std::string& name) {
  return Exists(client, {kube::resources::kNode, "", name});
}

void RequireBindable(const Identities& identities, const TokenBinding& binding) {
  if (!identities.only_bound_tokens) {
    throw Error(Error::Kind::kInvalid,
                "this cluster does not bind tokens to nodes: run 'kubeadm config apply --set "
                "nodeBoundTokens.enabled=true' on a control-plane node first");
  }
  if (const auto* withdrawal = identities.FindWithdrawal(binding.node)) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("node \"{0}\" was withdrawn: admit it first, by 'kubeadm node admit "
                            "{0}'",
                            withdrawal->node));
  }
}

// Removes stale bindings. Sends one query for each binding, because few tokens exist at a time.
void RemoveStale(kube::Client& client, const Identities& identities) {
  std::vector<std::string> stale;
  for (const TokenBinding& binding : identities.bindings) {
    const bool bounds = !binding.cidrs.empty() && NodeExists(client, binding.node);
    if (!bounds && !TokenExists(client, binding.token_id)) {
      stale.push_back(KeyOf(binding));
    }
  }
  node_identities::RemoveEntries(client, stale);
}

}  // namespace

void CreateBoundToken(kube::Client& client, config::BootstrapToken token,
                      const TokenBinding& binding, std::chrono::sys_seconds now) {
  const Identities identities = node_identities::FetchIdentities(client);
  RequireBindable(identities, binding);
  if (TokenExists(client, binding.token_id)) {
    throw Error(Error::Kind::kAlreadyExists,
                fmt::format("a token with id \"{}\" already exists", binding.token_id));
  }
  if (NodeExists(client, binding.node)) {
    base::LogWarning(
        "node {} exists: the token gets no certificate until its Node object is deleted",
        binding.node);
  }
  RemoveStale(client, identities);
  const std::string description = Description(binding);
  token.description = token.description.empty()
                          ? description
                          : fmt::format("{} ({})", token.description, description);
  node_identities::StoreBinding(client, binding);
  try {
    PutToken(client, token, now, IfExists::kFail);
  } catch (...) {
    node_identities::RemoveEntries(client, {KeyOf(binding)});
    throw;
  }
}

void RemoveBinding(kube::Client& client, const std::string& token_id) {
  try {
    const Identities identities = node_identities::FetchIdentities(client);
    const TokenBinding* binding = identities.FindBinding(token_id);
    if (binding != nullptr && binding->cidrs.empty()) {
      node_identities::RemoveEntries(client, {KeyOf(*binding)});
    }
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::kForbidden) {
      throw;
    }
  }
}

}  // namespace join_secrets
