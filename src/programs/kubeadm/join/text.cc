// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/join/text.h"

namespace kubeadm {
namespace {

constexpr std::string_view kWorker = R"(
This node has joined the cluster:

* The cluster has signed a client certificate for the kubelet.
* The kubelet runs with its new identity.

Run 'kubectl get nodes' on a control-plane node to see it come up.
)";

constexpr std::string_view kControlPlane = R"(
This node has joined the cluster and a new control plane instance was created:

* The cluster has signed a client certificate for the kubelet.
* The kubelet runs with its new identity.
* The node has the label and the taint of the control plane.
* API server, controller manager and scheduler serve here.
)";

constexpr std::string_view kEtcd = "* A new member votes in the stacked etcd cluster.\n";

constexpr std::string_view kAdministrator = R"(
To administer the cluster from here as an ordinary user, run:

	mkdir -p $HOME/.kube
	sudo cp -i /etc/kubernetes/admin.conf $HOME/.kube/config
	sudo chown $(id -u):$(id -g) $HOME/.kube/config

Run 'kubectl get nodes' to see this node come up.
)";

}  // namespace

std::string JoinedText(JoinedAs role) {
  if (role == JoinedAs::kWorker) {
    return std::string(kWorker);
  }
  std::string text(kControlPlane);
  if (role == JoinedAs::kControlPlaneWithEtcd) {
    text += kEtcd;
  }
  return text + std::string(kAdministrator);
}

}  // namespace kubeadm
