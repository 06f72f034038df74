// SPDX-License-Identifier: Apache-2.0
// The files that control plane nodes share, and their sealed form in Secret
// kube-system/kubeadm-certs (reference: pki.md §8, §9).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/problems.h"
#include "config/types.h"
#include "host/clock.h"
#include "host/files.h"

namespace certs {

// NewCertificateKey is 32 random bytes in lower-case hex.
std::string NewCertificateKey(host::Random& random);
// ParseCertificateKey is the 32 bytes. Throws base::Error(kInvalid).
std::string ParseCertificateKey(std::string_view hex);

// SharedFile is an entry of the Secret, a literal, and where its content lies on a node.
struct SharedFile {
  std::string_view entry;  // "etcd-ca.crt"
  host::fs::path path;
};
// SharedFiles lists the CAs and the service account key; of an external etcd the configured CA,
// certificate and key instead of its CA.
std::vector<SharedFile> SharedFiles(const config::ClusterConfiguration& cluster);

// Sealed is the Secret's data before base64; nothing for a file that does not exist.
using Sealed = std::map<std::string, std::optional<std::string>, std::less<>>;

// SealSharedFiles encrypts each file by itself (AES-256-GCM) with a key of 32 bytes.
Sealed SealSharedFiles(const host::Files& files, const config::ClusterConfiguration& cluster,
                       std::string_view key);

// OpenSharedFiles decrypts and writes them over what is there: private keys with mode 0600, public
// keys and certificates with 0644; an empty entry is skipped. Throws base::Error(kNotFound) for
// an entry that is missing, kInvalid for one that cannot be decrypted or is neither key nor
// certificate; then nothing was written.
void OpenSharedFiles(host::Files& files, const config::ClusterConfiguration& cluster,
                     const Sealed& sealed, std::string_view key);

// MissingSharedFiles says what a node lacks that joins the control plane without downloading: each
// CA's certificate, the service account key pair. A CA's key may be elsewhere, which is warned of.
base::Problems MissingSharedFiles(const host::Files& files,
                                  const config::ClusterConfiguration& cluster);

}  // namespace certs
