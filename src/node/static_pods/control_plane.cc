// SPDX-License-Identifier: Apache-2.0
// The Pods of kube-apiserver, kube-controller-manager and kube-scheduler (reference: manifests.md
// §3–§5; the flags are those of the components' own command-line reference).
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/log.h"
#include "base/strings.h"
#include "config/images.h"
#include "config/merged_args.h"
#include "config/paths.h"
#include "net/host_port.h"
#include "releases/releases.h"
#include "static_pods/pod_parts.h"

namespace static_pods {

namespace fs = std::filesystem;
namespace {

using components::Component;

using config::Arg;
using config::Args;
using config::ClusterConfiguration;

constexpr std::string_view kDefaultAuthorizationModes = "Node,RBAC";
constexpr std::array<std::string_view, 6> kAuthorizationModes{"AlwaysAllow", "AlwaysDeny", "ABAC",
                                                              "Webhook",     "RBAC",       "Node"};

std::string InPki(const ClusterConfiguration& cluster, std::string_view name) {
  return (fs::path(cluster.certificates_dir) / name).lexically_normal().string();
}

std::string KubeconfigPath(std::string_view name) {
  return fmt::format("{}/{}", config::kKubernetesDir, name);
}

// A flag whose value is a file in the certificates directory.
struct PkiFlag {
  std::string_view name;
  std::string_view file;
};

constexpr PkiFlag kApiServerFiles[] = {
    {"client-ca-file", "ca.crt"},
    {"kubelet-client-certificate", "apiserver-kubelet-client.crt"},
    {"kubelet-client-key", "apiserver-kubelet-client.key"},
    {"proxy-client-cert-file", "front-proxy-client.crt"},
    {"proxy-client-key-file", "front-proxy-client.key"},
    {"requestheader-client-ca-file", "front-proxy-ca.crt"},
    {"service-account-key-file", "sa.pub"},
    {"service-account-signing-key-file", "sa.key"},
    {"tls-cert-file", "apiserver.crt"},
    {"tls-private-key-file", "apiserver.key"},
};

constexpr PkiFlag kLocalEtcdFiles[] = {
    {"etcd-cafile", "etcd/ca.crt"},
    {"etcd-certfile", "apiserver-etcd-client.crt"},
    {"etcd-keyfile", "apiserver-etcd-client.key"},
};

constexpr PkiFlag kControllerManagerFiles[] = {
    {"client-ca-file", "ca.crt"},
    {"requestheader-client-ca-file", "front-proxy-ca.crt"},
    {"root-ca-file", "ca.crt"},
    {"service-account-private-key-file", "sa.key"},
};

void AddFiles(Args& args, const ClusterConfiguration& cluster, std::span<const PkiFlag> flags) {
  for (const PkiFlag& flag : flags) {
    args.push_back({std::string(flag.name), InPki(cluster, flag.file)});
  }
}

void AddKubeconfig(Args& args, std::string_view file) {
  for (const char* name : {"authentication-kubeconfig", "authorization-kubeconfig", "kubeconfig"}) {
    args.push_back({name, KubeconfigPath(file)});
  }
}

Args LocalEtcdArgs(const config::Init& config) {
  Args args;
  AddFiles(args, config.cluster, kLocalEtcdFiles);
  std::string servers = "https://" + net::JoinHostPort(Loopback(config.init.local_api_endpoint),
                                                       config::kEtcdClientPort);
  if (config.cluster.etcd.local) {
    servers = config::MergedValue(config.cluster.etcd.local->extra_args, "advertise-client-urls",
                                  servers);
  }
  args.push_back({"etcd-servers", servers});
  return args;
}

Args ExternalEtcdArgs(const config::ExternalEtcd& etcd) {
  Args args = {{"etcd-servers", base::Join(etcd.endpoints, ",")}};
  if (!etcd.ca_file.empty()) {
    args.push_back({"etcd-cafile", etcd.ca_file});
  }
  if (!etcd.cert_file.empty() && !etcd.key_file.empty()) {
    args.push_back({"etcd-certfile", etcd.cert_file});
    args.push_back({"etcd-keyfile", etcd.key_file});
  }
  return args;
}

void WarnOfUnknownModes(const std::string& chosen) {
  for (const std::string& mode : base::Split(chosen, ',')) {
    if (std::ranges::find(kAuthorizationModes, mode) == kAuthorizationModes.end()) {
      base::LogWarning("kube-apiserver knows no authorization-mode {}", base::Quoted(mode));
    }
  }
}

// A user may choose other authorizers, but nodes need the default ones. A warning reports the
// change.
void AddAuthorizationMode(Args& args, const Args& extra) {
  if (config::FindArg(extra, "authorization-config")) {
    return;
  }
  args.push_back({"authorization-mode", std::string(kDefaultAuthorizationModes)});
  const std::string modes(kDefaultAuthorizationModes);
  const std::string chosen = config::MergedValue(extra, "authorization-mode", modes);
  if (chosen != modes && !chosen.empty()) {
    WarnOfUnknownModes(chosen);
    base::LogWarning("kube-apiserver's authorization-mode is \"{}\" instead of the default \"{}\"",
                     chosen, kDefaultAuthorizationModes);
  }
}

Args ApiServerArgs(const config::Init& config) {
  const ClusterConfiguration& cluster = config.cluster;
  const config::ApiEndpoint& local = config.init.local_api_endpoint;
  Args args = {
      {"advertise-address", local.advertise_address},
      {"allow-privileged", "true"},
      {"enable-admission-plugins", "NodeRestriction"},
      {"enable-bootstrap-token-auth", "true"},
      {"kubelet-preferred-address-types", "InternalIP,ExternalIP,Hostname"},
      {"requestheader-allowed-names", "front-proxy-client"},
      {"requestheader-extra-headers-prefix", "X-Remote-Extra-"},
      {"requestheader-group-headers", "X-Remote-Group"},
      {"requestheader-username-headers", "X-Remote-User"},
      {"secure-port", std::to_string(local.bind_port)},
      {"service-account-issuer",
       fmt::format("https://kubernetes.default.svc.{}", cluster.networking.dns_domain)},
      {"service-cluster-ip-range", cluster.networking.service_subnet},
  };
  AddFiles(args, cluster, kApiServerFiles);
  const Args etcd =
      cluster.etcd.external ? ExternalEtcdArgs(*cluster.etcd.external) : LocalEtcdArgs(config);
  args.insert(args.end(), etcd.begin(), etcd.end());
  AddAuthorizationMode(args, cluster.api_server.component.extra_args);
  return args;
}

Args ControllerManagerArgs(const ClusterConfiguration& cluster, const HostFacts& facts) {
  Args args = {{"bind-address", "127.0.0.1"},
               {"controllers", "*,bootstrapsigner,tokencleaner"},
               {"leader-elect", "true"},
               {"use-service-account-credentials", "true"}};
  AddFiles(args, cluster, kControllerManagerFiles);
  AddKubeconfig(args, config::kControllerManagerConf);
  // Without the CA's key signing is impossible: the empty values switch the signer off.
  const std::string_view signing = facts.rotates_ca ? config::kSigningCertificate : "ca.crt";
  args.push_back({"cluster-signing-cert-file", facts.external_ca ? "" : InPki(cluster, signing)});
  args.push_back({"cluster-signing-key-file", facts.external_ca ? "" : InPki(cluster, "ca.key")});
  if (!cluster.cluster_name.empty()) {
    args.push_back({"cluster-name", cluster.cluster_name});
  }
  if (!cluster.networking.pod_subnet.empty()) {
    args.push_back({"allocate-node-cidrs", "true"});
    args.push_back({"cluster-cidr", cluster.networking.pod_subnet});
    if (!cluster.networking.service_subnet.empty()) {
      args.push_back({"service-cluster-ip-range", cluster.networking.service_subnet});
    }
  }
  return args;
}

Args SchedulerArgs() {
  Args args = {{"bind-address", "127.0.0.1"}, {"leader-elect", "true"}};
  AddKubeconfig(args, config::kSchedulerConf);
  return args;
}

Volume PkiVolume(const ClusterConfiguration& cluster) {
  return {.name = "k8s-certs",
          .host_path = cluster.certificates_dir,
          .mount_path = cluster.certificates_dir,
          .type = "DirectoryOrCreate"};
}

Volume KubeconfigVolume(std::string_view file) {
  const std::string path = KubeconfigPath(file);
  return {.name = "kubeconfig", .host_path = path, .mount_path = path, .type = "FileOrCreate"};
}

// Returns the directory of the host's flexvolume plugins for the controller manager.
Volume FlexVolume(const config::ControlPlaneComponent& controller_manager) {
  const std::string path =
      config::MergedValue(controller_manager.extra_args, "flex-volume-plugin-dir",
                          "/usr/libexec/kubernetes/kubelet-plugins/volume/exec");
  return {.name = "flexvolume-dir",
          .host_path = path,
          .mount_path = path,
          .type = "DirectoryOrCreate",
          .read_only = false};
}

bool IsBelow(const fs::path& path, const fs::path& directory) {
  const fs::path relative = path.lexically_relative(directory);
  return !relative.empty() && *relative.begin() != "..";
}

bool IsMountedAnyway(const fs::path& directory, const ClusterConfiguration& cluster) {
  return IsBelow(directory, cluster.certificates_dir) || IsBelow(directory, kCaDirectory) ||
         std::ranges::any_of(kExtraCaDirectories,
                             [&](std::string_view extra) { return IsBelow(directory, extra); });
}

// Fills the common parts of the three components.
PodSpec SpecFor(Component component, const config::Init& config,
                const config::ControlPlaneComponent& settings, const HostFacts& facts) {
  return {.component = component,
          .image = config::ComponentImage(config.cluster, std::string(Name(component))),
          .environment = Environment(facts.proxy_environment, settings.extra_envs),
          .startup_failures = StartupFailureThreshold(config.init.timeouts)};
}

void SetVolumes(PodSpec& spec, std::vector<Volume> volumes,
                const config::ControlPlaneComponent& settings) {
  spec.volumes = SortedVolumes(std::move(volumes), settings.extra_volumes);
  spec.mounts = spec.volumes;
}

// The probes use the bind address; the port in the Pod stays the default one.
ProbeTarget LoopbackTarget(const Args& extra, int port) {
  return {.host = ProbeHost(config::MergedValue(extra, "bind-address", "127.0.0.1")), .port = port};
}

}  // namespace

std::vector<std::string> ExternalEtcdDirectories(const ClusterConfiguration& cluster) {
  if (!cluster.etcd.external) {
    return {};
  }
  const config::ExternalEtcd& etcd = *cluster.etcd.external;
  std::set<fs::path> directories;
  for (const std::string& file : {etcd.ca_file, etcd.cert_file, etcd.key_file}) {
    const fs::path directory = fs::path(file).lexically_normal().parent_path();
    if (!file.empty() && !IsMountedAnyway(directory, cluster)) {
      directories.insert(directory);
    }
  }
  std::vector<std::string> outermost;
  for (const fs::path& directory : directories) {
    const bool covered = std::ranges::any_of(directories, [&](const fs::path& other) {
      return other != directory && IsBelow(directory, other);
    });
    if (!covered) {
      outermost.push_back(directory.string());
    }
  }
  return outermost;
}

json::Value ApiServerPod(const config::Init& config, const HostFacts& facts) {
  const config::ControlPlaneComponent& settings = config.cluster.api_server.component;
  const config::ApiEndpoint& local = config.init.local_api_endpoint;
  PodSpec spec = SpecFor(Component::kApiServer, config, settings, facts);
  spec.annotations[std::string(kApiServerEndpointAnnotation)] =
      net::JoinHostPort(local.advertise_address, local.bind_port);
  spec.command = CommandLine(config::kApiServer, ApiServerArgs(config), settings.extra_args);
  spec.requests = {{"cpu", "250m"}};
  spec.probes = {.liveness = "/livez", .readiness = "/readyz", .startup = "/livez"};
  spec.target = {.host = ProbeHost(local.advertise_address), .port = local.bind_port};
  std::vector<Volume> volumes = CaVolumes(facts);
  volumes.push_back(PkiVolume(config.cluster));
  int index = 0;
  for (const std::string& directory : ExternalEtcdDirectories(config.cluster)) {
    volumes.push_back({.name = fmt::format("etcd-certs-{}", index++),
                       .host_path = directory,
                       .mount_path = directory,
                       .type = "DirectoryOrCreate"});
  }
  SetVolumes(spec, std::move(volumes), settings);
  return PodObject(spec);
}

json::Value ControllerManagerPod(const config::Init& config, const HostFacts& facts) {
  const config::ControlPlaneComponent& settings = config.cluster.controller_manager;
  PodSpec spec = SpecFor(Component::kControllerManager, config, settings, facts);
  spec.command = CommandLine(config::kControllerManager,
                             ControllerManagerArgs(config.cluster, facts), settings.extra_args);
  spec.requests = {{"cpu", "200m"}};
  spec.probes = {.liveness = "/healthz", .readiness = "", .startup = "/healthz"};
  spec.target = LoopbackTarget(settings.extra_args, config::kControllerManagerPort);
  std::vector<Volume> volumes = CaVolumes(facts);
  volumes.push_back(PkiVolume(config.cluster));
  volumes.push_back(KubeconfigVolume(config::kControllerManagerConf));
  if (releases::For(config.cluster.kubernetes_version).flex_volumes) {
    volumes.push_back(FlexVolume(settings));
  }
  SetVolumes(spec, std::move(volumes), settings);
  return PodObject(spec);
}

json::Value SchedulerPod(const config::Init& config, const HostFacts& facts) {
  const config::ControlPlaneComponent& settings = config.cluster.scheduler;
  PodSpec spec = SpecFor(Component::kScheduler, config, settings, facts);
  spec.command = CommandLine(config::kScheduler, SchedulerArgs(), settings.extra_args);
  spec.requests = {{"cpu", "100m"}};
  spec.probes = {.liveness = "/livez", .readiness = "/readyz", .startup = "/livez"};
  spec.target = LoopbackTarget(settings.extra_args, config::kSchedulerPort);
  SetVolumes(spec, {KubeconfigVolume(config::kSchedulerConf)}, settings);
  return PodObject(spec);
}

}  // namespace static_pods
