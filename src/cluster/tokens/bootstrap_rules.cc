// SPDX-License-Identifier: Apache-2.0
#include "tokens/bootstrap_rules.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "tokens/cluster_info.h"

namespace tokens {
namespace {

constexpr std::array kRules = {
    BootstrapRule::kGetNodes, BootstrapRule::kPostCsrs, BootstrapRule::kApproveBootstrapCsrs,
    BootstrapRule::kApproveRotationCsrs, BootstrapRule::kApiServerKubeletClient};

const rbac::Subject kBootstrappers{.kind = "Group", .name = rbac::kBootstrappersGroup};

const std::map<BootstrapRule, std::vector<rbac::RbacRow>>& Table() {
  static const std::map<BootstrapRule, std::vector<rbac::RbacRow>> table = {
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
         .subjects = {{.kind = "Group", .name = rbac::kNodesGroup}}}}},
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

std::vector<rbac::RbacRow> BootstrapRows(const releases::Release& release) {
  std::vector<rbac::RbacRow> rows = ClusterInfoRows();
  for (const BootstrapRule rule : BootstrapRules(release)) {
    std::ranges::copy(Table().at(rule), std::back_inserter(rows));
  }
  return rows;
}

void ApplyBootstrapRule(kube::Client& client, BootstrapRule rule) {
  rbac::ApplyRbac(client, Table().at(rule));
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

}  // namespace tokens
