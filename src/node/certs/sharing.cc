// SPDX-License-Identifier: Apache-2.0
#include "certs/sharing.h"

#include <fmt/core.h>

#include <functional>
#include <list>

#include "base/error.h"
#include "base/log.h"
#include "base/secret_text.h"
#include "base/strings.h"
#include "certs/disk.h"
#include "certs/tree.h"
#include "host/plain_file.h"
#include "pki/crypto.h"

namespace certs {
namespace {

constexpr std::size_t kCertificateKeySize = 32;

bool Parses(const std::function<void()>& parse) {
  try {
    parse();
    return true;
  } catch (const base::Error&) {
    return false;
  }
}

// Returns the file mode: private for a key, public for a certificate or public key. Throws for
// other content.
unsigned ModeFor(const std::string& pem) {
  if (Parses([&] { pki::PrivateKey::FromPem(pem); })) {
    return 0600;
  }
  if (Parses([&] { pki::Certificate::FromPem(pem); }) ||
      Parses([&] { pki::PublicKey::FromPem(pem); })) {
    return 0644;
  }
  throw base::Error(base::Error::Kind::kInvalid, "it holds neither a key nor a certificate");
}

const std::optional<std::string>& EntryOf(const Sealed& sealed, std::string_view entry) {
  const auto found = sealed.find(entry);
  if (found == sealed.end()) {
    throw base::Error(base::Error::Kind::kNotFound,
                      fmt::format("the uploaded certificates lack \"{}\"", entry));
  }
  return found->second;
}

void Note(base::Problems& problems, std::string_view name, const std::function<void()>& load) {
  try {
    load();
  } catch (const base::Error& error) {
    problems.Add(std::string(name), error.message());
  }
}

void CheckCa(const host::Files& files, const host::fs::path& dir, const CertSpec& spec,
             base::Problems& problems) {
  Note(problems, spec.name, [&] { LoadChain(files, CertPath(dir, spec.base_name)); });
  if (!files.Exists(KeyPath(dir, spec.base_name))) {
    base::LogWarning("the key of certificate authority {} is not here; it is taken to be external",
                     spec.name);
  }
}

// Returns the algorithm without its size: "RSA", "ML-DSA".
std::string Family(const pki::PublicKey& key) {
  const std::string text = key.AlgorithmText();
  return text.substr(0, text.rfind('-'));
}

// A public key of another algorithm could never verify tokens that this private key signs. A
// different key of the same algorithm is allowed: after a rotation the public file may also contain
// older keys.
void CheckSameAlgorithm(const pki::PublicKey& found, const host::fs::path& path,
                        const host::Files& files, const host::fs::path& key_path) {
  const std::string wanted = Family(LoadKey(files, key_path).Public());
  if (Family(found) != wanted) {
    throw base::Error(base::Error::Kind::kInvalid,
                      fmt::format("{} holds a key of algorithm {}, but {} one of {}: they are not "
                                  "a pair; copy both from a control-plane node",
                                  key_path.string(), wanted, path.string(), Family(found)));
  }
}

}  // namespace

std::string NewCertificateKey(host::Random& random) {
  return base::HexEncode(random.Bytes(kCertificateKeySize));
}

std::string ParseCertificateKey(std::string_view hex) {
  std::string key = base::WithContext("certificate key", [&] { return base::HexDecode(hex); });
  if (key.size() != kCertificateKeySize) {
    throw base::Error(base::Error::Kind::kInvalid,
                      fmt::format("certificate key: it has {} bytes instead of {}", key.size(),
                                  kCertificateKeySize));
  }
  return key;
}

std::vector<SharedFile> SharedFiles(const config::ClusterConfiguration& cluster) {
  const host::fs::path dir = cluster.certificates_dir;
  std::vector<SharedFile> shared = {
      {"ca.crt", dir / "ca.crt"},
      {"ca.key", dir / "ca.key"},
      {"front-proxy-ca.crt", dir / "front-proxy-ca.crt"},
      {"front-proxy-ca.key", dir / "front-proxy-ca.key"},
      {"sa.pub", dir / "sa.pub"},
      {"sa.key", dir / "sa.key"},
  };
  if (const auto& external = cluster.etcd.external) {
    shared.push_back({"external-etcd-ca.crt", external->ca_file});
    shared.push_back({"external-etcd.crt", external->cert_file});
    shared.push_back({"external-etcd.key", external->key_file});
  } else {
    shared.push_back({"etcd-ca.crt", dir / "etcd" / "ca.crt"});
    shared.push_back({"etcd-ca.key", dir / "etcd" / "ca.key"});
  }
  return shared;
}

Sealed SealSharedFiles(const host::Files& files, const config::ClusterConfiguration& cluster,
                       std::string_view key) {
  Sealed sealed;
  for (const SharedFile& file : SharedFiles(cluster)) {
    std::optional<std::string>& entry = sealed[std::string(file.entry)];
    if (file.path.empty()) {
      continue;
    }
    host::RequirePlainFile(files, file.path);  // an external etcd's files have user-defined paths
    if (auto content = files.Find(file.path)) {
      entry = pki::SealAesGcm(key, base::SecretText(*std::move(content)));
    }
  }
  return sealed;
}

void OpenSharedFiles(host::Files& files, const config::ClusterConfiguration& cluster,
                     const Sealed& sealed, std::string_view key) {
  struct Opened {
    Opened(host::fs::path where, std::string what, unsigned how)
        : path(std::move(where)), content(std::move(what)), mode(how) {}
    host::fs::path path;
    base::SecretText content;
    unsigned mode;
  };
  std::list<Opened> opened;
  for (const SharedFile& file : SharedFiles(cluster)) {
    const std::optional<std::string>& entry = EntryOf(sealed, file.entry);
    if (!entry || entry->empty() || file.path.empty()) {
      continue;
    }
    base::WithContext(fmt::format("uploaded certificate \"{}\"", file.entry), [&] {
      std::string content = pki::OpenAesGcm(key, *entry);
      const unsigned mode = ModeFor(content);
      opened.emplace_back(file.path, std::move(content), mode);
    });
  }
  for (const Opened& file : opened) {
    files.Write(file.path, file.content, {.mode = file.mode});
  }
}

base::Problems MissingSharedFiles(const host::Files& files,
                                  const config::ClusterConfiguration& cluster) {
  const host::fs::path dir = cluster.certificates_dir;
  base::Problems problems;
  for (const CertSpec& spec : Tree()) {
    if (spec.is_ca() && !(spec.of_etcd && cluster.etcd.external)) {
      CheckCa(files, dir, spec, problems);
    }
  }
  Note(problems, kServiceAccount, [&] { LoadKey(files, KeyPath(dir, kServiceAccount)); });
  Note(problems, kServiceAccount, [&] {
    const host::fs::path path = PublicKeyPath(dir);
    const std::string pem = files.Read(path);
    const pki::PublicKey found =
        base::WithContext(path.string(), [&] { return pki::PublicKey::FromPem(pem); });
    CheckSameAlgorithm(found, path, files, KeyPath(dir, kServiceAccount));
  });
  return problems;
}

}  // namespace certs
