// SPDX-License-Identifier: Apache-2.0
// Renewal of the kubelet's client certificate.
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

// The kubelet's identity in kubelet.conf.
struct KubeletClient {
  pki::Certificate certificate;
  // The file of certificate and key, which the kubelet rotates; empty: they are in kubelet.conf.
  host::fs::path file;

  std::string Node() const;  // its name in the cluster: the common name without "system:node:"
};

// Reads kubelet.conf. Throws base::Error(kInvalid) if the file has no client certificate, or if its
// certificate is not for a node user.
KubeletClient FindKubeletClient(const host::Files& files);

// Replaces the kubelet's certificate and key. Also restores the kubelet's link to a dated file in
// the same directory if a plain file has replaced the link.
void SaveKubeletClient(host::Files& files, const KubeletClient& client, const pki::KeyPair& pair);

// A request to the cluster for a kubelet's certificate.
struct CertificateRequest {
  pki::Subject subject;
  std::string name;  // of the CertificateSigningRequest
  kube::WaitOptions waiting;
  base::ShowLine say;
};
// Requests a certificate with the kubelet's present credentials, as the kubelet itself does before
// its certificate expires. Waits until the request is approved and signed. Throws base::Error:
// kForbidden if the request is denied or fails, kTimeout if it is not signed in time.
pki::KeyPair RequestKubeletCertificate(kube::Client& client, const CertificateRequest& request);

}  // namespace renewal
