// SPDX-License-Identifier: Apache-2.0
// ConfigMap cluster-info: a public kubeconfig, with one signature for each bootstrap token that may
// sign (KEP-130 "Token based discovery"; reference: pki.md §10).
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

// The ConfigMap kube-public/cluster-info: the access data of the cluster, signed with each
// bootstrap token, so that a client that knows a token can verify it.
struct ClusterInfo {
  std::string kubeconfig;                           // the signed text
  std::map<std::string, std::string> signatures;    // by token id
  std::optional<std::chrono::sys_seconds> created;  // by the server's clock
  // The signing controller has run: it added or removed a signature.
  bool signer_seen = false;

  // Returns std::nullopt for any other object.
  static std::optional<ClusterInfo> Read(const json::Value& object);
};

// Returns why the signature for the token's id does not match its secret, or is missing;
// std::nullopt if it matches. The message never contains the secret.
std::optional<std::string> SignatureProblem(const ClusterInfo& info, std::string_view token);

// Returns the unverified CA certificates in a kubeconfig: the data after each
// "certificate-authority-data", in YAML or JSON, found without parsing either. Returns an empty
// list if the document is longer than any cluster's, or has another form.
std::vector<pki::Certificate> PublishedCas(std::string_view kubeconfig);

// Returns the cluster of a discovery kubeconfig: the one without a name, as in cluster-info, else
// that of the current context. Throws base::Error(kInvalid) without one.
const kube::KubeconfigCluster& PublicCluster(const kube::Kubeconfig& config);

}  // namespace discovery
