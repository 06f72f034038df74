// SPDX-License-Identifier: Apache-2.0
// A new client certificate for a kubelet whose own has expired or is lost. Its Pods go on: nothing
// but the kubelet is restarted.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/show_line.h"
#include "host/host.h"
#include "kube/kubeconfig.h"
#include "kubelet_recovery/look.h"
#include "pki/certificate.h"

namespace kubelet_recovery {

// TokenSource is a bootstrap token and whom it is shown to, as a join has them.
struct TokenSource {
  std::string token;
  std::string endpoint;             // "host:port"; "": where kubelet.conf leads
  std::vector<std::string> hashes;  // pins of the CA; none: the CA on this node is the one
};

// Recovery is what acts. References outlive it.
struct Recovery {
  host::Host& host;
  std::optional<TokenSource> source = {};  // not set: the key of the CA is on this node
  std::stop_token stop = {};
  base::ShowLine say;
};

// NewCredentials is a certificate for the kubelet, and the cluster that it leads to.
struct NewCredentials {
  pki::KeyPair pair;
  kube::KubeconfigCluster cluster;
};

// HasCaKey tells whether this node can sign by itself.
bool HasCaKey(const host::Files& files);

// Issue gets one: signed by the CA here, or by the cluster for the token; one from the cluster has
// been accepted by its API server. Changes nothing on this node. Throws base::Error(kInvalid) when
// there is neither key nor token, or nothing says where the cluster is; and what discovery and the
// request throw.
NewCredentials Issue(const Found& found, const Recovery& recovery);

// Install copies what lies there to a directory below /etc/kubernetes/tmp, which it returns, and
// writes kubelet.conf; the kubelet makes the file of its own pair again from that.
host::fs::path Install(const Found& found, const NewCredentials& credentials,
                       const Recovery& recovery);

// Restart restarts the kubelet and waits until it has told the cluster that it lives, by its Lease.
// Then kubelet.conf names the kubelet's own pair. Throws base::Error with the end of the kubelet's
// log when it does not come up.
void Restart(const Found& found, const Recovery& recovery);

}  // namespace kubelet_recovery
