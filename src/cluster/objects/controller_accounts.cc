// SPDX-License-Identifier: Apache-2.0
#include "objects/controller_accounts.h"

#include <array>

#include "kube/objects.h"
#include "releases/releases.h"
#include "static_pods/static_pod.h"

namespace objects {
namespace {

// The accounts that all releases create with their default feature gates, without a cloud provider.
constexpr std::array<std::string_view, 36> kAccounts = {
    "attachdetach-controller",
    "bootstrap-signer",
    "certificate-controller",
    "clusterrole-aggregation-controller",
    "cronjob-controller",
    "daemon-set-controller",
    "deployment-controller",
    "disruption-controller",
    "endpoint-controller",
    "endpointslice-controller",
    "endpointslicemirroring-controller",
    "ephemeral-volume-controller",
    "expand-controller",
    "generic-garbage-collector",
    "horizontal-pod-autoscaler",
    "job-controller",
    "legacy-service-account-token-cleaner",
    "namespace-controller",
    "node-controller",
    "persistent-volume-binder",
    "pod-garbage-collector",
    "pv-protection-controller",
    "pvc-protection-controller",
    "replicaset-controller",
    "replication-controller",
    "resource-claim-controller",
    "resourcequota-controller",
    "root-ca-cert-publisher",
    "service-account-controller",
    "service-cidrs-controller",
    "statefulset-controller",
    "token-cleaner",
    "ttl-after-finished-controller",
    "ttl-controller",
    "validatingadmissionpolicy-status-controller",
    "volumeattributesclass-protection-controller",
};

// The controllers that kubeadm's own manifest enables (reference: manifests.md).
constexpr std::string_view kControllers = "*,bootstrapsigner,tokencleaner";

bool RunsKubeadmsControllers(const json::Value& pod) {
  return static_pods::CommandArg(pod, "use-service-account-credentials") == "true" &&
         static_pods::CommandArg(pod, "controllers") == kControllers &&
         !static_pods::CommandArg(pod, "feature-gates");
}

}  // namespace

std::vector<std::string_view> ControllerAccounts(const json::Value& pod,
                                                 const base::Version& version) {
  if (!RunsKubeadmsControllers(pod)) {
    return {};
  }
  std::vector<std::string_view> names(kAccounts.begin(), kAccounts.end());
  if (releases::For(version).evicts_from_tainted_devices) {
    names.emplace_back("device-taint-eviction-controller");
  }
  return names;
}

void MakeControllerAccounts(kube::Client& client, const std::vector<std::string_view>& names) {
  for (const std::string_view name : names) {
    client.CreateOrRetain(kube::resources::kServiceAccount,
                          kube::ServiceAccount({kube::kSystemNamespace, name}));
  }
}

}  // namespace objects
