// SPDX-License-Identifier: Apache-2.0
// Certificates and keys as files of a certificates directory (reference: pki.md §2, "Modes").
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "host/files.h"
#include "pki/certificate.h"

namespace certs {

// CertPath is <dir>/<base_name>.crt, KeyPath <dir>/<base_name>.key.
host::fs::path CertPath(const host::fs::path& dir, std::string_view base_name);
host::fs::path KeyPath(const host::fs::path& dir, std::string_view base_name);

// LoadChain reads all certificates of a file, at least one; LoadKey its private key. They throw
// base::Error naming the file: kNotFound if it is missing, kInvalid if it is malformed.
std::vector<pki::Certificate> LoadChain(const host::Files& files, const host::fs::path& path);
pki::PrivateKey LoadKey(const host::Files& files, const host::fs::path& path);

// IsThere returns whether the path exists; a symbolic link exists only if its target does. HasFile
// returns whether the path exists and is not a directory.
bool IsThere(const host::Files& files, const host::fs::path& path);
bool HasFile(const host::Files& files, const host::fs::path& path);

// Throws base::Error(kInvalid), naming the file, for a certificate that is not a CA's.
void CheckIsCa(const pki::Certificate& certificate, const host::fs::path& path);

// LoadCaCertificate reads a CA's certificate; LoadCa its key as well. Both throw
// base::Error(kInvalid) for a certificate that is not a CA's.
pki::Certificate LoadCaCertificate(const host::Files& files, const host::fs::path& dir,
                                   std::string_view base_name);
pki::KeyPair LoadCa(const host::Files& files, const host::fs::path& dir,
                    std::string_view base_name);

// The CAs that one run signs with. Each CA is decoded once, because decoding is a quarter of the
// work of an ECDSA leaf. If its files have changed, it is decoded again. Thread-safe.
class SigningCas {
 public:
  // Load is LoadCa.
  pki::KeyPair Load(const host::Files& files, const host::fs::path& dir,
                    std::string_view base_name);

 private:
  std::mutex mutex_;
  std::map<std::string, pki::KeyPair> by_content_;  // guarded by mutex_; by SHA-256 of both files
};

// PublicKeyPath is <dir>/sa.pub, which belongs to sa.key.
host::fs::path PublicKeyPath(const host::fs::path& dir);

// Returns <dir>/<base_name>.crt.new: a certificate that is not yet moved to its final path, next to
// its key.
host::fs::path NextPath(const host::fs::path& dir, std::string_view base_name);

// Writes the key (0600), then the certificate (0644) with the CA's own chain, so that an existing
// certificate always has its key. If the certificate cannot be written, removes the key, or
// restores the previous key. A process that is killed between the two writes leaves NextPath, from
// which FinishPair resumes. Modes of existing files are kept.
void SavePair(host::Files& files, const host::fs::path& dir, std::string_view base_name,
              const pki::KeyPair& pair,
              const std::vector<pki::Certificate>& cross_certificates = {});

// Moves the certificate of NextPath into place if its key exists without another certificate, and
// removes NextPath. Changes nothing else: a key alone may be the user's.
void FinishPair(host::Files& files, const host::fs::path& dir, std::string_view base_name);
// FinishPair for all pairs of the tree.
void FinishPairs(host::Files& files, const host::fs::path& dir);

// SaveServiceAccountKey writes sa.key and sa.pub (both 0600), or neither of them.
// SaveServicePublicKey writes only sa.pub, the public half of the key.
void SaveServiceAccountKey(host::Files& files, const host::fs::path& dir,
                           const pki::PrivateKey& key);
void SaveServicePublicKey(host::Files& files, const host::fs::path& dir,
                          const pki::PrivateKey& key);

}  // namespace certs
