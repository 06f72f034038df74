// The Pod of a local etcd member (reference: manifests.md §6; etcd.io: "Configuration options").
#include <fmt/core.h>

#include "base/number.h"
#include "base/strings.h"
#include "config/addresses.h"
#include "config/images.h"
#include "config/paths.h"
#include "manifests/pod_parts.h"

namespace manifests {
namespace {

using config::Args;
using data::Json;

std::string UrlOf(const std::string& address, int port) {
  return "https://" + config::JoinHostPort(address, std::to_string(port));
}

std::string Loopback(const config::ApiEndpoint& local) {
  return config::IsIpv6(local.advertise_address) ? "::1" : "127.0.0.1";
}

std::string InPki(const config::ClusterConfiguration& cluster, std::string_view name) {
  return (fs::path(cluster.certificates_dir) / "etcd" / name).lexically_normal().string();
}

Args DefaultArgs(const config::Init& config) {
  const config::ClusterConfiguration& cluster = config.cluster;
  const config::ApiEndpoint& local = config.init.local_api_endpoint;
  const std::string client = EtcdClientUrl(local);
  const std::string peer = EtcdPeerUrl(local);
  const std::string& name = config.init.node_registration.name;
  return {
      {"advertise-client-urls", client},
      {"cert-file", InPki(cluster, "server.crt")},
      {"client-cert-auth", "true"},
      {"data-dir", cluster.etcd.local->data_dir},
      {"feature-gates", "InitialCorruptCheck=true"},
      {"initial-advertise-peer-urls", peer},
      {"initial-cluster", name + "=" + peer},
      {"key-file", InPki(cluster, "server.key")},
      {"listen-client-urls", UrlOf(Loopback(local), config::kEtcdClientPort) + "," + client},
      {"listen-metrics-urls",
       "http://" + config::JoinHostPort(Loopback(local), std::to_string(config::kEtcdMetricsPort))},
      {"listen-peer-urls", peer},
      {"name", name},
      {"peer-cert-file", InPki(cluster, "peer.crt")},
      {"peer-client-cert-auth", "true"},
      {"peer-key-file", InPki(cluster, "peer.key")},
      {"peer-trusted-ca-file", InPki(cluster, "ca.crt")},
      {"snapshot-count", "10000"},
      {"trusted-ca-file", InPki(cluster, "ca.crt")},
      {"watch-progress-notify-interval", "5s"},
  };
}

Json PodWith(const config::Init& config, const Args& defaults) {
  const config::LocalEtcd& etcd = *config.cluster.etcd.local;
  const config::ApiEndpoint& local = config.init.local_api_endpoint;
  PodSpec spec{.component = Component::kEtcd};
  spec.annotations[std::string(kEtcdClientUrlsAnnotation)] = EtcdClientUrl(local);
  spec.command = CommandLine(config::kEtcd, defaults, etcd.extra_args);
  spec.image = config::EtcdImage(config.cluster);
  spec.environment = Environment({}, etcd.extra_envs);
  spec.requests = {{"cpu", "100m"}, {"memory", "100Mi"}};
  spec.probes = {.liveness = "/livez", .readiness = "/readyz", .startup = "/readyz"};
  spec.target = EtcdProbeTarget(etcd, local);
  spec.startup_failures = StartupFailureThreshold(config.init.timeouts);
  const auto writable = [](std::string name, const std::string& path) {
    return Volume{.name = std::move(name),
                  .host_path = path,
                  .mount_path = path,
                  .type = "DirectoryOrCreate",
                  .read_only = false};
  };
  const Volume data = writable("etcd-data", etcd.data_dir);
  const Volume certs = writable("etcd-certs", config.cluster.certificates_dir + "/etcd");
  spec.mounts = {data, certs};
  spec.volumes = {certs, data};
  return PodObject(spec);
}

// Url is what we need of "scheme://[user@]host[:port][/…]".
struct Url {
  std::string scheme;
  std::string host;
  std::string port;
};

std::optional<Url> ParseUrl(const std::string& text) {
  const std::size_t mark = text.find("://");
  if (mark == std::string::npos || mark == 0 || text.find_first_of(" :/?#", 0) < mark) {
    return std::nullopt;
  }
  std::string authority = text.substr(mark + 3);
  authority = authority.substr(0, authority.find_first_of("/?#"));
  if (const std::size_t at = authority.rfind('@'); at != std::string::npos) {
    authority = authority.substr(at + 1);
  }
  Url url{.scheme = base::ToLower(text.substr(0, mark)), .host = authority, .port = ""};
  const std::size_t colon = authority.rfind(':');
  const std::size_t bracket = authority.rfind(']');
  if (colon != std::string::npos && (bracket == std::string::npos || colon > bracket)) {
    url.host = authority.substr(0, colon);
    url.port = authority.substr(colon + 1);
    if (url.port.find_first_not_of("0123456789") != std::string::npos) {
      return std::nullopt;
    }
  }
  if (url.host.starts_with('[') && url.host.ends_with(']')) {
    url.host = url.host.substr(1, url.host.size() - 2);
  }
  // A zone is written "%25eth0"; nothing else in a host needs escapes.
  if (url.host.find_first_of(" []%") != std::string::npos) {
    return std::nullopt;
  }
  return url;
}

}  // namespace

std::string EtcdClientUrl(const config::ApiEndpoint& local) {
  return UrlOf(local.advertise_address, config::kEtcdClientPort);
}

std::string EtcdPeerUrl(const config::ApiEndpoint& local) {
  return UrlOf(local.advertise_address, config::kEtcdPeerPort);
}

ProbeTarget EtcdProbeTarget(const config::LocalEtcd& etcd, const config::ApiEndpoint& local) {
  ProbeTarget target{.host = Loopback(local), .scheme = "HTTP", .port = config::kEtcdMetricsPort};
  const auto urls = config::FindArg(etcd.extra_args, "listen-metrics-urls");
  const auto url = urls ? ParseUrl(urls->substr(0, urls->find(','))) : std::nullopt;
  if (url) {
    target.scheme = url->scheme == "https" ? "HTTPS" : "HTTP";
    target.host = url->host.empty() ? target.host : url->host;
    target.port = base::ParsePort(url->port).value_or(target.port);
  }
  return target;
}

Json EtcdPod(const config::Init& config) { return PodWith(config, DefaultArgs(config)); }

Json JoiningEtcdPod(const config::Init& config, const std::string& initial_cluster) {
  Args args = DefaultArgs(config);
  std::erase_if(args, [](const config::Arg& arg) { return arg.name == "initial-cluster"; });
  args.push_back({"initial-cluster", initial_cluster});
  args.push_back({"initial-cluster-state", "existing"});
  return PodWith(config, args);
}

}  // namespace manifests
