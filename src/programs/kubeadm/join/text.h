// SPDX-License-Identifier: Apache-2.0
// The text at the end of join.
#pragma once

#include <string>

namespace kubeadm {

enum class JoinedAs { kWorker, kControlPlane, kControlPlaneWithEtcd };

// Returns the text at the end of a successful join.
std::string JoinedText(JoinedAs role);

}  // namespace kubeadm
