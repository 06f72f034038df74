// SPDX-License-Identifier: Apache-2.0
// Certificates and keys that control-plane nodes share, encrypted, for two hours in the cluster
// (reference: phases.md §1.2, pki.md §9).
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
  std::string token;  // a fresh "id.secret"; the certificates expire with its Secret
};

// Writes a token Secret that expires, the Secret that it owns, and lets joining nodes read that.
void UploadCertificates(kube::Client& client, const certs::Sealed& files,
                        const UploadOptions& options);

// Reads that Secret. Throws base::Error(kNotFound) if it is gone and (kForbidden) if this user may
// not read it, with the remedy.
certs::Sealed DownloadCertificates(kube::Client& client);

}  // namespace upload_certs
