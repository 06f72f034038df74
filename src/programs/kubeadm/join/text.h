// SPDX-License-Identifier: Apache-2.0
// What a user reads when join is done.
#pragma once

#include <string>

namespace kubeadm {

enum class JoinedAs { kWorker, kControlPlane, kControlPlaneWithEtcd };

// JoinedText ends a successful join.
std::string JoinedText(JoinedAs role);

}  // namespace kubeadm
