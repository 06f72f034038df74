// SPDX-License-Identifier: Apache-2.0
#include "etcd_membership/local_etcd.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "base/strings.h"
#include "config/paths.h"
#include "static_pods/static_pod.h"

namespace etcd_membership {
namespace {

std::string FirstUrl(const json::Value& pod, std::string_view flag) {
  return base::Split(static_pods::CommandArg(pod, flag).value_or(""), ',').front();
}

// Returns the peer URLs in --initial-cluster ("cp-one=https://10.0.0.1:2380,…") except the member's
// own.
std::vector<std::string> OtherPeers(const json::Value& pod, const std::string& own_name) {
  std::vector<std::string> others;
  const std::string all = static_pods::CommandArg(pod, "initial-cluster").value_or("");
  for (const std::string& entry : base::Split(all, ',')) {
    const auto equals = entry.find('=');
    if (equals != std::string::npos && entry.substr(0, equals) != own_name) {
      others.push_back(entry.substr(equals + 1));
    }
  }
  return others;
}

fs::path DataVolume(const json::Value& pod) {
  for (const json::Value& volume : json::At(pod, {"spec", "volumes"})) {
    if (json::TextAt(volume, {"name"}) == "etcd-data") {
      return json::TextAt(volume, {"hostPath", "path"});
    }
  }
  return {};
}

// Throws base::Error(kInvalid) for a manifest that the kubelet would refuse: it does not describe a
// running etcd.
void RequirePod(const json::Value& pod, const fs::path& path) {
  const auto is_list = [&](const char* part) {
    const json::Value& found = json::At(pod, {"spec", part});
    return found.is_null() || found.is_array();
  };
  if (json::TextAt(pod, {"apiVersion"}) != "v1" || json::TextAt(pod, {"kind"}) != "Pod" ||
      !is_list("containers") || !is_list("volumes")) {
    throw base::Error(base::Error::Kind::kInvalid, path.string() + ": this is not a Pod of v1");
  }
}

}  // namespace

LocalEtcd ReadLocalEtcd(const json::Value& pod) {
  return {.peer_url = FirstUrl(pod, "initial-advertise-peer-urls"),
          .client_url = FirstUrl(pod, "advertise-client-urls"),
          .certificates_dir =
              fs::path(static_pods::CommandArg(pod, "trusted-ca-file").value_or("")).parent_path(),
          .data_dir = DataVolume(pod),
          .other_peers = OtherPeers(pod, static_pods::CommandArg(pod, "name").value_or(""))};
}

EtcdState FindEtcd(const host::Files& files) {
  EtcdState state;
  try {
    if (const auto pod = static_pods::ReadManifest(files, components::Component::kEtcd)) {
      RequirePod(*pod, components::ManifestPath(components::Component::kEtcd));
      state.local = ReadLocalEtcd(*pod);
    }
  } catch (const base::Error& error) {
    state.broken = error.message();
  }
  return state;
}

DataDirectory DataDirectoryOf(const EtcdState& etcd, const config::ClusterConfiguration* cluster) {
  if (cluster != nullptr && cluster->etcd.external) {
    return {};
  }
  if (etcd.local && !etcd.local->data_dir.empty()) {
    return {.path = etcd.local->data_dir};
  }
  if (cluster != nullptr && cluster->etcd.local && !cluster->etcd.local->data_dir.empty()) {
    return {.path = cluster->etcd.local->data_dir};
  }
  if (!etcd.broken.empty()) {
    return {};
  }
  if (etcd.local) {
    return {};
  }
  return {.path = fs::path(config::kDefaultEtcdDataDir), .guessed = true};
}

std::vector<std::string> MemberEndpoints(const std::vector<etcd::Member>& members) {
  std::vector<std::string> endpoints;
  for (const etcd::Member& member : members) {
    endpoints.insert(endpoints.end(), member.client_urls.begin(), member.client_urls.end());
  }
  return endpoints;
}

std::vector<std::string> OwnLast(std::vector<std::string> endpoints, const std::string& own) {
  std::ranges::stable_partition(endpoints, [&](const std::string& each) { return each != own; });
  return endpoints;
}

std::vector<std::string> KnownEndpoints(const LocalEtcd& local) {
  std::vector<std::string> endpoints = {local.client_url};
  const std::string peer_port = fmt::format(":{}", config::kEtcdPeerPort);
  for (const std::string& url : local.other_peers) {
    if (url.ends_with(peer_port)) {
      endpoints.push_back(fmt::format("{}:{}", url.substr(0, url.size() - peer_port.size()),
                                      config::kEtcdClientPort));
    }
  }
  return endpoints;
}

etcd::Connection ReadClientPair(const host::Files& files, const fs::path& directory) {
  return {.ca_pem = files.Read(directory / "ca.crt"),
          .certificate_pem = files.Read(directory / "healthcheck-client.crt"),
          .key_pem = files.Read(directory / "healthcheck-client.key")};
}

}  // namespace etcd_membership
