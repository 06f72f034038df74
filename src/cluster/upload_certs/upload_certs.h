// SPDX-License-Identifier: Apache-2.0
// Certificates and keys that the nodes of a control plane share, encrypted, for two hours in the
// cluster (reference: phases.md §1.2, pki.md §9).
#pragma once

#include <chrono>
#include <string>

#include "certs/sharing.h"
#include "kube/client.h"

namespace upload_certs {

inline constexpr std::string_view kCertsSecret = "kubeadm-certs";
inline constexpr std::chrono::hours kCertsLifetime{2};

// UploadOptions of UploadCertificates.
struct UploadOptions {
  std::chrono::sys_seconds now;
  std::string token;  // a fresh "id.secret"; its Secret's expiry takes the certificates with it
};

// UploadCertificates writes a token Secret that expires, the Secret that it owns, and lets joining
// nodes read that.
void UploadCertificates(kube::Client& client, const certs::Sealed& files,
                        const UploadOptions& options);

// DownloadCertificates reads that Secret. Throws base::Error(kNotFound) when it is gone and
// (kForbidden) when this user may not read it, with what helps.
certs::Sealed DownloadCertificates(kube::Client& client);

}  // namespace upload_certs
