// SPDX-License-Identifier: Apache-2.0
// The text at the end of init.
#pragma once

#include <optional>
#include <string>

#include "join_secrets/join_command.h"

namespace kubeadm {

struct SuccessFacts {
  std::string admin_conf;  // path of admin.conf
  join_secrets::JoinTarget target;
  // True if an endpoint is configured, so that other nodes can join the control plane.
  bool for_control_planes = false;
  bool uploaded_certs = false;
  std::optional<std::string> certificate_key;
  // The bootstrap token. "" if only bound tokens are allowed and none exists yet.
  std::string token;
};

// Returns instructions to use the cluster and to join other machines. The first words of the join
// commands must not change, because scripts search for these words.
std::string SuccessText(const SuccessFacts& facts);

}  // namespace kubeadm
