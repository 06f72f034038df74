// SPDX-License-Identifier: Apache-2.0
#include "withdrawal/operation.h"

#include <fmt/core.h>

#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "join_secrets/tokens.h"
#include "json/rfc3339.h"
#include "node_identities/cluster.h"
#include "node_identities/withdrawn_policy.h"

namespace withdrawal {
namespace {

using base::Error;
using engine::Step;
using engine::StepContext;
using node_identities::TokenBinding;
using node_identities::Withdrawal;

// The time for each API server to load the new admission policy.
constexpr std::chrono::minutes kEnforcement{1};

json::Value IntentOf(const std::string& node) { return {{"node", node}}; }

std::string UserOf(const std::string& node) { return "system:node:" + node; }

std::string EndText(const WithdrawalFacts& facts) {
  return json::FormatRfc3339(facts.now + facts.validity);
}

// Deletes an object. Has no effect if the object does not exist.
void DeleteIfThere(kube::Client& client, const kube::ObjectKey& key) {
  client.Retry("", [&] {
    kube::Found([&] {
      client.Delete(key);
      return true;
    });
  });
}

Step RefusalStep(const WithdrawalFacts& facts, const WithdrawalDeps& deps) {
  return {.id = "refuse",
          .line = fmt::format("the API server and the approver refuse node {} until it is admitted "
                              "again",
                              facts.node),
          .where = engine::Where::kCluster,
          .apply = [client = deps.client,
                    withdrawal = Withdrawal{.node = facts.node, .since = facts.now},
                    refused = RefusalProbe(deps.client, deps.as_node, facts.node, facts.addresses)](
                       StepContext& context) {
            node_identities::StoreWithdrawal(*client, withdrawal);
            node_identities::ApplyWithdrawnPolicy(*client);
            // The Node is deleted only after this wait, because otherwise the node would register
            // again.
            base::WithContext("API servers do not refuse the node", [&] {
              kube::WaitUntil(refused, {.clock = context.host().clock,
                                        .first = std::chrono::milliseconds(100),
                                        .most = std::chrono::milliseconds(500),
                                        .limit = kEnforcement,
                                        .stop = context.Stop(),
                                        .culprit = {}});
            });
          }};
}

Step TokensStep(const WithdrawalFacts& facts, const WithdrawalDeps& deps) {
  std::vector<std::string> ids;
  std::vector<std::string> keys;
  for (const TokenBinding& binding : facts.bindings) {
    ids.push_back(binding.token_id);
    keys.push_back(KeyOf(binding));
  }
  return {.id = "tokens",
          .line = fmt::format("tokens that are bound to it end: {}", base::Join(ids, ", ")),
          .where = engine::Where::kCluster,
          .apply = [client = deps.client, ids, keys](StepContext&) {
            for (const std::string& id : ids) {
              DeleteIfThere(*client, {kube::resources::kSecret, "kube-system",
                                      join_secrets::TokenSecretName(id)});
            }
            node_identities::RemoveEntries(*client, keys);
          }};
}

// Deletes the node's pending requests, because an administrator could approve them after the policy
// is removed.
void DeletePendingRequests(kube::Client& client, const std::string& user) {
  std::vector<std::string> names;
  client.ForEach(kube::resources::kCsr, "", [&](const json::Value& csr) {
    const bool pending = json::At(csr, {"status", "conditions"}).empty();
    if (!pending || json::TextAt(csr, {"spec", "username"}) != user) {
      return std::size_t{0};
    }
    names.push_back(json::TextAt(csr, {"metadata", "name"}));
    return names.back().size();
  });
  for (const std::string& name : names) {
    DeleteIfThere(client, {kube::resources::kCsr, "", name});
  }
}

Step NodeStep(const WithdrawalFacts& facts, const WithdrawalDeps& deps) {
  return {.id = "node",
          .line = "its Node object is deleted, and its Pods with it",
          .where = engine::Where::kCluster,
          .apply = [client = deps.client, node = facts.node](StepContext&) {
            DeleteIfThere(*client, {kube::resources::kNode, "", node});
            DeletePendingRequests(*client, UserOf(node));
          }};
}

}  // namespace

std::string ToString(const WithdrawalFacts& facts) {
  std::string text = fmt::format(
      "Certificates of node {} that exist stay valid until {} at the latest: nothing revokes them\n"
      "  what they still allow: reading Services and the configuration of kubelets\n"
      "  what the API server refuses to them: Secrets and Pods of other nodes, and to create a "
      "Node, a Pod, a Lease, a request for a certificate or a ServiceAccount's token\n"
      "  clients that trust the cluster's CA accept its serving certificate for its own name and "
      "addresses\n",
      facts.node, EndText(facts));
  if (facts.control_plane || facts.member) {
    text +=
        "  it is a control-plane node: its disk has the keys of the CAs and administrators' "
        "kubeconfigs, which allow everything until the CAs are replaced\n";
  }
  return text;
}

void RequireAllowed(const WithdrawalFacts& facts) {
  if (facts.member && facts.member->member) {
    etcd_maintenance::RequireAllowed(*facts.member);
  }
}

engine::Operation PlanWithdrawal(const WithdrawalFacts& facts, const WithdrawalDeps& deps) {
  engine::Operation operation{.name = std::string(kOperation),
                              .tag = "withdraw",
                              .intent = IntentOf(facts.node),
                              .facts = json::Value::object(),
                              .steps = {}};
  operation.steps.push_back(RefusalStep(facts, deps));
  if (!facts.bindings.empty()) {
    operation.steps.push_back(TokensStep(facts, deps));
  }
  if (facts.member && facts.member->member) {
    for (Step& step :
         etcd_maintenance::RemoveOperation(*facts.member, facts.node, deps.etcd).steps) {
      step.id = "etcd-member";
      operation.steps.push_back(std::move(step));
    }
  }
  operation.steps.push_back(NodeStep(facts, deps));
  return operation;
}

std::vector<std::string> StepsAfter(const WithdrawalFacts& facts) {
  std::vector<std::string> lines = {fmt::format(
      "Node {0} is withdrawn; 'kubeadm node admit {0}' admits its name again", facts.node)};
  if (facts.control_plane || facts.member) {
    lines.emplace_back(
        "Replace the CAs, whose keys the node has: 'kubeadm certs rotate-ca', and the "
        "ServiceAccounts' key");
  }
  if (!facts.only_bound_tokens) {
    lines.emplace_back(
        "Any bootstrap token that is valid can still join under this name: see 'kubeadm token "
        "list', and docs/joining.md for tokens bound to a node");
  }
  return lines;
}

std::optional<engine::Journal> FindInterrupted(const host::Files& files, const std::string& node) {
  std::optional<engine::Journal> journal = engine::LoadJournal(files, kOperation);
  return journal && journal->intent == IntentOf(node) ? journal : std::nullopt;
}

engine::Operation PlanAdmission(const std::string& node,
                                const std::shared_ptr<kube::Client>& client) {
  const node_identities::Identities identities = node_identities::FetchIdentities(*client);
  const Withdrawal* withdrawal = identities.FindWithdrawal(node);
  if (withdrawal == nullptr) {
    throw Error(Error::Kind::kNotFound,
                fmt::format("node {} was not withdrawn", base::Quoted(node)));
  }
  return {.name = "node-admit",
          .tag = "admit",
          .intent = IntentOf(node),
          .facts = {},
          .steps = {{.id = "admit",
                     .line = fmt::format("node {} may join again; it was withdrawn at {}", node,
                                         json::FormatRfc3339(withdrawal->since)),
                     .where = engine::Where::kCluster,
                     .apply = [client, key = KeyOf(*withdrawal)](StepContext&) {
                       node_identities::RemoveEntries(*client, {key});
                     }}}};
}

}  // namespace withdrawal
