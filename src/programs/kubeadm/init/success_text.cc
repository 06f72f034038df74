// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/init/success_text.h"

#include <fmt/core.h>

namespace kubeadm {
namespace {

// Scripts match the headings of these texts, and count lines from them (docs/interfaces.md).
constexpr std::string_view kStart = R"(
Your Kubernetes control-plane has initialized successfully!

To use the cluster as an ordinary user, run:

  mkdir -p $HOME/.kube
  sudo cp -i {0} $HOME/.kube/config
  sudo chown $(id -u):$(id -g) $HOME/.kube/config

or as root:

  export KUBECONFIG=/etc/kubernetes/admin.conf

The cluster needs a Pod network now. Apply one of those listed at
  https://kubernetes.io/docs/concepts/cluster-administration/addons/
with "kubectl apply -f [podnetwork].yaml".
)";

constexpr std::string_view kControlPlaneWithKey = R"(
You can now join any number of control-plane nodes running the following command on each as root:

  {0}

Please note that the certificate-key gives access to cluster sensitive data, keep it secret!
The uploaded certificates are deleted in two hours. To upload them again, run
"kubeadm init phase upload-certs --upload-certs".
)";

constexpr std::string_view kControlPlaneByHand = R"(
You can now join any number of control-plane nodes: copy the certificate authorities and the
service account keys to each, then run this there as root:

  {0}
)";

constexpr std::string_view kWorkers = R"(
Then you can join any number of worker nodes by running the following on each as root:

{0})";

constexpr std::string_view kBoundTokens = R"(
Nodes join with tokens that are bound to their name. For each node, create one, and run the
command that this prints on the node as root:

  kubeadm token create --node NODE-NAME --print-join-command{0}
)";

std::string BoundTokensText(const SuccessFacts& facts) {
  const bool key = facts.for_control_planes && facts.uploaded_certs && facts.certificate_key;
  return fmt::format(kBoundTokens,
                     key ? "\n\nor for a control-plane node:\n\n  kubeadm token create "
                           "--node NODE-NAME --print-join-command \\\n"
                           "\t--certificate-key " +
                               *facts.certificate_key
                         : "");
}

std::string ControlPlaneText(const SuccessFacts& facts) {
  if (!facts.for_control_planes) {
    return "";
  }
  const std::string command = join_secrets::ControlPlaneJoinCommand(
      facts.target, facts.token, facts.uploaded_certs ? facts.certificate_key : std::nullopt);
  return fmt::format(
      fmt::runtime(facts.uploaded_certs ? kControlPlaneWithKey : kControlPlaneByHand), command);
}

}  // namespace

std::string SuccessText(const SuccessFacts& facts) {
  if (facts.token.empty()) {
    return fmt::format(kStart, facts.admin_conf) + BoundTokensText(facts);
  }
  return fmt::format(kStart, facts.admin_conf) + ControlPlaneText(facts) +
         fmt::format(kWorkers, join_secrets::WorkerJoinCommand(facts.target, facts.token));
}

}  // namespace kubeadm
