// SPDX-License-Identifier: Apache-2.0
#include "config_change/join_tokens.h"

#include <fmt/core.h>

#include <algorithm>

#include "addons/approver_tokens.h"
#include "base/error.h"
#include "base/strings.h"
#include "config/extension.h"
#include "node_identities/identities.h"

namespace config_change {
namespace {

using base::Error;
using engine::StepContext;
using join_secrets::JoinTokens;

constexpr std::string_view kField = "nodeBoundTokens";

engine::Step ApproverStep(const std::shared_ptr<kube::Client>& client) {
  return {.id = "approver-tokens",
          .line = "the approver gets the inventory `tokens`; its Pods are replaced",
          .where = engine::Where::kCluster,
          .apply = [client](StepContext& context) {
            context.Say("Waiting for the approver's new Pods");
            try {
              addons::GiveApproverTokens(*client,
                                         {.clock = context.host().clock, .stop = context.Stop()});
            } catch (const Error&) {
              // Restores the old arguments, so that the previous approver can run again.
              addons::TakeApproverTokens(*client);
              throw;
            }
          }};
}

engine::Step RulesStep(JoinTokens wanted, const std::shared_ptr<kube::Client>& client) {
  return {
      .id = "join-tokens",
      .line =
          wanted == JoinTokens::kBoundOnly
              ? fmt::format("nodes join with bound tokens only: ClusterRoleBinding {} is removed",
                            node_identities::kBlanketRule)
              : fmt::format("nodes join with any token: ClusterRoleBinding {} is created",
                            node_identities::kBlanketRule),
      .where = engine::Where::kCluster,
      .apply = [client, wanted](StepContext&) { join_secrets::ApplyJoinTokens(*client, wanted); }};
}

}  // namespace

JoinTokensFacts CollectJoinTokens(kube::Client& client) {
  return {.now = join_secrets::FetchJoinTokens(client),
          .has_blanket_rule =
              client.Find({kube::resources::kClusterRoleBinding, "", node_identities::kBlanketRule})
                  .has_value()};
}

std::optional<JoinTokens> JoinTokensIn(const std::vector<std::string>& words) {
  const auto ours = [](const std::string& word) { return word.starts_with(kField); };
  if (std::ranges::none_of(words, ours)) {
    return std::nullopt;
  }
  for (const bool enabled : {false, true}) {
    if (words == std::vector{fmt::format("{}.enabled={}", kField, enabled)}) {
      return enabled ? JoinTokens::kBoundOnly : JoinTokens::kAll;
    }
  }
  throw Error(Error::Kind::kUsage,
              fmt::format("{0} is changed alone, by '--set {0}.enabled=true' or "
                          "'--set {0}.enabled=false'",
                          kField));
}

std::optional<JoinTokens> JoinTokensIn(const config::Source& file) {
  const std::vector<config::Document> documents = config::ReadDocuments(file);
  const auto is_extension = [](const config::Document& document) {
    return config::IsExtension(document.gvk);
  };
  if (documents.empty() || !std::ranges::all_of(documents, is_extension)) {
    return std::nullopt;
  }
  return config::ReadExtension(file).node_bound_tokens.enabled ? JoinTokens::kBoundOnly
                                                               : JoinTokens::kAll;
}

engine::Operation JoinTokensOperation(const JoinTokensFacts& facts, JoinTokens wanted,
                                      const std::shared_ptr<kube::Client>& client) {
  const bool bound = wanted == JoinTokens::kBoundOnly;
  engine::Operation operation{.name = "config-join-tokens",
                              .tag = "config",
                              .intent = {{"nodeBoundTokens", bound}},
                              .facts = {},
                              .steps = {}};
  if (facts.now == wanted && facts.has_blanket_rule != bound) {
    return operation;
  }
  if (bound) {
    operation.steps.push_back(ApproverStep(client));
  }
  operation.steps.push_back(RulesStep(wanted, client));
  return operation;
}

}  // namespace config_change
