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

// LoadChain reads all certificates of a file, at least one; LoadKey its private key. Throw
// base::Error naming the file: kNotFound when it is missing, kInvalid when it cannot be read.
std::vector<pki::Certificate> LoadChain(const host::Files& files, const host::fs::path& path);
pki::PrivateKey LoadKey(const host::Files& files, const host::fs::path& path);

// IsThere tells whether the path leads to something, by a link or not; HasFile, whether that is not
// a directory.
bool IsThere(const host::Files& files, const host::fs::path& path);
bool HasFile(const host::Files& files, const host::fs::path& path);

// CheckIsCa throws base::Error(kInvalid), naming the file, for a certificate that is not a CA's.
void CheckIsCa(const pki::Certificate& certificate, const host::fs::path& path);

// LoadCaCertificate reads a CA's certificate; LoadCa its key as well, and throws
// base::Error(kInvalid) for a certificate that is not a CA's.
pki::Certificate LoadCaCertificate(const host::Files& files, const host::fs::path& dir,
                                   std::string_view base_name);
pki::KeyPair LoadCa(const host::Files& files, const host::fs::path& dir,
                    std::string_view base_name);

// SigningCas are the CAs that one run signs with. Each is decoded once, since to decode it is a
// quarter of the work of an ECDSA leaf, and again when its files have changed. May be used from
// several threads.
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

// NextPath is <dir>/<base_name>.crt.new: a certificate whose key and which itself are being put
// into their places.
host::fs::path NextPath(const host::fs::path& dir, std::string_view base_name);

// SavePair writes key (0600) and certificate (0644) with those that vouch for its CA; the
// certificate last, so that one that is there always has its key. When it cannot be written, the
// key goes as well, or the one that was there before comes back. A process that is killed between
// the two leaves NextPath, by which FinishPair goes on. Modes of existing files are kept.
void SavePair(host::Files& files, const host::fs::path& dir, std::string_view base_name,
              const pki::KeyPair& pair, const std::vector<pki::Certificate>& vouching = {});

// FinishPair puts the certificate of NextPath into its place where its key is there and has no
// other certificate, and removes NextPath. Nothing else is touched: a key alone may be the user's.
void FinishPair(host::Files& files, const host::fs::path& dir, std::string_view base_name);
// FinishPairs does it for all pairs of the tree.
void FinishPairs(host::Files& files, const host::fs::path& dir);

// SaveServiceAccountKey writes sa.key and sa.pub (both 0600), or neither of them.
// SaveServicePublicKey writes sa.pub alone, which follows from the key.
void SaveServiceAccountKey(host::Files& files, const host::fs::path& dir,
                           const pki::PrivateKey& key);
void SaveServicePublicKey(host::Files& files, const host::fs::path& dir,
                          const pki::PrivateKey& key);

}  // namespace certs
