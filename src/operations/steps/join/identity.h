// SPDX-License-Identifier: Apache-2.0
// The login of a machine that joins by the proof of its identity, without a shared secret.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/duration.h"
#include "host/host.h"
#include "kube/kubeconfig.h"
#include "workflow/context.h"

namespace join_steps {

// The file with the machine's key and, once it is issued, its certificate: PEM, mode 0600. A join
// that is run again uses the same key, because the approver gives a second key no certificate until
// the Node exists. The last step of a join removes the file, `reset` removes it, too.
inline constexpr std::string_view kIdentityFile = "/var/lib/kubelet/pki/machine-identity.pem";

// The user's input.
struct IdentityProof {
  std::string document;  // the cloud's signed document; "": the machine has a TPM instead
  std::string endpoint;  // "host" or "host:port" of the approver; "": the API server's host
};

// Input of LoginByIdentity.
struct IdentityLogin {
  const IdentityProof& proof;
  const kube::KubeconfigCluster& cluster;  // discovered and verified
  const std::string& node;
  base::Duration limit = std::chrono::minutes(5);  // of the wait for the certificate
};

// Creates a key, requests the client certificate of the node from the approver's endpoint, and
// returns a kubeconfig with both. Uses the key and the certificate of an interrupted join if they
// are still valid. Throws the errors of machine_identity::RequestCertificate, and kInvalid for a
// malformed endpoint, or for a certificate that is not this machine's.
kube::Kubeconfig LoginByIdentity(const IdentityLogin& login, host::Host& host,
                                 workflow::Context& context);

}  // namespace join_steps
