// SPDX-License-Identifier: Apache-2.0
#include "join_secrets/join_command.h"

#include <fmt/core.h>

#include "base/error.h"
#include "base/strings.h"
#include "pki/certificate.h"

namespace join_secrets {

JoinTarget JoinTargetOf(const kube::Kubeconfig& config) {
  const kube::KubeconfigCluster* cluster = config.PublicCluster();
  if (cluster == nullptr) {
    throw base::Error(base::Error::Kind::kInvalid,
                      "the kubeconfig names no cluster: " + config.NoClusterReason());
  }
  JoinTarget target{.endpoint = base::ReplaceAll(cluster->server, "https://", "")};
  for (const pki::Certificate& ca :
       pki::Certificate::ChainFromPem(cluster->certificate_authority_data)) {
    target.pins.push_back(pki::Pin(ca));
  }
  return target;
}

std::string WorkerJoinCommand(const JoinTarget& target, const std::string& token) {
  std::string command = fmt::format("kubeadm join {} --token {} \\\n\t", target.endpoint, token);
  for (const std::string& pin : target.pins) {
    command += fmt::format("--discovery-token-ca-cert-hash {} ", pin);
  }
  return command;
}

std::string ControlPlaneJoinCommand(const JoinTarget& target, const std::string& token,
                                    const std::optional<std::string>& certificate_key) {
  const std::string key = certificate_key ? "--certificate-key " + *certificate_key : "";
  return fmt::format("{}\\\n\t--control-plane {}", WorkerJoinCommand(target, token), key);
}

std::string OnOneLine(std::string command) {
  return base::ReplaceAll(base::ReplaceAll(std::move(command), "\\\n", ""), "\t", "");
}

}  // namespace join_secrets
