#include "controller_accounts/controller_accounts.h"

#include <array>

#include "kube/objects.h"
#include "static_pods/static_pod.h"

namespace controller_accounts {
namespace {

struct Account {
  std::string_view name;
  int since = 0;  // minor version of Kubernetes 1.x; 0: all that this program knows
};

// What versions 1.35 and 1.36 make with their default feature gates, without a cloud provider.
constexpr std::array kAccounts = {
    Account{"attachdetach-controller"},
    Account{"bootstrap-signer"},
    Account{"certificate-controller"},
    Account{"clusterrole-aggregation-controller"},
    Account{"cronjob-controller"},
    Account{"daemon-set-controller"},
    Account{"deployment-controller"},
    Account{"device-taint-eviction-controller", 36},
    Account{"disruption-controller"},
    Account{"endpoint-controller"},
    Account{"endpointslice-controller"},
    Account{"endpointslicemirroring-controller"},
    Account{"ephemeral-volume-controller"},
    Account{"expand-controller"},
    Account{"generic-garbage-collector"},
    Account{"horizontal-pod-autoscaler"},
    Account{"job-controller"},
    Account{"legacy-service-account-token-cleaner"},
    Account{"namespace-controller"},
    Account{"node-controller"},
    Account{"persistent-volume-binder"},
    Account{"pod-garbage-collector"},
    Account{"pv-protection-controller"},
    Account{"pvc-protection-controller"},
    Account{"replicaset-controller"},
    Account{"replication-controller"},
    Account{"resource-claim-controller"},
    Account{"resourcequota-controller"},
    Account{"root-ca-cert-publisher"},
    Account{"service-account-controller"},
    Account{"service-cidrs-controller"},
    Account{"statefulset-controller"},
    Account{"token-cleaner"},
    Account{"ttl-after-finished-controller"},
    Account{"ttl-controller"},
    Account{"validatingadmissionpolicy-status-controller"},
    Account{"volumeattributesclass-protection-controller"},
};

// The controllers that kubeadm's own manifest asks for (reference: manifests.md).
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
  std::vector<std::string_view> names;
  for (const Account& account : kAccounts) {
    if (version.minor >= account.since) {
      names.push_back(account.name);
    }
  }
  return names;
}

void MakeControllerAccounts(kube::Client& client, const std::vector<std::string_view>& names) {
  for (const std::string_view name : names) {
    client.CreateOrRetain(kube::resources::kServiceAccount,
                          kube::ServiceAccount({kube::kSystemNamespace, name}));
  }
}

}  // namespace controller_accounts
