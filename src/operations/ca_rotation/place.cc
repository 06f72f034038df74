// SPDX-License-Identifier: Apache-2.0
#include "ca_rotation/place.h"

#include <fmt/core.h>

#include <array>
#include <span>

#include "base/error.h"
#include "base/secret_text.h"
#include "certs/disk.h"
#include "config/paths.h"

namespace ca_rotation {
namespace {

namespace fs = host::fs;
using base::Error;

constexpr std::array kControlPlaneKubeconfigs = {config::kAdminConf, config::kSuperAdminConf,
                                                 config::kControllerManagerConf,
                                                 config::kSchedulerConf, config::kKubeletConf};
constexpr std::array kWorkerKubeconfigs = {config::kKubeletConf};

std::string_view AnchorSuffix(const AuthorityFiles& place) {
  return place.IsKeyOnly() ? "pub" : "crt";
}

void CheckPair(const AuthorityFiles& place, Generation generation, const std::string& anchor_pem,
               const std::string& key_pem) {
  const std::vector<Anchor> anchors = ParseAnchors(anchor_pem);
  if (anchors.size() != 1 ||
      anchors.front().pin != PinOf(pki::PrivateKey::FromPem(key_pem).Public())) {
    throw Error(Error::Kind::kInvalid, fmt::format("{} and {} do not belong together",
                                                   SavedAnchorPath(place, generation).string(),
                                                   SavedKeyPath(place, generation).string()));
  }
}

}  // namespace

fs::path AuthorityFiles::AnchorsPath() const {
  return certs_dir / fmt::format("{}.{}", authority.base_name, AnchorSuffix(*this));
}

fs::path AuthorityFiles::KeyPath() const { return certs::KeyPath(certs_dir, authority.base_name); }

fs::path AuthorityFiles::SigningPath() const { return certs_dir / config::kSigningCertificate; }

fs::path AuthorityFiles::Directory() const { return certs_dir / "rotate-ca" / authority.name; }

bool AuthorityFiles::IsKeyOnly() const { return authority.row == certs::kServiceAccount; }

std::vector<fs::path> AuthorityFiles::KubeconfigPaths() const {
  std::vector<fs::path> paths;
  if (authority.row != certs::kCa) {
    return paths;
  }
  const std::span<const std::string_view> names =
      control_plane ? std::span<const std::string_view>(kControlPlaneKubeconfigs)
                    : std::span<const std::string_view>(kWorkerKubeconfigs);
  for (const std::string_view name : names) {
    if (const fs::path path = fs::path(config::kKubernetesDir) / name; files.Exists(path)) {
      paths.push_back(path);
    }
  }
  return paths;
}

std::vector<const certs::Renewable*> AuthorityFiles::Leaves() const {
  std::vector<const certs::Renewable*> leaves;
  for (const certs::Renewable& row : certs::Renewables()) {
    if (row.ca == authority.row && row.spec != nullptr && control_plane &&
        files.Exists(certs::CertPath(certs_dir, row.spec->base_name))) {
      leaves.push_back(&row);
    }
  }
  return leaves;
}

fs::path SavedAnchorPath(const AuthorityFiles& place, Generation generation) {
  return place.Directory() /
         fmt::format("{}.{}", generation == Generation::kOld ? "old" : "new", AnchorSuffix(place));
}

fs::path SavedKeyPath(const AuthorityFiles& place, Generation generation) {
  return place.Directory() / (generation == Generation::kOld ? "old.key" : "new.key");
}

std::vector<Anchor> LiveAnchors(const AuthorityFiles& place) {
  const fs::path path = place.AnchorsPath();
  std::vector<Anchor> anchors =
      base::WithContext(path.string(), [&] { return ParseAnchors(place.files.Read(path)); });
  if (anchors.empty()) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("{} holds no {}", path.string(),
                            place.IsKeyOnly() ? "public key" : "certificate"));
  }
  return anchors;
}

std::optional<Anchor> FindSaved(const AuthorityFiles& place, Generation generation) {
  const auto pem = place.files.Find(SavedAnchorPath(place, generation));
  const auto key = place.files.Find(SavedKeyPath(place, generation));
  if (!pem || !key) {
    return std::nullopt;
  }
  CheckPair(place, generation, *pem, *key);
  return ParseAnchors(*pem).front();
}

Anchor Saved(const AuthorityFiles& place, Generation generation) {
  const auto saved = FindSaved(place, generation);
  if (!saved) {
    throw Error(Error::Kind::kNotFound, fmt::format("{} and its key are missing",
                                                    SavedAnchorPath(place, generation).string()));
  }
  return *saved;
}

std::vector<Anchor> KnownAnchors(const AuthorityFiles& place) {
  std::vector<Anchor> known = LiveAnchors(place);
  for (const Generation generation : {Generation::kOld, Generation::kNew}) {
    const auto saved = FindSaved(place, generation);
    if (saved && FindPin(known, saved->pin) == nullptr) {
      known.push_back(*saved);
    }
  }
  return known;
}

void SavePair(const AuthorityFiles& place, Generation generation, const std::string& anchor_pem,
              const std::string& key_pem) {
  CheckPair(place, generation, anchor_pem, key_pem);
  WriteIfOther(place, SavedKeyPath(place, generation), key_pem, 0600);
  WriteIfOther(place, SavedAnchorPath(place, generation), anchor_pem, 0600);
}

Anchor NewPair(const AuthorityFiles& place, const config::ClusterConfiguration& cluster,
               std::chrono::sys_seconds start) {
  std::optional<pki::Certificate> old;
  pki::Algorithm algorithm = certs::AlgorithmFor(cluster);
  if (!place.IsKeyOnly()) {
    old = certs::LoadChain(place.files, place.AnchorsPath()).front();
    algorithm = certs::FindEtcdAlgorithm(cluster, place.authority.row, *old).value_or(algorithm);
  }
  const pki::PrivateKey key = pki::PrivateKey::Generate(algorithm);
  std::string pem = key.Public().Pem();
  if (old) {
    pem = pki::NewSelfSignedCa({.subject = old->subject(),
                                .alt_names = old->alt_names(),
                                .usages = {},
                                .not_before = start - certs::kBackdate,
                                .not_after = certs::EndOf(start, certs::CaValidity(cluster)),
                                .ecdsa_enciphers = certs::EcdsaEnciphers(cluster)},
                               key)
              .Pem();
  }
  SavePair(place, Generation::kNew, pem, base::SecretText(key.Pem()).text());
  return ParseAnchors(pem).front();
}

pki::KeyPair LoadSavedCa(const AuthorityFiles& place, Generation generation) {
  return {certs::LoadChain(place.files, SavedAnchorPath(place, generation)).front(),
          certs::LoadKey(place.files, SavedKeyPath(place, generation))};
}

void WriteIfOther(const AuthorityFiles& place, const fs::path& path, const std::string& content,
                  unsigned mode) {
  if (place.files.Find(path) != content) {
    place.files.Write(path, content, {.mode = mode, .directory_mode = 0700});
  }
}

}  // namespace ca_rotation
