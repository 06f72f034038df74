#include "kubeadm/certs/rotate_ca_pair.h"

#include <fmt/core.h>

#include "base/error.h"
#include "base/secret_text.h"
#include "ca_rotation/ca_cluster.h"
#include "certs/sharing.h"
#include "config/token.h"
#include "pki/crypto.h"
#include "upload_certs/upload_certs.h"

namespace kubeadm {
namespace {

namespace fs = host::fs;
using base::Error;
using ca_rotation::Anchor;
using ca_rotation::Place;
using ca_rotation::Record;
using ca_rotation::Which;

std::string EntryOf(const RotatingNode& node, std::string_view part) {
  return fmt::format("rotate-ca-{}.{}", node.authority.name, part);
}

std::string Open(const RotatingNode& node, const certs::Sealed& sealed, std::string_view part,
                 std::string_view key) {
  const auto entry = sealed.find(EntryOf(node, part));
  if (entry == sealed.end() || !entry->second) {
    throw Error(
        Error::Kind::kNotFound,
        fmt::format("Secret \"{}\" does not hold the new {}: run \"kubeadm certs rotate-ca "
                    "{} --upload-certs\" on the node where the rotation began",
                    upload_certs::kCertsSecret, node.authority.long_name, node.authority.name));
  }
  return base::WithContext(
      fmt::format("Secret \"{}\", entry \"{}\"", upload_certs::kCertsSecret, entry->first),
      [&] { return pki::OpenAesGcm(key, *entry->second); });
}

}  // namespace

void BeginRotation(const RotatingNode& node, const ca_rotation::Situation& situation,
                   const Say& say) {
  const Place place = node.place();
  const std::vector<Anchor> live = ca_rotation::LiveAnchors(place);
  if (live.size() != 1 && !situation.new_pin) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("{} holds {} authorities: a rotation begins with exactly one",
                            place.AnchorsPath().string(), live.size()));
  }
  auto fresh = ca_rotation::FindSaved(place, Which::kNew);
  if (!fresh) {
    say(fmt::format("[rotate-ca] Making a new {}", node.authority.long_name));
    fresh = ca_rotation::NewPair(place, node.config.cluster, node.Now());
  }
  kube::Client client = node.NewClient();
  try {
    ca_rotation::Claim(client, node.authority, *fresh, situation.record);
  } catch (const Error& error) {
    if (error.kind() == Error::Kind::kAlreadyExists) {
      RemoveSavedPairs(node);
    }
    throw;
  }
}

void FetchPair(const RotatingNode& node, const Record& record, const Say& say) {
  const base::SecretText key(certs::ParseCertificateKey(node.options.certificate_key));
  say("[rotate-ca] Downloading the new authority");
  kube::Client client = node.NewClient();
  const certs::Sealed sealed = upload_certs::DownloadCertificates(client);
  const std::string pem = Open(node, sealed, "pem", key);
  const auto anchors = ca_rotation::ParseAnchors(pem);
  if (anchors.size() != 1 || anchors.front().pin != record.pin) {
    throw Error(
        Error::Kind::kInvalid,
        fmt::format("what Secret \"{}\" holds is of another rotation", upload_certs::kCertsSecret));
  }
  ca_rotation::SavePair(node.place(), Which::kNew, pem,
                        base::SecretText(Open(node, sealed, "key", key)).text());
}

std::string UploadPair(const RotatingNode& node, const Say& say) {
  const Place place = node.place();
  if (!ca_rotation::FindSaved(place, Which::kNew)) {
    throw Error(Error::Kind::kNotFound,
                fmt::format("--upload-certs: {} is not on this node",
                            ca_rotation::SavedKeyPath(place, Which::kNew).string()));
  }
  const std::string key = certs::NewCertificateKey(node.host.random);
  const base::SecretText bytes(certs::ParseCertificateKey(key));
  const auto sealed = [&](const fs::path& path) {
    return std::optional(pki::SealAesGcm(bytes, base::SecretText(node.host.files.Read(path))));
  };
  kube::Client client = node.NewClient();
  say(
      fmt::format("[rotate-ca] Storing the new authority, encrypted, in Secret \"{}\" of namespace "
                  "\"kube-system\" for two hours",
                  upload_certs::kCertsSecret));
  upload_certs::UploadCertificates(
      client,
      {{EntryOf(node, "pem"), sealed(ca_rotation::SavedAnchorPath(place, Which::kNew))},
       {EntryOf(node, "key"), sealed(ca_rotation::SavedKeyPath(place, Which::kNew))}},
      {.now = node.Now(), .token = config::NewToken([&](std::size_t count) {
                            return node.host.random.Bytes(count);
                          })});
  return key;
}

void RemoveSavedPairs(const RotatingNode& node) {
  if (const fs::path folder = node.place().Folder(); node.host.files.Exists(folder)) {
    node.host.files.RemoveTree(folder);
  }
}

}  // namespace kubeadm
