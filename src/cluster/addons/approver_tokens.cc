// SPDX-License-Identifier: Apache-2.0
#include "addons/approver_tokens.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <string>

#include "addons/apply.h"
#include "base/error.h"
#include "base/strings.h"
#include "json/value.h"
#include "kube/objects.h"
#include "kube/wait.h"
#include "node_identities/identities.h"
#include "objects/rbac.h"

namespace addons {
namespace {

using kube::kSystemNamespace;

constexpr std::string_view kApproverName = "machine-approver";
constexpr std::string_view kRuleName = "kubeadm:machine-approver:tokens";
constexpr std::string_view kUsedEntries = "cluster-machine-approver-used";
constexpr std::string_view kInventory = "--inventory=";
constexpr std::string_view kTokens = "tokens";
constexpr std::chrono::milliseconds kMostPause{1'000};

// The permissions that the inventory `tokens` needs. The approver may approve client certificates,
// read the bindings of tokens, and record used tokens. It may also read the rule kBlanketRule,
// because that rule would make the bindings ineffective.
const std::vector<objects::RbacRow>& TokenRbacRows() {
  static const objects::Subject account{
      .kind = "ServiceAccount", .name = kApproverName, .name_space = kSystemNamespace};
  static const std::vector<objects::RbacRow> rows = {
      {.name = kRuleName,
       .rules = {{.groups = {"certificates.k8s.io"},
                  .resources = {"signers"},
                  .names = {"kubernetes.io/kube-apiserver-client-kubelet"},
                  .verbs = {"approve"}},
                 {.groups = {"rbac.authorization.k8s.io"},
                  .resources = {"clusterrolebindings"},
                  .names = {node_identities::kBlanketRule},
                  .verbs = {"list", "watch"}}}},
      {.name = kRuleName, .role = kRuleName, .subjects = {account}},
      {.name = kRuleName,
       .name_space = kSystemNamespace,
       .rules = {{.groups = {""},
                  .resources = {"configmaps"},
                  .names = {node_identities::kMapName},
                  .verbs = {"get", "list", "watch"}},
                 {.groups = {""},
                  .resources = {"configmaps"},
                  .names = {kUsedEntries},
                  .verbs = {"get", "update"}}}},
      {.name = kRuleName, .name_space = kSystemNamespace, .role = kRuleName, .subjects = {account}},
  };
  return rows;
}

json::Value UsedEntries() { return kube::ConfigMap({kSystemNamespace, kUsedEntries}, {}); }

kube::ObjectKey DeploymentKey() {
  return {kube::resources::kDeployment, kSystemNamespace, kApproverName};
}

// Adds the inventory to the arguments, or removes it; returns whether that changed them.
bool SetTokens(json::Value& deployment, bool wanted) {
  json::Value& args = deployment["spec"]["template"]["spec"]["containers"][0]["args"];
  for (json::Value& arg : args) {
    const std::string text = arg.is_string() ? arg.get<std::string>() : "";
    if (!text.starts_with(kInventory)) {
      continue;
    }
    std::vector<std::string> names = base::Split(text.substr(kInventory.size()), ',');
    const bool has = std::ranges::contains(names, kTokens);
    if (has == wanted) {
      return false;
    }
    if (wanted) {
      names.emplace_back(kTokens);
    } else {
      std::erase(names, kTokens);
    }
    arg = std::string(kInventory) + base::Join(names, ",");
    return true;
  }
  throw base::Error(
      base::Error::Kind::kInvalid,
      fmt::format("Deployment kube-system/{} has no argument {}", kApproverName, kInventory));
}

std::int64_t NumberAt(const json::Value& object, std::initializer_list<std::string_view> path) {
  const json::Value& value = json::At(object, path);
  return value.is_number_integer() ? value.get<std::int64_t>() : 0;
}

// Returns why the Deployment's Pods are not all new and available; std::nullopt if they are.
std::optional<kube::NotYet> Unfinished(const json::Value& deployment) {
  const std::int64_t wanted = NumberAt(deployment, {"spec", "replicas"});
  const std::int64_t updated = NumberAt(deployment, {"status", "updatedReplicas"});
  const std::int64_t available = NumberAt(deployment, {"status", "availableReplicas"});
  const bool seen = NumberAt(deployment, {"status", "observedGeneration"}) >=
                    NumberAt(deployment, {"metadata", "generation"});
  if (seen && updated == wanted && available == wanted) {
    return std::nullopt;
  }
  return kube::NotYet{fmt::format("of {} Pods of Deployment kube-system/{}, {} are available",
                                  wanted, kApproverName, seen ? std::min(updated, available) : 0)};
}

}  // namespace

std::vector<json::Value> ApproverTokenObjects() {
  std::vector<json::Value> objects;
  for (const objects::RbacRow& row : TokenRbacRows()) {
    objects.push_back(objects::ObjectOf(row));
  }
  objects.push_back(UsedEntries());
  return objects;
}

void GiveApproverTokens(kube::Client& client, const RolloutWait& wait) {
  if (!client.Find(DeploymentKey())) {
    throw base::Error(base::Error::Kind::kNotFound,
                      fmt::format("no Deployment kube-system/{} exists: bound tokens need the "
                                  "approver that 'kubeadm init --kubelet-serving-certs' installs",
                                  kApproverName));
  }
  ApplyManifests(client, ApproverTokenObjects());
  client.Retry("", [&] {
    json::Value deployment = client.Get(DeploymentKey());
    if (SetTokens(deployment, true)) {
      client.Update(kube::resources::kDeployment, deployment);
    }
  });
  kube::WaitUntil(kube::PatientProbe([&](const std::stop_token&) {
                    return Unfinished(client.Get(DeploymentKey()));
                  }),
                  {.clock = wait.clock,
                   .most = kMostPause,
                   .limit = wait.patience,
                   .stop = wait.stop,
                   .culprit = {}});
}

void TakeApproverTokens(kube::Client& client) {
  client.Retry("", [&] {
    std::optional<json::Value> deployment = client.Find(DeploymentKey());
    if (deployment && SetTokens(*deployment, false)) {
      client.Update(kube::resources::kDeployment, *deployment);
    }
  });
}

}  // namespace addons
