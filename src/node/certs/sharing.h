// SPDX-License-Identifier: Apache-2.0
// The files that control-plane nodes share, and their encrypted form in Secret
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

// Returns 32 random bytes in lower-case hex.
std::string NewCertificateKey(host::Random& random);
// Returns the 32 bytes. Throws base::Error(kInvalid).
std::string ParseCertificateKey(std::string_view hex);

// An entry of the Secret, and the path of its file on a node. `entry` is a literal.
struct SharedFile {
  std::string_view entry;  // "etcd-ca.crt"
  host::fs::path path;
};
// Lists the CAs and the service account key. If etcd is external, lists its configured CA,
// certificate and key instead of etcd's CA.
std::vector<SharedFile> SharedFiles(const config::ClusterConfiguration& cluster);

// The Secret's data before base64; std::nullopt for a file that does not exist.
using Sealed = std::map<std::string, std::optional<std::string>, std::less<>>;

// Encrypts each file separately (AES-256-GCM) with a key of 32 bytes.
Sealed SealSharedFiles(const host::Files& files, const config::ClusterConfiguration& cluster,
                       std::string_view key);

// Decrypts the files and overwrites existing ones: private keys with mode 0600, public keys and
// certificates with 0644. Skips empty entries. Throws base::Error before any file is written:
// kNotFound for a missing entry, kInvalid for an entry that cannot be decrypted or is neither key
// nor certificate.
void OpenSharedFiles(host::Files& files, const config::ClusterConfiguration& cluster,
                     const Sealed& sealed, std::string_view key);

// Returns the files that are missing on a node that joins the control plane without downloading
// certificates: each CA's certificate, and the service account key pair. If only a CA's key is
// missing, warns instead: the CA may be external.
base::Problems MissingSharedFiles(const host::Files& files,
                                  const config::ClusterConfiguration& cluster);

}  // namespace certs
