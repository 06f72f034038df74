// SPDX-License-Identifier: Apache-2.0
#include "config_change/traces.h"

#include <fmt/core.h>

#include "base/strings.h"
#include "components/table.h"
#include "config_change/parts.h"
#include "kubelet/node_config.h"
#include "pki/crypto.h"

namespace config_change {
namespace {

std::string Hash(std::string_view text) { return base::HexEncode(pki::Sha256(text)); }

std::vector<host::fs::path> WrittenFiles(const Change& change, const host::Files& files) {
  std::vector<host::fs::path> written;
  const std::string directory = CertificatesDirectory(change.before);
  for (const std::string& name : change.certificates) {
    for (host::fs::path& file : PairOf(name, directory)) {
      written.push_back(std::move(file));
    }
  }
  if (const auto record = upgrade::LoadRecord(files, kPodsFile)) {
    for (const components::Component component : components::kComponents) {
      if (record->manifests.contains(std::string(components::Name(component)))) {
        written.push_back(components::ManifestPath(component));
      }
    }
  }
  if (change.kubelet) {
    written.emplace_back(kubelet::kConfigFile);
  }
  return written;
}

// The address is a part of certificates and manifests, and of the stored configuration.
std::string AddressHere(const host::Files& files) {
  const auto pod = static_pods::ReadManifest(files, components::Component::kApiServer);
  return pod ? static_pods::CommandArg(*pod, "advertise-address").value_or("") : "";
}

}  // namespace

std::string HashOf(const config::StoredConfig& stored) {
  const auto text = [](const std::optional<config::StoredComponent>& component) {
    return component ? component->text : std::string();
  };
  return Hash(Hash(stored.cluster) + Hash(text(stored.kubelet)) + Hash(text(stored.kube_proxy)));
}

void NoteWritten(Change& change, const host::Files& files) {
  change.written.clear();
  for (const host::fs::path& file : WrittenFiles(change, files)) {
    change.written[file.string()] = Hash(files.Read(file));
  }
}

std::vector<std::string> ChangedSince(const Change& change, const host::Files& files) {
  std::vector<std::string> reasons;
  for (const auto& [file, hash] : change.written) {
    const std::optional<std::string> text = files.Find(file);
    if (!text || Hash(*text) != hash) {
      reasons.push_back(fmt::format("{} {}", file, text ? "is another one now" : "is gone"));
    }
  }
  const std::string& address = change.node.local_api_endpoint.advertise_address;
  const std::string here = AddressHere(files);
  if (!here.empty() && !address.empty() && here != address) {
    reasons.push_back(fmt::format("this node has moved from {} to {}", address, here));
  }
  return reasons;
}

bool IsStoredAsLeft(const Change& change, const config::StoredConfig& now) {
  return !change.stored || change.stored_as.empty() || change.stored_as == HashOf(now);
}

}  // namespace config_change
