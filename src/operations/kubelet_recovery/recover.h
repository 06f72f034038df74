// SPDX-License-Identifier: Apache-2.0
// A new client certificate for a kubelet whose own has expired or is lost. Its Pods keep running:
// only the kubelet is restarted.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/show_line.h"
#include "engine/step_context.h"
#include "host/host.h"
#include "kube/kubeconfig.h"
#include "kubelet_recovery/look.h"
#include "pki/certificate.h"

namespace kubelet_recovery {

// A bootstrap token and its server, as in a join.
struct TokenSource {
  std::string token;
  std::string endpoint;             // "host:port"; "": the server in kubelet.conf
  std::vector<std::string> hashes;  // pins of the CA; none: the CA on this node is valid
};

// Dependencies of a request for a certificate. References must outlive it.
struct Deps {
  host::Host& host;
  std::optional<TokenSource> source = {};  // not set: the key of the CA is on this node
  std::stop_token stop = {};
  base::ShowLine say;
};

// A certificate for the kubelet, and its cluster.
struct NewCredentials {
  pki::KeyPair pair;
  kube::KubeconfigCluster cluster;
};

// Returns whether this node can sign by itself.
bool HasCaKey(const host::Files& files);

// Gets one: signed by the CA here, or by the cluster for the token; its API server has accepted one
// from the cluster. Changes no files on this node. Throws base::Error(kInvalid) without a key and a
// token, or without a known server; and the errors of discovery and the request.
NewCredentials Issue(const Found& found, const Deps& deps);

// Writes kubelet.conf, and the CA's certificate if it is missing; the kubelet recreates the file of
// its own pair from kubelet.conf.
void Install(const Found& found, const NewCredentials& credentials, engine::StepContext& context);

// Restarts the kubelet and waits until it has renewed the Lease of this node. Then kubelet.conf
// names the kubelet's own pair. Throws base::Error with the end of the kubelet's log if it does not
// start.
void Restart(const std::string& node, engine::StepContext& context);

}  // namespace kubelet_recovery
