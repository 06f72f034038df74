// SPDX-License-Identifier: Apache-2.0
#include "join_secrets/bootstrap_rules.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "join_secrets/cluster_info.h"
#include "kube/objects.h"
#include "node_identities/cluster.h"

namespace join_secrets {
namespace {

constexpr std::array kRules = {BootstrapRule::kGetNodes,
                               BootstrapRule::kPostCsrs,
                               BootstrapRule::kApproveBootstrapCsrs,
                               BootstrapRule::kBoundTokens,
                               BootstrapRule::kApproveRotationCsrs,
                               BootstrapRule::kApiServerKubeletClient};

const objects::Subject kBootstrappers{.kind = "Group", .name = objects::kBootstrappersGroup};
const objects::Subject kBound{.kind = "Group", .name = node_identities::kBoundTokenGroup};

// The bindings for the group of bound tokens. The bindings are separate objects, because other
// builds of kubeadm overwrite the bindings of the default group, and would remove this group. Each
// Role is created with the object that it allows to read. The Role for kubeadm-certs therefore
// exists only as long as that Secret.
std::vector<objects::RbacRow> BoundTokenRows() {
  std::vector<objects::RbacRow> rows = {{.name = "kubeadm:node-bound-tokens:get-nodes",
                                         .role = "kubeadm:get-nodes",
                                         .subjects = {kBound}},
                                        {.name = "kubeadm:node-bound-tokens:kubelet-bootstrap",
                                         .role = "system:node-bootstrapper",
                                         .subjects = {kBound}}};
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kReads = {
      {{"kubeadm:node-bound-tokens:kubeadm-config", "kubeadm:nodes-kubeadm-config"},
       {"kubeadm:node-bound-tokens:kubelet-config", "kubeadm:kubelet-config"},
       {"kubeadm:node-bound-tokens:kube-proxy", "kube-proxy"},
       {"kubeadm:node-bound-tokens:kubeadm-certs", "kubeadm:kubeadm-certs"}}};
  for (const auto& [name, role] : kReads) {
    rows.push_back(
        {.name = name, .name_space = kube::kSystemNamespace, .role = role, .subjects = {kBound}});
  }
  return rows;
}

const std::map<BootstrapRule, std::vector<objects::RbacRow>>& Table() {
  static const std::map<BootstrapRule, std::vector<objects::RbacRow>> table = {
      {BootstrapRule::kGetNodes,
       {{.name = "kubeadm:get-nodes",
         .rules = {{.groups = {""}, .resources = {"nodes"}, .verbs = {"get"}}}},
        {.name = "kubeadm:get-nodes", .role = "kubeadm:get-nodes", .subjects = {kBootstrappers}}}},
      {BootstrapRule::kPostCsrs,
       {{.name = "kubeadm:kubelet-bootstrap",
         .role = "system:node-bootstrapper",
         .subjects = {kBootstrappers}}}},
      {BootstrapRule::kApproveBootstrapCsrs,
       {{.name = node_identities::kBlanketRule,
         .role = "system:certificates.k8s.io:certificatesigningrequests:nodeclient",
         .subjects = {kBootstrappers}}}},
      {BootstrapRule::kBoundTokens, BoundTokenRows()},
      {BootstrapRule::kApproveRotationCsrs,
       {{.name = "kubeadm:node-autoapprove-certificate-rotation",
         .role = "system:certificates.k8s.io:certificatesigningrequests:selfnodeclient",
         .subjects = {{.kind = "Group", .name = objects::kNodesGroup}}}}},
      {BootstrapRule::kApiServerKubeletClient,
       {{.name = "kubeadm:apiserver-kubelet-client",
         .role = "system:kubelet-api-admin",
         .subjects = {{.kind = "User", .name = "kube-apiserver-kubelet-client"}}}}},
  };
  return table;
}

void RemoveBlanketRule(kube::Client& client) {
  client.Retry("", [&] {
    kube::Found([&] {
      client.Delete({kube::resources::kClusterRoleBinding, "", node_identities::kBlanketRule});
      return true;
    });
  });
}

}  // namespace

std::vector<BootstrapRule> BootstrapRules(const releases::Release& release, JoinTokens tokens) {
  std::vector<BootstrapRule> rules(kRules.begin(), kRules.end());
  std::erase(rules, tokens == JoinTokens::kAll ? BootstrapRule::kBoundTokens
                                               : BootstrapRule::kApproveBootstrapCsrs);
  if (!release.kubelet_client_group.empty()) {
    std::erase(rules, BootstrapRule::kApiServerKubeletClient);
  }
  return rules;
}

std::vector<objects::RbacRow> BootstrapRows(const releases::Release& release, JoinTokens tokens) {
  std::vector<objects::RbacRow> rows = ClusterInfoRows();
  for (const BootstrapRule rule : BootstrapRules(release, tokens)) {
    std::ranges::copy(Table().at(rule), std::back_inserter(rows));
  }
  return rows;
}

void ApplyBootstrapRule(kube::Client& client, BootstrapRule rule) {
  objects::ApplyRbac(client, Table().at(rule));
}

JoinTokens FetchJoinTokens(kube::Client& client) {
  return node_identities::FetchIdentities(client).only_bound_tokens ? JoinTokens::kBoundOnly
                                                                    : JoinTokens::kAll;
}

void ApplyJoinTokens(kube::Client& client, JoinTokens tokens) {
  const bool bound = tokens == JoinTokens::kBoundOnly;
  node_identities::StoreOnlyBoundTokens(client, bound);
  ApplyBootstrapRule(client,
                     bound ? BootstrapRule::kBoundTokens : BootstrapRule::kApproveBootstrapCsrs);
  if (bound) {
    RemoveBlanketRule(client);
  }
}

void RenewBootstrapRules(kube::Client& client, const releases::Release& release,
                         JoinTokens tokens) {
  std::vector<std::string> problems;
  const auto attempt = [&](const auto& apply) {
    try {
      apply();
    } catch (const base::Error& error) {
      problems.push_back(error.message());
    }
  };
  for (const BootstrapRule rule : BootstrapRules(release, tokens)) {
    attempt([&] { ApplyBootstrapRule(client, rule); });
  }
  if (tokens == JoinTokens::kBoundOnly) {
    attempt([&] { RemoveBlanketRule(client); });
  }
  attempt([&] { ApplyClusterInfoRbac(client); });
  if (!problems.empty()) {
    throw base::Error(base::Join(problems, "; "));
  }
}

}  // namespace join_secrets
