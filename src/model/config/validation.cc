// SPDX-License-Identifier: Apache-2.0
#include "config/validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "config/advertise_address.h"
#include "config/defaults.h"
#include "config/token.h"
#include "net/host_port.h"
#include "net/ip_address.h"
#include "net/url.h"
#include "releases/releases.h"

namespace config {
namespace {

constexpr std::array<std::string_view, 5> kAlgorithms{"ECDSA-P256", "ECDSA-P384", "RSA-2048",
                                                      "RSA-3072", "RSA-4096"};
constexpr std::array<std::string_view, 3> kMlDsaAlgorithms{"ML-DSA-44", "ML-DSA-65", "ML-DSA-87"};
constexpr std::array<std::string_view, 4> kUnmountFlags{"MNT_FORCE", "MNT_DETACH", "MNT_EXPIRE",
                                                        "UMOUNT_NOFOLLOW"};
constexpr std::size_t kCertificateKeyBytes = 32;

void ValidateEndpoint(const ApiEndpoint& endpoint, const std::string& path,
                      base::Problems& problems) {
  if (!net::IpAddress::ParseSloppy(endpoint.advertise_address)) {
    problems.Add(path + ".advertiseAddress",
                 base::InvalidValue(base::Quoted(endpoint.advertise_address),
                                    "must be an IPv4 or IPv6 address"));
  }
  if (endpoint.bind_port < 1 || endpoint.bind_port > 65535) {
    problems.Add(path + ".bindPort", base::InvalidValue(std::to_string(endpoint.bind_port),
                                                        "must be between 1 and 65535"));
  }
}

void ValidateCertificateKey(const std::string& key, const std::string& path,
                            base::Problems& problems) {
  if (key.empty()) {
    return;
  }
  try {
    const std::size_t bytes = base::HexDecode(key).size();
    if (bytes != kCertificateKeyBytes) {
      problems.Add(
          path, base::WithheldValue(key, fmt::format("the key has {} bytes, it must have {}", bytes,
                                                     kCertificateKeyBytes)));
    }
  } catch (const base::Error& error) {
    problems.Add(path, base::WithheldValue(key, error.message()));
  }
}

void ValidateFeatureGates(const ClusterConfiguration& cluster, base::Problems& problems) {
  const std::map<std::string, bool>& gates = cluster.feature_gates;
  const releases::Release& release = releases::For(cluster.kubernetes_version);
  for (const auto& [name, value] : gates) {
    if (release.FindGate(name) == nullptr) {
      problems.Add("featureGates",
                   base::InvalidValue(
                       json::Compact(json::Value(gates)),
                       fmt::format("{} is not a feature gate of v1.{}", name, release.minor)));
    }
  }
}

// Warns of long certificate lifetimes, which are the user's choice but rarely wise.
void WarnOfLongLife(const ClusterConfiguration& cluster) {
  const auto leaf = cluster.certificate_validity_period.value_or(kDefaultCertificateValidity);
  const auto ca = cluster.ca_certificate_validity_period.value_or(kDefaultCaValidity);
  constexpr const char* kText = "{}: {} is longer than {}: {}";
  struct Rule {
    std::string_view field;
    base::Duration value;
    std::string_view what;
    base::Duration limit;
  };
  for (const Rule& rule : {
           Rule{"certificateValidityPeriod", leaf, "the recommended value",
                kDefaultCertificateValidity},
           Rule{"certificateValidityPeriod", leaf, "caCertificateValidityPeriod", ca},
           Rule{"caCertificateValidityPeriod", ca, "the recommended value", kDefaultCaValidity},
       }) {
    if (rule.value > rule.limit) {
      base::LogWarning(kText, rule.field, base::FormatDuration(rule.value), rule.what,
                       base::FormatDuration(rule.limit));
    }
  }
}

void ValidateDiscovery(const BootstrapTokenDiscovery& discovery, base::Problems& problems) {
  const std::string path = "discovery.bootstrapToken";
  if (discovery.api_server_endpoint.empty()) {
    problems.Add(path, base::RequiredValue("apiServerEndpoint is not set"));
  }
  if (discovery.ca_cert_hashes.empty() && !discovery.unsafe_skip_ca_verification) {
    problems.Add(path + ".caCertHashes",
                 base::InvalidValue("\"\"",
                                    "without a pin an impostor cannot be told from the cluster; "
                                    "give one, or set unsafeSkipCAVerification (flag "
                                    "--discovery-token-unsafe-skip-ca-verification)"));
  }
  for (const std::string& hash : discovery.ca_cert_hashes) {
    if (!IsCaCertHash(hash)) {
      problems.Add(
          path + ".caCertHashes",
          base::InvalidValue(base::Quoted(hash),
                             "a hash of a CA certificate is \"sha256:\" and 64 hexadecimal "
                             "digits (flag --discovery-token-ca-cert-hash)"));
    }
  }
  if (!IsToken(discovery.token)) {
    problems.Add(path + ".token",
                 base::WithheldValue(discovery.token, "the bootstrap token is invalid"));
  }
  const std::string& endpoint = discovery.api_server_endpoint;
  if (const auto read = net::HostPort::Parse(endpoint); !read) {
    const bool whole = net::HostPort::ParsePortOptional(endpoint).has_value();
    problems.Add(path + ".apiServerEndpoint",
                 base::InvalidValue(base::Quoted(endpoint),
                                    whole ? "a port is missing"
                                          : fmt::format("address {}: {}", endpoint, read.error())));
  }
}

void ValidateDiscovery(const FileDiscovery& discovery, const FileExists& file_exists,
                       base::Problems& problems) {
  const std::string& where = discovery.kube_config_path;
  std::string detail = "there is no such file";
  const auto url = net::Url::Parse(where);
  if (url && url->scheme == "https") {
    return;
  }
  if (!url) {
    detail = url.error();
  } else if (!url->scheme.empty()) {
    detail = "a URL must have the scheme https";
  }
  if (where.empty() || !file_exists(where)) {
    problems.Add("discovery.file.kubeConfigPath", base::InvalidValue(base::Quoted(where), detail));
  }
}

void ValidateDiscovery(const Discovery& discovery, const FileExists& file_exists,
                       base::Problems& problems) {
  if (!discovery.bootstrap_token && !discovery.file) {
    problems.Add("discovery", base::InvalidValue("\"\"", "bootstrapToken or file must be set"));
  }
  if (discovery.bootstrap_token && discovery.file) {
    problems.Add("discovery",
                 base::InvalidValue("\"\"", "bootstrapToken and file cannot both be set"));
  }
  if (discovery.bootstrap_token) {
    ValidateDiscovery(*discovery.bootstrap_token, problems);
  }
  if (discovery.file) {
    ValidateDiscovery(*discovery.file, file_exists, problems);
  }
  const bool needed = discovery.bootstrap_token || !discovery.tls_bootstrap_token.empty();
  if (needed && !IsToken(discovery.tls_bootstrap_token)) {
    problems.Add(
        "discovery.tlsBootstrapToken",
        base::WithheldValue(discovery.tls_bootstrap_token, "the bootstrap token is invalid"));
  }
}

void ValidatePatches(const std::optional<Patches>& patches, const std::string& path,
                     base::Problems& problems) {
  if (patches) {
    ValidateAbsolutePath(patches->directory, path + ".patches.directory", problems);
  }
}

// Returns why a cluster of this release cannot have ML-DSA keys: its components cannot read such
// keys, or this kubeadm does not know the release.
std::string WhyNoMlDsa(const std::string& kubernetes_version) {
  const auto version = base::Version::Parse(kubernetes_version);
  return version && releases::KnowsMlDsa(*version)
             ? fmt::format("this kubeadm does not know Kubernetes {}; install a newer one",
                           kubernetes_version)
             : fmt::format("Kubernetes {} cannot use ML-DSA keys, {} and later can",
                           kubernetes_version, releases::OldestMlDsa());
}

// Refuses ML-DSA for releases whose components cannot read ML-DSA keys. With such keys, a cluster
// of these releases would not start.
void ValidateAlgorithm(const ClusterConfiguration& cluster, base::Problems& problems) {
  const std::string& name = cluster.encryption_algorithm;
  const bool ml_dsa = releases::For(cluster.kubernetes_version).ml_dsa;
  if (std::ranges::contains(kAlgorithms, name) ||
      (ml_dsa && std::ranges::contains(kMlDsaAlgorithms, name))) {
    return;
  }
  const std::string reason =
      std::ranges::contains(kMlDsaAlgorithms, name)
          ? fmt::format("{}; the other algorithms are {}", WhyNoMlDsa(cluster.kubernetes_version),
                        fmt::join(kAlgorithms, ", "))
          : fmt::format("the algorithms are {}{}", fmt::join(kAlgorithms, ", "),
                        ml_dsa ? fmt::format(", {}", fmt::join(kMlDsaAlgorithms, ", ")) : "");
  problems.Add("encryptionAlgorithm", base::InvalidValue(base::Quoted(name), reason));
}

}  // namespace

base::Problems Validate(const ClusterConfiguration& cluster) {
  base::Problems problems;
  ValidateImageRepository(cluster.dns.image_repository, "dns.imageRepository", problems);
  ValidateNetworking(cluster, problems);
  ValidateSans(cluster.api_server.cert_sans, "apiServer.certSANs", problems);
  ValidateAbsolutePath(cluster.certificates_dir, "certificatesDir", problems);
  ValidateFeatureGates(cluster, problems);
  ValidateEtcd(cluster.etcd, problems);
  ValidateImageRepository(cluster.image_repository, "imageRepository", problems);
  ValidateAlgorithm(cluster, problems);
  ValidateArgs(cluster.api_server.component.extra_args, "apiServer.extraArgs", problems);
  ValidateArgs(cluster.controller_manager.extra_args, "controllerManager.extraArgs", problems);
  ValidateArgs(cluster.scheduler.extra_args, "scheduler.extraArgs", problems);
  WarnOfLongLife(cluster);
  return problems;
}

base::Problems Validate(const Init& init) {
  base::Problems problems;
  ValidateNodeRegistration(init.init.node_registration, "nodeRegistration", problems);
  for (std::size_t i = 0; i < init.init.bootstrap_tokens.size(); ++i) {
    // Kubernetes writes the index of this list as another path element, without brackets.
    ValidateToken(init.init.bootstrap_tokens[i], fmt::format("bootstrapTokens.{}", i), problems);
  }
  problems.Append(Validate(init.cluster));
  ValidateEndpoint(init.init.local_api_endpoint, "localAPIEndpoint", problems);
  ValidateCertificateKey(init.init.certificate_key, "certificateKey", problems);
  return problems;
}

base::Problems Validate(const JoinConfiguration& join, const FileExists& file_exists) {
  base::Problems problems;
  ValidateDiscovery(join.discovery, file_exists, problems);
  ValidateNodeRegistration(join.node_registration, "nodeRegistration", problems);
  if (join.control_plane) {
    ValidateEndpoint(join.control_plane->local_api_endpoint, "controlPlane.localAPIEndpoint",
                     problems);
    ValidateCertificateKey(join.control_plane->certificate_key, "controlPlane.certificateKey",
                           problems);
  }
  if (!join.ca_cert_path.starts_with('/') || !join.ca_cert_path.ends_with(".crt")) {
    problems.Add("caCertPath", base::InvalidValue(base::Quoted(join.ca_cert_path),
                                                  "must be an absolute path that ends in .crt"));
  }
  return problems;
}

base::Problems Validate(const ResetConfiguration& reset) {
  base::Problems problems;
  ValidateSocket(reset.cri_socket, "criSocket", problems);
  ValidateAbsolutePath(reset.certificates_dir, "certificatesDir", problems);
  for (std::size_t i = 0; i < reset.unmount_flags.size(); ++i) {
    const std::string& flag = reset.unmount_flags[i];
    if (std::ranges::find(kUnmountFlags, flag) == kUnmountFlags.end()) {
      problems.Add("unmountFlags",
                   base::InvalidValue(fmt::format("\"index {}\"", i),
                                      fmt::format("{} is not a flag of umount2; there are {}", flag,
                                                  fmt::join(kUnmountFlags, ", "))));
    }
  }
  return problems;
}

base::Problems Validate(const UpgradeConfiguration& upgrade) {
  base::Problems problems;
  ValidatePatches(upgrade.apply.patches, "apply", problems);
  ValidatePullPolicy(upgrade.apply.image_pull_policy, "apply.imagePullPolicy", problems);
  ValidatePatches(upgrade.node.patches, "node", problems);
  ValidatePullPolicy(upgrade.node.image_pull_policy, "node.imagePullPolicy", problems);
  return problems;
}

}  // namespace config
