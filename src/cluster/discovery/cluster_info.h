// SPDX-License-Identifier: Apache-2.0
// ConfigMap cluster-info: a kubeconfig that anybody may read, and signatures of it, one for each
// bootstrap token that may sign (KEP-130 "Token based discovery"; reference: pki.md §10).
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/fwd.h"
#include "kube/kubeconfig.h"
#include "pki/certificate.h"

namespace discovery {

// ClusterInfo is the ConfigMap kube-public/cluster-info: how to reach the cluster, signed with each
// bootstrap token, so that who knows a token can tell that it is genuine.
struct ClusterInfo {
  std::string kubeconfig;                           // the text that is signed
  std::map<std::string, std::string> signatures;    // by token id
  std::optional<std::chrono::sys_seconds> created;  // by the server's clock
  // The controller that signs has been at work: it signed, or took a signature away.
  bool signer_seen = false;

  // Read returns nothing when this is no such ConfigMap.
  static std::optional<ClusterInfo> Read(const json::Value& object);
};

// SignatureProblem is why the signature for the token's id is not one that its secret makes, which
// a missing one is not either; nothing when it is. The text never holds the secret.
std::optional<std::string> SignatureProblem(const ClusterInfo& info, std::string_view token);

// PublishedCas are the CA certificates in a kubeconfig's text that nobody vouches for yet: what
// follows each "certificate-authority-data", in YAML or JSON, found without reading either. Nothing
// of a text that is longer than any cluster's, or writes them in another way.
std::vector<pki::Certificate> PublishedCas(std::string_view kubeconfig);

// PublicCluster is the cluster that a discovery kubeconfig is about: the one without a name, as in
// cluster-info, else that of the current context. Throws base::Error(kInvalid) when there is none.
const kube::KubeconfigCluster& PublicCluster(const kube::Kubeconfig& config);

}  // namespace discovery
