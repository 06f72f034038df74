// SPDX-License-Identifier: Apache-2.0
// The text at the end of init.
#pragma once

#include <optional>
#include <string>

#include "join_secrets/join_command.h"

namespace kubeadm {

struct SuccessFacts {
  std::string admin_conf;  // its path
  join_secrets::JoinTarget target;
  bool for_control_planes = false;  // others can join the control plane: an endpoint is configured
  bool uploaded_certs = false;
  std::optional<std::string> certificate_key;
  std::string token;  // "": nodes join with bound tokens, of which none exists yet
};

// Returns instructions to use the cluster and to join other machines. The first words of the join
// commands must not change, because scripts search for them.
std::string SuccessText(const SuccessFacts& facts);

}  // namespace kubeadm
