// SPDX-License-Identifier: Apache-2.0
#include "join_secrets/bootstrap_rules.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "join_secrets/cluster_info.h"

namespace join_secrets {
namespace {

constexpr std::array kRules = {
    BootstrapRule::kGetNodes, BootstrapRule::kPostCsrs, BootstrapRule::kApproveBootstrapCsrs,
    BootstrapRule::kApproveRotationCsrs, BootstrapRule::kApiServerKubeletClient};

const objects::Subject kBootstrappers{.kind = "Group", .name = objects::kBootstrappersGroup};

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
       {{.name = "kubeadm:node-autoapprove-bootstrap",
         .role = "system:certificates.k8s.io:certificatesigningrequests:nodeclient",
         .subjects = {kBootstrappers}}}},
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

}  // namespace

std::span<const BootstrapRule> BootstrapRules(const releases::Release& release) {
  const std::span<const BootstrapRule> all(kRules);
  return release.kubelet_client_group.empty() ? all : all.first(all.size() - 1);
}

std::vector<objects::RbacRow> BootstrapRows(const releases::Release& release) {
  std::vector<objects::RbacRow> rows = ClusterInfoRows();
  for (const BootstrapRule rule : BootstrapRules(release)) {
    std::ranges::copy(Table().at(rule), std::back_inserter(rows));
  }
  return rows;
}

void ApplyBootstrapRule(kube::Client& client, BootstrapRule rule) {
  objects::ApplyRbac(client, Table().at(rule));
}

void RenewBootstrapRules(kube::Client& client, const releases::Release& release) {
  std::vector<std::string> problems;
  const auto attempt = [&](const auto& apply) {
    try {
      apply();
    } catch (const base::Error& error) {
      problems.push_back(error.message());
    }
  };
  for (const BootstrapRule rule : BootstrapRules(release)) {
    attempt([&] { ApplyBootstrapRule(client, rule); });
  }
  attempt([&] { ApplyClusterInfoRbac(client); });
  if (!problems.empty()) {
    throw base::Error(base::Join(problems, "; "));
  }
}

}  // namespace join_secrets
