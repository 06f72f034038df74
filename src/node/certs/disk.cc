// SPDX-License-Identifier: Apache-2.0
#include "certs/disk.h"

#include <fmt/core.h>

#include <functional>

#include "base/error.h"
#include "base/log.h"
#include "base/secret_text.h"
#include "certs/tree.h"
#include "pki/crypto.h"

namespace certs {
namespace {

// Writes a key and its companion: both files, or neither. A write can report an error after it has
// replaced the file, if the directory cannot be synced. Therefore `matches` compares the files, and
// its result decides whether the key is rolled back.
void SaveKeyAnd(host::Files& files, const host::fs::path& key_path, const pki::PrivateKey& key,
                const std::function<void()>& write_rest, const std::function<bool()>& matches) {
  std::optional<std::string> found = files.Find(key_path);
  const bool existed = found.has_value();
  const base::SecretText earlier(std::move(found).value_or(""));
  try {
    files.Write(key_path, base::SecretText(key.Pem()), {.mode = 0600});
    write_rest();
  } catch (const base::Error&) {
    if (!matches()) {
      if (existed) {
        files.Write(key_path, earlier, {.mode = 0600});
      } else {
        files.Remove(key_path);
      }
    }
    throw;
  }
}

// Returns whether both files exist and are valid, and the certificate matches the key.
bool IsOfKey(const host::Files& files, const host::fs::path& certificate,
             const host::fs::path& key) {
  try {
    return LoadChain(files, certificate).front().public_key() == LoadKey(files, key).Public();
  } catch (const base::Error& error) {
    if (error.kind() != base::Error::Kind::kNotFound &&
        error.kind() != base::Error::Kind::kInvalid) {
      throw;  // a failed check must not count as a mismatch
    }
    return false;
  }
}

}  // namespace

host::fs::path CertPath(const host::fs::path& dir, std::string_view base_name) {
  return dir / fmt::format("{}.crt", base_name);
}

host::fs::path KeyPath(const host::fs::path& dir, std::string_view base_name) {
  return dir / fmt::format("{}.key", base_name);
}

host::fs::path NextPath(const host::fs::path& dir, std::string_view base_name) {
  return dir / fmt::format("{}.crt.new", base_name);
}

host::fs::path PublicKeyPath(const host::fs::path& dir) {
  return dir / fmt::format("{}.pub", kServiceAccount);
}

std::vector<pki::Certificate> LoadChain(const host::Files& files, const host::fs::path& path) {
  const std::string pem = files.Read(path);
  return base::WithContext(path.string(), [&] { return pki::Certificate::ChainFromPem(pem); });
}

pki::PrivateKey LoadKey(const host::Files& files, const host::fs::path& path) {
  const base::SecretText pem(files.Read(path));
  return base::WithContext(path.string(), [&] { return pki::PrivateKey::FromPem(pem); });
}

bool IsThere(const host::Files& files, const host::fs::path& path) {
  const std::optional<host::FileInfo> info = files.Stat(path);
  if (!info || info->kind != host::FileInfo::Kind::kLink) {
    return info.has_value();
  }
  try {
    const base::SecretText content(files.Read(path));
  } catch (const base::Error& error) {
    return error.kind() != base::Error::Kind::kNotFound;
  }
  return true;
}

bool HasFile(const host::Files& files, const host::fs::path& path) {
  const std::optional<host::FileInfo> info = files.Stat(path);
  return info && info->kind != host::FileInfo::Kind::kDirectory && IsThere(files, path);
}

void CheckIsCa(const pki::Certificate& certificate, const host::fs::path& path) {
  if (!certificate.is_ca()) {
    throw base::Error(
        base::Error::Kind::kInvalid,
        fmt::format("{}: this is not the certificate of a certificate authority", path.string()));
  }
}

pki::Certificate LoadCaCertificate(const host::Files& files, const host::fs::path& dir,
                                   std::string_view base_name) {
  return base::WithContext("cannot load the CA's certificate",
                           [&] { return LoadChain(files, CertPath(dir, base_name)).front(); });
}

pki::KeyPair LoadCa(const host::Files& files, const host::fs::path& dir,
                    std::string_view base_name) {
  pki::Certificate certificate = LoadCaCertificate(files, dir, base_name);
  CheckIsCa(certificate, CertPath(dir, base_name));
  return {std::move(certificate), base::WithContext("cannot load the CA's key", [&] {
            return LoadKey(files, KeyPath(dir, base_name));
          })};
}

pki::KeyPair SigningCas::Load(const host::Files& files, const host::fs::path& dir,
                              std::string_view base_name) {
  const auto certificate = files.Find(CertPath(dir, base_name));
  std::optional<std::string> found_key = files.Find(KeyPath(dir, base_name));
  if (!certificate || !found_key) {
    return LoadCa(files, dir, base_name);  // its error names the missing file
  }
  const base::SecretText key(*std::move(found_key));
  const std::string content = pki::Sha256(*certificate) + pki::Sha256(key);
  const std::scoped_lock lock(mutex_);
  auto found = by_content_.find(content);
  if (found == by_content_.end()) {
    found = by_content_.emplace(content, LoadCa(files, dir, base_name)).first;
  }
  return found->second;
}

void SavePair(host::Files& files, const host::fs::path& dir, std::string_view base_name,
              const pki::KeyPair& pair, const std::vector<pki::Certificate>& cross_certificates) {
  std::string pem = pair.certificate.Pem();
  for (const pki::Certificate& each : cross_certificates) {
    pem += each.Pem();
  }
  const host::fs::path next = NextPath(dir, base_name);
  const host::fs::path certificate = CertPath(dir, base_name);
  const host::fs::path key = KeyPath(dir, base_name);
  // An unreadable key could not be restored, so the write is refused.
  const base::SecretText previous(files.Find(key).value_or(""));
  files.Write(next, pem, {.mode = 0644});
  try {
    SaveKeyAnd(
        files, key, pair.key, [&] { files.Write(certificate, pem, {.mode = 0644}); },
        [&] { return IsOfKey(files, certificate, key); });
  } catch (const base::Error&) {
    if (IsOfKey(files, certificate, key) || !IsOfKey(files, next, key)) {
      files.Remove(next);
    }
    throw;
  }
  files.Remove(next);
}

void FinishPair(host::Files& files, const host::fs::path& dir, std::string_view base_name) {
  const host::fs::path next = NextPath(dir, base_name);
  const std::optional<std::string> pem = files.Find(next);
  if (!pem) {
    return;
  }
  const host::fs::path certificate = CertPath(dir, base_name);
  if (IsOfKey(files, next, KeyPath(dir, base_name)) &&
      !IsOfKey(files, certificate, KeyPath(dir, base_name))) {
    base::LogInfo(0, "completing {}, whose writing was interrupted", certificate.string());
    files.Write(certificate, *pem, {.mode = 0644});
  }
  files.Remove(next);
}

void FinishPairs(host::Files& files, const host::fs::path& dir) {
  for (const CertSpec& spec : Tree()) {
    FinishPair(files, dir, spec.base_name);
  }
}

void SaveServiceAccountKey(host::Files& files, const host::fs::path& dir,
                           const pki::PrivateKey& key) {
  SaveKeyAnd(
      files, KeyPath(dir, kServiceAccount), key, [&] { SaveServicePublicKey(files, dir, key); },
      [&] { return files.Find(PublicKeyPath(dir)) == key.Public().Pem(); });
}

void SaveServicePublicKey(host::Files& files, const host::fs::path& dir,
                          const pki::PrivateKey& key) {
  files.Write(PublicKeyPath(dir), key.Public().Pem(), {.mode = 0600});
}

}  // namespace certs
