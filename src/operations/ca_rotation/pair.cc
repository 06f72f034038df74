// SPDX-License-Identifier: Apache-2.0
#include "ca_rotation/pair.h"

#include <fmt/core.h>

#include <optional>

#include "base/error.h"
#include "base/secret_text.h"
#include "base/version.h"
#include "ca_rotation/record.h"
#include "certs/disk.h"
#include "certs/sharing.h"
#include "certs/tree.h"
#include "checks/finding.h"
#include "config/defaults.h"
#include "config/images.h"
#include "config/token.h"
#include "join_secrets/upload_certs.h"
#include "kubelet/cluster_keys.h"
#include "pki/crypto.h"
#include "pki/key.h"
#include "preflight/judge.h"
#include "releases/releases.h"

namespace ca_rotation {
namespace {

namespace fs = host::fs;
using base::Error;

std::string EntryOf(const Node& node, std::string_view part) {
  return fmt::format("rotate-ca-{}.{}", node.authority.name, part);
}

std::string Open(const Node& node, const certs::Sealed& sealed, std::string_view part,
                 std::string_view key) {
  const auto entry = sealed.find(EntryOf(node, part));
  if (entry == sealed.end() || !entry->second) {
    throw Error(
        Error::Kind::kNotFound,
        fmt::format("Secret \"{}\" does not hold the new {}: run \"kubeadm certs rotate-ca "
                    "{} --upload-certs\" on the node where the rotation began",
                    join_secrets::kCertsSecret, node.authority.long_name, node.authority.name));
  }
  return base::WithContext(
      fmt::format("Secret \"{}\", entry \"{}\"", join_secrets::kCertsSecret, entry->first),
      [&] { return pki::OpenAesGcm(key, *entry->second); });
}

// Returns why the cluster cannot use a new authority with a key of the algorithm.
std::optional<std::string> KeyProblem(const Node& node, const std::string& algorithm) {
  const config::ClusterConfiguration& cluster = node.config.cluster;
  const auto version = base::Version::ParseGeneric(cluster.kubernetes_version);
  if (!pki::IsMlDsa(algorithm)) {
    return std::nullopt;
  }
  if (version && !releases::KnowsMlDsa(*version)) {
    return fmt::format("the components of Kubernetes {} cannot use it", version->TextWithV());
  }
  if (node.Rotates(certs::kCa)) {
    kube::Client client = node.new_client();
    return kubelet::KeyProblem(algorithm, client);
  }
  checks::Findings findings;
  if (node.Rotates(certs::kServiceAccount)) {
    findings = preflight::JudgeTokenKeyAlgorithm(cluster);
  } else if (node.Rotates(certs::kEtcdCa)) {
    findings = preflight::JudgeEtcdKeyAlgorithm(
        config::EtcdImage(cluster), {SavedAnchorPath(node.place(), Generation::kNew).string()});
  }
  return findings.empty() ? std::nullopt : std::optional(findings.front().what);
}

void RequireUsableKey(const Node& node, const std::string& algorithm) {
  if (const auto problem = KeyProblem(node, algorithm)) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("the new {} would have a key of {}, nothing was changed: {}",
                            node.authority.long_name, algorithm, *problem));
  }
}

}  // namespace

void Begin(const Node& node, const Situation& situation) {
  const AuthorityFiles place = node.place();
  const std::vector<Anchor> live = LiveAnchors(place);
  if (live.size() != 1 && !situation.new_pin) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("{} holds {} authorities: a rotation begins with exactly one",
                            place.AnchorsPath().string(), live.size()));
  }
  auto fresh = FindSaved(place, Generation::kNew);
  if (!fresh) {
    // etcd's CA keeps its algorithm (certs::FindEtcdAlgorithm).
    RequireUsableKey(
        node, node.Rotates(certs::kEtcdCa) ? "" : config::EncryptionAlgorithm(node.config.cluster));
    node.say(fmt::format("Making a new {}", node.authority.long_name));
    fresh = NewPair(place, node.config.cluster, node.Now());
  } else {
    RequireUsableKey(node, certs::LoadKey(place.files, SavedKeyPath(place, Generation::kNew))
                               .Public()
                               .AlgorithmText());
  }
  kube::Client client = node.new_client();
  try {
    Claim(client, node.authority, *fresh, situation.record);
  } catch (const Error& error) {
    if (error.kind() == Error::Kind::kAlreadyExists) {
      RemoveSavedPairs(node);
    }
    throw;
  }
}

void FetchPair(const Node& node, const RotationRecord& record, const std::string& certificate_key) {
  const base::SecretText key(certs::ParseCertificateKey(certificate_key));
  node.say("Downloading the new authority");
  kube::Client client = node.new_client();
  const certs::Sealed sealed = join_secrets::DownloadCertificates(client);
  const std::string pem = Open(node, sealed, "pem", key);
  const auto anchors = ParseAnchors(pem);
  if (anchors.size() != 1 || anchors.front().pin != record.pin) {
    throw Error(Error::Kind::kInvalid, fmt::format("Secret \"{}\" belongs to another rotation",
                                                   join_secrets::kCertsSecret));
  }
  SavePair(node.place(), Generation::kNew, pem,
           base::SecretText(Open(node, sealed, "key", key)).text());
}

std::string UploadPair(const Node& node, const std::string& certificate_key) {
  const AuthorityFiles place = node.place();
  if (!FindSaved(place, Generation::kNew)) {
    throw Error(Error::Kind::kNotFound,
                fmt::format("--upload-certs: {} is not on this node",
                            SavedKeyPath(place, Generation::kNew).string()));
  }
  const std::string key =
      certificate_key.empty() ? certs::NewCertificateKey(node.host.random) : certificate_key;
  const base::SecretText bytes(certs::ParseCertificateKey(key));
  const auto sealed = [&](const fs::path& path) {
    return std::optional(pki::SealAesGcm(bytes, base::SecretText(node.host.files.Read(path))));
  };
  kube::Client client = node.new_client();
  node.say(
      fmt::format("Storing the new authority, encrypted, in Secret \"{}\" of namespace "
                  "\"kube-system\" for two hours",
                  join_secrets::kCertsSecret));
  join_secrets::UploadCertificates(
      client,
      {{EntryOf(node, "pem"), sealed(SavedAnchorPath(place, Generation::kNew))},
       {EntryOf(node, "key"), sealed(SavedKeyPath(place, Generation::kNew))}},
      {.now = node.Now(), .token = config::NewToken([&](std::size_t count) {
                            return node.host.random.Bytes(count);
                          })});
  return key;
}

void RemoveSavedPairs(const Node& node) {
  if (const fs::path directory = node.place().Directory(); node.host.files.Exists(directory)) {
    node.host.files.RemoveTree(directory);
  }
}

}  // namespace ca_rotation
