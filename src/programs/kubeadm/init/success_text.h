// SPDX-License-Identifier: Apache-2.0
// What a user reads when init is done.
#pragma once

#include <optional>
#include <string>

#include "tokens/join_command.h"

namespace kubeadm {

struct SuccessFacts {
  std::string admin_conf;  // where it lies
  tokens::JoinTarget target;
  bool for_control_planes = false;  // others can join the control plane: there is an endpoint
  bool uploaded_certs = false;
  std::optional<std::string> certificate_key;
  std::string token;
};

// SuccessText says how to use the cluster and how other machines join it. Scripts cut the join
// commands out by their first words.
std::string SuccessText(const SuccessFacts& facts);

}  // namespace kubeadm
