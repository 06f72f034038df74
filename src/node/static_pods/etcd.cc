// SPDX-License-Identifier: Apache-2.0
// The Pod of a local etcd member (reference: manifests.md §6; etcd.io: "Configuration options").
#include <fmt/core.h>

#include "base/number.h"
#include "base/strings.h"
#include "base/version.h"
#include "config/images.h"
#include "config/merged_args.h"
#include "config/paths.h"
#include "net/host_port.h"
#include "net/url.h"
#include "releases/releases.h"
#include "static_pods/pod_parts.h"

namespace static_pods {

namespace fs = std::filesystem;
namespace {

using components::Component;

using config::Args;

std::string UrlOf(const std::string& address, int port) {
  return "https://" + net::JoinHostPort(address, port);
}

std::string MetricsUrl(const config::ApiEndpoint& local) {
  return "http://" + net::JoinHostPort(Loopback(local), config::kEtcdMetricsPort);
}

std::string InPki(const config::ClusterConfiguration& cluster, std::string_view name) {
  return (fs::path(cluster.certificates_dir) / "etcd" / name).lexically_normal().string();
}

// Returns the flags that were renamed in etcd 3.6, under the names for this image. If the image is
// older than 3.6, uses the old names, provided that the release still has such images. A tag that
// is not a semantic version and a pre-release of 3.6.0 count as older.
Args RenamedArgs(const config::ClusterConfiguration& cluster) {
  const auto version = base::Version::Parse(base::Trim(config::EtcdTag(cluster)));
  const bool old = !version || *version < base::Version{.major = 3, .minor = 6};
  if (old && releases::For(cluster.kubernetes_version).etcd_before_3_6) {
    return {{"experimental-initial-corrupt-check", "true"},
            {"experimental-watch-progress-notify-interval", "5s"}};
  }
  return {{"feature-gates", "InitialCorruptCheck=true"}, {"watch-progress-notify-interval", "5s"}};
}

Args DefaultArgs(const config::Init& config) {
  const config::ClusterConfiguration& cluster = config.cluster;
  const config::ApiEndpoint& local = config.init.local_api_endpoint;
  const std::string client = EtcdClientUrl(local);
  const std::string peer = EtcdPeerUrl(local);
  const std::string& name = config.init.node_registration.name;
  Args args{
      {"advertise-client-urls", client},
      {"cert-file", InPki(cluster, "server.crt")},
      {"client-cert-auth", "true"},
      {"data-dir", cluster.etcd.local->data_dir},
      {"initial-advertise-peer-urls", peer},
      {"initial-cluster", name + "=" + peer},
      {"key-file", InPki(cluster, "server.key")},
      {"listen-client-urls", UrlOf(Loopback(local), config::kEtcdClientPort) + "," + client},
      {"listen-metrics-urls", MetricsUrl(local)},
      {"listen-peer-urls", peer},
      {"name", name},
      {"peer-cert-file", InPki(cluster, "peer.crt")},
      {"peer-client-cert-auth", "true"},
      {"peer-key-file", InPki(cluster, "peer.key")},
      {"peer-trusted-ca-file", InPki(cluster, "ca.crt")},
      {"snapshot-count", "10000"},
      {"trusted-ca-file", InPki(cluster, "ca.crt")},
  };
  const Args renamed = RenamedArgs(cluster);
  args.insert(args.end(), renamed.begin(), renamed.end());
  return args;
}

json::Value PodWith(const config::Init& config, const Args& defaults) {
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

}  // namespace

std::string EtcdClientUrl(const config::ApiEndpoint& local) {
  return UrlOf(local.advertise_address, config::kEtcdClientPort);
}

std::string EtcdPeerUrl(const config::ApiEndpoint& local) {
  return UrlOf(local.advertise_address, config::kEtcdPeerPort);
}

ProbeTarget EtcdProbeTarget(const config::LocalEtcd& etcd, const config::ApiEndpoint& local) {
  ProbeTarget target{.host = Loopback(local), .scheme = "HTTP", .port = config::kEtcdMetricsPort};
  const std::string urls =
      config::MergedValue(etcd.extra_args, "listen-metrics-urls", MetricsUrl(local));
  if (const auto url = net::Url::Parse(urls.substr(0, urls.find(',')))) {
    target.scheme = url->scheme == "https" ? "HTTPS" : "HTTP";
    target.host = url->host.empty() ? target.host : url->host;
    target.port = base::ParsePort(url->port).value_or(target.port);
  }
  return target;
}

json::Value EtcdPod(const config::Init& config) { return PodWith(config, DefaultArgs(config)); }

json::Value JoiningEtcdPod(const config::Init& config, const std::string& initial_cluster) {
  Args args = DefaultArgs(config);
  std::erase_if(args, [](const config::Arg& arg) { return arg.name == "initial-cluster"; });
  args.push_back({"initial-cluster", initial_cluster});
  args.push_back({"initial-cluster-state", "existing"});
  return PodWith(config, args);
}

}  // namespace static_pods
