// SPDX-License-Identifier: Apache-2.0
// The kubelet's own certificate, by which it is known to the API server, renewed before its time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/show_line.h"
#include "host/files.h"
#include "kube/client.h"
#include "kube/wait.h"
#include "pki/certificate.h"

namespace renewal {

// KubeletClient is what kubelet.conf says of the kubelet.
struct KubeletClient {
  pki::Certificate certificate;
  // The file of certificate and key, which the kubelet rotates; empty: kubelet.conf holds them.
  host::fs::path file;

  std::string Node() const;  // its name in the cluster: the common name without "system:node:"
};

// FindKubeletClient reads kubelet.conf. Throws base::Error when it has no client certificate, or
// not that of a node.
KubeletClient FindKubeletClient(const host::Files& files);

// SaveKubeletClient puts a new pair in the place of that one. A plain file in the place of the
// kubelet's own link becomes such a link, to a dated file beside it.
void SaveKubeletClient(host::Files& files, const KubeletClient& client, const pki::KeyPair& pair);

// Request of a certificate for a kubelet from the cluster.
struct CertificateRequest {
  pki::Subject subject;
  std::string name;  // of the CertificateSigningRequest
  kube::WaitOptions waiting;
  base::ShowLine say;
};
// RequestKubeletCertificate asks with the kubelet's present credentials, as the kubelet itself does
// when its certificate grows old, and waits until it is approved and signed. Throws base::Error
// when it is denied, fails or takes too long.
pki::KeyPair RequestKubeletCertificate(kube::Client& client, const CertificateRequest& request);

}  // namespace renewal
