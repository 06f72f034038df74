// SPDX-License-Identifier: Apache-2.0
// Issues a new client certificate for a kubelet whose certificate has expired or is lost. Restarts
// only the kubelet: its Pods keep running.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/show_line.h"
#include "engine/step_context.h"
#include "host/host.h"
#include "kube/kubeconfig.h"
#include "node_identity/recovery/look.h"
#include "pki/certificate.h"

namespace kubelet_recovery {

// A bootstrap token and its server, as in a join.
struct TokenSource {
  std::string token;
  std::string endpoint;             // "host:port"; "": the server in kubelet.conf
  std::vector<std::string> hashes;  // pins of the CA; empty: trust the CA on this node
};

// Dependencies of a request for a certificate. References must outlive it.
struct RecoveryDeps {
  host::Host& host;
  std::optional<TokenSource> source = {};  // not set: sign with the CA key on this node
  std::stop_token stop = {};
  base::ShowLine say;
};

// A certificate for the kubelet, and its cluster.
struct NewCredentials {
  pki::KeyPair pair;
  kube::KubeconfigCluster cluster;
};

// Returns whether the cluster's CA key is on this node.
bool HasCaKey(const host::Files& files);

// Issues a certificate. With `source`, requests the certificate from the cluster with the token,
// and checks that the API server accepts it. Without `source`, signs the certificate with the CA
// key on this node. Changes no files on this node. Throws base::Error(kInvalid) if there is neither
// a token nor a CA key, or if no server is known. Also throws the errors of discovery and of the
// request.
NewCredentials Issue(const Found& found, const RecoveryDeps& deps);

// Writes kubelet.conf, and the CA's certificate if it is missing. The kubelet recreates its own
// certificate file from kubelet.conf.
void Install(const Found& found, const NewCredentials& credentials, engine::StepContext& context);

// Restarts the kubelet and waits until it has renewed the Lease of this node. Then changes
// kubelet.conf to name the certificate file that the kubelet renews. Throws base::Error(kOther),
// with the end of the kubelet's log, if the kubelet does not start.
void Restart(const std::string& node, engine::StepContext& context);

}  // namespace kubelet_recovery
