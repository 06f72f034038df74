// SPDX-License-Identifier: Apache-2.0
#include "config/component_configs.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "base/log.h"
#include "base/strings.h"
#include "config/addresses.h"
#include "config/defaults.h"
#include "config/paths.h"
#include "config/schema.h"
#include "net/ip_address.h"
#include "releases/releases.h"

namespace config {
namespace {

constexpr int kKubeletHealthzPort = 10248;

// A value that kubeadm sets unless the user has set one. `field` is a dotted path.
struct Recommendation {
  std::string field;
  json::Value value;
};

// Formats a value as Go prints it: strings bare, lists as [a b].
std::string Shown(const json::Value& value) {
  if (value.is_string()) {
    return value.get<std::string>();
  }
  if (!value.is_array()) {
    return value.is_null() ? "" : json::Compact(value);
  }
  std::vector<std::string> parts;
  for (const json::Value& element : value) {
    parts.push_back(Shown(element));
  }
  return "[" + base::Join(parts, " ") + "]";
}

json::Value::json_pointer PointerTo(const std::string& field) {
  return json::Value::json_pointer("/" + base::ReplaceAll(field, ".", "/"));
}

// Returns the user's value of a field; null if it counts as not set.
json::Value Given(const json::Value& user, const std::string& field) {
  const json::Value::json_pointer at = PointerTo(field);
  if (!user.is_object() || !user.contains(at) || user[at] == json::Value("")) {
    return nullptr;
  }
  return user[at];
}

void Recommend(const Recommendation& recommended, std::string_view kind, const json::Value& user,
               json::Value& value) {
  const json::Value given = Given(user, recommended.field);
  if (given.is_null()) {
    value[PointerTo(recommended.field)] = recommended.value;
  } else if (given != recommended.value) {
    base::LogWarning("{}: \"{}\" is {}; the recommended value is {}", kind, recommended.field,
                     Shown(given), Shown(recommended.value));
  }
}

// Returns the user's object in Kubernetes' written form, without group and kind.
json::Value Marshalled(const json::Value& user, std::string_view kind) {
  json::Value body = user.is_object() ? user : json::Value::object();
  body.erase("apiVersion");
  body.erase("kind");
  json::DecodeProblems reported_before;
  return Conform(body, kind, "", reported_before);
}

void Name(std::string_view api_version, std::string_view kind, json::Value& value) {
  value["apiVersion"] = api_version;
  value["kind"] = kind;
}

std::string ClusterDns(const ClusterConfiguration& cluster) {
  return cluster.networking.service_subnet.empty() ? "10.96.0.10"
                                                   : DnsIp(cluster.networking).Text();
}

std::string CaFile(const ClusterConfiguration& cluster) {
  return (std::filesystem::path(cluster.certificates_dir) / "ca.crt").lexically_normal().string();
}

std::string_view Wildcard(const std::string& address) {
  const auto read = net::IpAddress::ParseSloppy(address);
  return read && read->IsIpv4() ? "0.0.0.0" : "::";
}

// Returns the recommended bindAddress: the wildcard of the address family of the user's address.
// Returns std::nullopt if the user's address is a wildcard. Also returns std::nullopt, with a
// warning, if it is not an address.
std::optional<std::string_view> RecommendedBindAddress(const json::Value& user,
                                                       const std::string& advertise_address) {
  const json::Value given = Given(user, "bindAddress");
  if (!given.is_string()) {
    return Wildcard(advertise_address);
  }
  const auto& text = given.get_ref<const std::string&>();
  if (!net::IpAddress::ParseSloppy(text)) {
    base::LogWarning("{}: \"bindAddress\" is {}, which is not a valid IP address", kKubeProxyKind,
                     text);
    return std::nullopt;
  }
  return text == "0.0.0.0" || text == "::" ? std::nullopt : std::optional(Wildcard(text));
}

// Writes the mode explicitly, so that it does not depend on kube-proxy's own default.
void SetMode(const ClusterConfiguration& cluster, const json::Value& user, json::Value& value) {
  const json::Value given = Given(user, "mode");
  const std::string_view mode = releases::For(cluster.kubernetes_version).kube_proxy_mode;
  if (given.is_null() && !mode.empty()) {
    value["mode"] = mode;
  } else if (given == json::Value("ipvs")) {
    base::LogWarning(
        "{}: mode \"ipvs\" is deprecated since v1.35 and will go; choose \"nftables\", or "
        "\"iptables\" where the kernel is older than 5.13",
        kKubeProxyKind);
  }
}

}  // namespace

json::Value KubeletWithDefaults(const json::Value& user, const ClusterConfiguration& cluster) {
  json::Value value = Marshalled(user, kKubeletKind);
  const Recommendation rows[] = {
      {"staticPodPath", kManifestsDir},
      {"clusterDNS", json::Value::array({ClusterDns(cluster)})},
      {"clusterDomain", cluster.networking.dns_domain},
      {"authentication.x509.clientCAFile", CaFile(cluster)},
      {"authentication.anonymous.enabled", false},
      {"authorization.mode", "Webhook"},
      {"authentication.webhook.enabled", true},
      {"healthzBindAddress", "127.0.0.1"},
      {"healthzPort", kKubeletHealthzPort},
      {"readOnlyPort", 0},
  };
  for (const Recommendation& row : rows) {
    Recommend(row, kKubeletKind, user, value);
  }
  if (const auto port = value.find("readOnlyPort"); port != value.end() && *port == 0) {
    value.erase(port);
  }
  if (Given(user, "cgroupDriver").is_null()) {
    value["cgroupDriver"] = "systemd";
  }
  // Without renewal, the kubelet's first certificate would expire.
  value["rotateCertificates"] = true;
  Name(kKubeletApiVersion, kKubeletKind, value);
  return value;
}

json::Value KubeProxyWithDefaults(const json::Value& user, const ClusterConfiguration& cluster,
                                  const std::string& advertise_address) {
  json::Value value = Marshalled(user, kKubeProxyKind);
  std::vector<Recommendation> rows{
      {"clientConnection.kubeconfig", "/var/lib/kube-proxy/kubeconfig.conf"},
  };
  if (const auto address = RecommendedBindAddress(user, advertise_address)) {
    rows.push_back({"bindAddress", *address});
  }
  if (!cluster.networking.pod_subnet.empty()) {
    rows.push_back({"clusterCIDR", cluster.networking.pod_subnet});
  }
  for (const Recommendation& row : rows) {
    Recommend(row, kKubeProxyKind, user, value);
  }
  SetMode(cluster, user, value);
  Name(kKubeProxyApiVersion, kKubeProxyKind, value);
  return value;
}

void SetComponentDefaults(ClusterConfiguration& cluster, const std::string& advertise_address) {
  cluster.kubelet.value = KubeletWithDefaults(cluster.kubelet.value, cluster);
  cluster.kube_proxy.value =
      KubeProxyWithDefaults(cluster.kube_proxy.value, cluster, advertise_address);
}

}  // namespace config
