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

// The CAs that one run signs with. Each CA is decoded only once, because decoding takes a quarter
// of the time of issuing an ECDSA leaf. A CA whose files have changed is decoded again.
// Thread-safe.
class SigningCas {
 public:
  // Same as LoadCa, but decodes unchanged files only once.
  pki::KeyPair Load(const host::Files& files, const host::fs::path& dir,
                    std::string_view base_name);

 private:
  std::mutex mutex_;
  std::map<std::string, pki::KeyPair> by_content_;  // guarded by mutex_; by SHA-256 of both files
};

// PublicKeyPath is <dir>/sa.pub, which belongs to sa.key.
host::fs::path PublicKeyPath(const host::fs::path& dir);

// Returns <dir>/<base_name>.crt.new: the path of a certificate that is not yet moved to its final
// path. Its key is in the same directory.
host::fs::path NextPath(const host::fs::path& dir, std::string_view base_name);

// Writes the key (0600), then the certificate (0644) with the CA's own chain. With this order, an
// existing certificate always has its key. If the certificate cannot be written, removes the new
// key, or restores the previous key. If the process is killed between the two writes, the file at
// NextPath remains, and FinishPair resumes from it. Modes of existing files are kept.
void SavePair(host::Files& files, const host::fs::path& dir, std::string_view base_name,
              const pki::KeyPair& pair,
              const std::vector<pki::Certificate>& cross_certificates = {});

// Completes an interrupted SavePair: moves the certificate from NextPath into place if it belongs
// to the key and the present certificate does not. Removes NextPath in any case. Changes nothing
// else: a key without a certificate may be the user's.
void FinishPair(host::Files& files, const host::fs::path& dir, std::string_view base_name);
// Calls FinishPair for all pairs of the tree.
void FinishPairs(host::Files& files, const host::fs::path& dir);

// SaveServiceAccountKey writes sa.key and sa.pub (both 0600), or neither of them.
// SaveServicePublicKey writes only sa.pub, the public half of the key.
void SaveServiceAccountKey(host::Files& files, const host::fs::path& dir,
                           const pki::PrivateKey& key);
void SaveServicePublicKey(host::Files& files, const host::fs::path& dir,
                          const pki::PrivateKey& key);

}  // namespace certs
