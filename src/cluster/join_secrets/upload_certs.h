// SPDX-License-Identifier: Apache-2.0
// Secret kubeadm-certs: the certificates and keys that control-plane nodes share, encrypted, for
// two hours (reference: phases.md §1.2, pki.md §9).
#pragma once

#include <chrono>
#include <string>

#include "certs/sharing.h"
#include "kube/client.h"

namespace join_secrets {

inline constexpr std::string_view kCertsSecret = "kubeadm-certs";
inline constexpr std::chrono::hours kCertsLifetime{2};

// Options of UploadCertificates.
struct UploadOptions {
  std::chrono::sys_seconds now;
  // A new token, "id.secret". Its Secret owns the Secret with the certificates.
  std::string token;
};

// Uploads the encrypted files as Secret kubeadm-certs. An expiring token Secret owns kubeadm-certs,
// so that both are deleted together. Allows joining nodes to read kubeadm-certs. Throws the errors
// of kube::Client.
void UploadCertificates(kube::Client& client, const certs::Sealed& files,
                        const UploadOptions& options);

// Downloads the encrypted files. Throws base::Error(kNotFound) if Secret kubeadm-certs does not
// exist, and base::Error(kForbidden) if the user may not read it. Both errors contain the remedy.
certs::Sealed DownloadCertificates(kube::Client& client);

}  // namespace join_secrets
