// SPDX-License-Identifier: Apache-2.0
// ConfigMap cluster-info: a public kubeconfig and its signatures, one for each bootstrap token with
// usage "signing" (KEP-130 "Token based discovery"; reference: pki.md §10).
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

// The ConfigMap kube-public/cluster-info. A client that knows one of the tokens can verify the
// kubeconfig.
struct ClusterInfo {
  std::string kubeconfig;                           // the signed text
  std::map<std::string, std::string> signatures;    // by token id
  std::optional<std::chrono::sys_seconds> created;  // creationTimestamp: the server's clock
  // True if the signing controller has run: it has added or removed a signature.
  bool signer_seen = false;

  // Parses the ConfigMap. Returns std::nullopt if `object` is not cluster-info.
  static std::optional<ClusterInfo> Read(const json::Value& object);
};

// Returns a problem if cluster-info has no signature for the token, or one that does not match the
// token's secret. Returns std::nullopt if the signature matches. The message never contains the
// secret.
std::optional<std::string> SignatureProblem(const ClusterInfo& info, std::string_view token);

// Returns the CA certificates in a kubeconfig, without verifying them. Finds the data after each
// "certificate-authority-data" without parsing the YAML or JSON. Returns an empty list if the
// document is malformed or too long.
std::vector<pki::Certificate> PublishedCas(std::string_view kubeconfig);

// Returns the cluster of a discovery kubeconfig: the entry without a name, as in cluster-info, or
// else the cluster of the current context. Throws base::Error(kInvalid) if the kubeconfig has
// neither. `config` must outlive the result.
const kube::KubeconfigCluster& PublicCluster(const kube::Kubeconfig& config);

}  // namespace discovery
