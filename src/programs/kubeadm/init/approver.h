// SPDX-License-Identifier: Apache-2.0
// Kubelets' serving certificates from the cluster's CA: `init --kubelet-serving-certs`.
#pragma once

#include "kubeadm/init/data.h"
#include "kubeadm/init/phases.h"

namespace kubeadm {

// RefuseApproverWithoutSigner throws base::Error(kInvalid) when an approver is asked for where
// nothing could sign what it approves: the CA's key stays elsewhere.
void RefuseApproverWithoutSigner(const InitData& data);

// ApproverPhase installs it. It has no command and no line in help, which are upstream's; a file
// with an ExtensionConfiguration switches it on for `init phase addon all`.
InitPhase ApproverPhase();

}  // namespace kubeadm
