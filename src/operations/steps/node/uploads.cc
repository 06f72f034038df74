// SPDX-License-Identifier: Apache-2.0
// Steps that store configurations in the cluster.
#include "steps/node/steps.h"
#include "stored_config/upload.h"

namespace node_steps {

void UploadKubeadmConfig(NodeData& data, workflow::Context& context) {
  context.Print(
      "[upload-config] Storing the configuration in ConfigMap \"kubeadm-config\" of namespace "
      "\"kube-system\"");
  stored_config::UploadKubeadmConfig(data.Client(context), data.config.cluster);
}

void UploadKubeletConfig(NodeData& data, workflow::Context& context) {
  context.Print(
      "[kubelet] Storing the kubelets' configuration in ConfigMap \"kubelet-config\" of namespace "
      "\"kube-system\"");
  stored_config::UploadKubeletConfig(data.Client(context), data.config.cluster.kubelet);
}

}  // namespace node_steps
