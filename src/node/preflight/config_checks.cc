// SPDX-License-Identifier: Apache-2.0
// Checks of combinations of configuration fields.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "base/version.h"
#include "config/defaults.h"
#include "config/feature_gates.h"
#include "config/images.h"
#include "config/paths.h"
#include "net/cidr.h"
#include "net/ip_address.h"
#include "node_input/patches.h"
#include "pki/certificate.h"
#include "pki/key.h"
#include "preflight/judge.h"
#include "preflight/lists.h"

namespace preflight {
namespace {

namespace fs = std::filesystem;

std::string_view FamilyName(bool is_ipv6) { return is_ipv6 ? "IPv6" : "IPv4"; }

// Returns the signing certificate that the controller manager's manifest will name, according to
// the configuration. Returns std::nullopt if the controller manager will not sign: the CA's key is
// missing, or its signer is disabled.
std::optional<std::string> SigningCertificate(const host::Files& files,
                                              const config::ClusterConfiguration& cluster) {
  const config::Args& args = cluster.controller_manager.extra_args;
  for (const std::string& name :
       base::Split(config::FindArg(args, "controllers").value_or(""), ',')) {
    if (name == "-csrsigning" || name == "-certificatesigningrequest-signing-controller") {
      return std::nullopt;
    }
  }
  if (const auto given = config::FindArg(args, "cluster-signing-cert-file")) {
    return given->empty() ? std::nullopt : given;
  }
  const fs::path pki(cluster.certificates_dir);
  if (files.Exists(pki / config::kSigningCertificate)) {
    return (pki / config::kSigningCertificate).string();
  }
  return files.Exists(pki / "ca.key") ? std::optional((pki / "ca.crt").string()) : std::nullopt;
}

// Returns whether a patch for the controller manager's manifest mentions the signer. In this case
// the configuration alone does not determine the signing certificate. Ignores unreadable patches,
// which other checks report.
bool PatchChangesSigner(const host::Files& files, const std::optional<config::Patches>& from) {
  if (!from || from->directory.empty()) {
    return false;
  }
  try {
    const node_input::PatchSet set = node_input::ReadPatches(files, from->directory);
    return std::ranges::any_of(set.patches, [](const node_input::PatchSet::Patch& patch) {
      const std::string text = patch.document.dump();
      return patch.target == "kube-controller-manager" &&
             (text.contains("--cluster-signing-") || text.contains("--controllers"));
    });
  } catch (const base::Error&) {
    return false;
  }
}

// Returns the number of certificates in a file. Returns 0 for a missing or empty file, which other
// checks report.
std::size_t CountCertificates(const host::Files& files, const std::string& path) {
  try {
    return pki::Certificate::ChainFromPem(files.Find(path).value_or("")).size();
  } catch (const base::Error&) {
    return 0;
  }
}

// Returns the networks of the API server for Services' addresses.
std::vector<std::string> ServiceCidrs(const config::ClusterConfiguration& cluster) {
  return Cidrs(config::FindArg(cluster.api_server.component.extra_args, "service-cluster-ip-range")
                   .value_or(cluster.networking.service_subnet));
}

// etcd's CA, and the certificates that etcd presents or verifies. A missing certificate will get a
// key of the CA's algorithm (certs::FindEtcdAlgorithm).
constexpr std::string_view kEtcdCa = "etcd/ca";
constexpr std::string_view kEtcdCertificates[] = {
    kEtcdCa, "etcd/server", "etcd/peer", "etcd/healthcheck-client", "apiserver-etcd-client"};

// Returns whether the certificate has an ML-DSA key. Returns true also for a missing CA
// certificate, which would get such a key. Other checks report a file that cannot be read.
bool WouldBeMlDsa(const host::Files& files, const fs::path& path, bool is_ca) {
  const std::optional<std::string> pem = files.Find(path);
  if (!pem) {
    return is_ca;
  }
  try {
    return pki::Certificate::FromPem(*pem).public_key().AlgorithmText().starts_with(kMlDsa);
  } catch (const base::Error&) {
    return false;
  }
}

Findings CheckEtcdKeyAlgorithm(const host::Files& files,
                               const config::ClusterConfiguration& cluster) {
  const std::string algorithm = config::EncryptionAlgorithm(cluster);
  if (!cluster.etcd.local || !algorithm.starts_with(kMlDsa)) {
    return {};
  }
  std::vector<std::string> names;
  for (const std::string_view name : kEtcdCertificates) {
    const fs::path path = fs::path(cluster.certificates_dir) / fmt::format("{}.crt", name);
    if (WouldBeMlDsa(files, path, name == kEtcdCa)) {
      names.push_back(path.string());
    }
  }
  return JudgeEtcdKeyAlgorithm(algorithm, config::EtcdImage(cluster), names);
}

// The feature gate that allows a component to sign ServiceAccount tokens with an ML-DSA key. It is
// on by default, unless the component must be compatible with a minor version before v1.38
// (kube-apiserver --help, kube-controller-manager --help, v1.38.0-beta.0).
constexpr std::string_view kTokenGate = "ServiceAccountTokenMLDSA";
constexpr std::pair kTokenGateOn{1, 38};  // the minor version

// Returns the minor version for compatibility: by default the minor version before the component's
// own.
std::pair<int, int> CompatibleMinor(const config::Args& args, const std::string& own_version) {
  const auto given = config::FindArg(args, "min-compatibility-version");
  const auto version =
      base::Version::ParseGeneric(given ? given->substr(given->rfind('=') + 1) : own_version);
  return version ? std::pair(version->major, given ? version->minor : version->minor - 1)
                 : std::pair(0, 0);
}

// Returns the value that the arguments give to the gate, a beta gate.
std::optional<bool> TokenGate(const config::Args& args) {
  return config::FindComponentGate(config::ComponentGates(args), kTokenGate,
                                   releases::GateStage::kBeta);
}

// Returns whether ServiceAccount tokens are signed with an ML-DSA key: the existing key, or the key
// that init would create. Ignores an unreadable key, which other checks report.
bool TokensUseMlDsa(const host::Files& files, const config::ClusterConfiguration& cluster) {
  const std::optional<std::string> pem = files.Find(fs::path(cluster.certificates_dir) / "sa.pub");
  try {
    return (pem ? pki::PublicKey::FromPem(*pem).AlgorithmText()
                : config::EncryptionAlgorithm(cluster))
        .starts_with(kMlDsa);
  } catch (const base::Error&) {
    return false;
  }
}

// Refuses components that would end at an ML-DSA key for the tokens.
Findings JudgeTokenKeyAlgorithm(const config::ClusterConfiguration& cluster) {
  std::vector<std::string> fields;
  for (const auto& [field, args] :
       {std::pair("apiServer", &cluster.api_server.component.extra_args),
        std::pair("controllerManager", &cluster.controller_manager.extra_args)}) {
    if (!TokenGate(*args).value_or(CompatibleMinor(*args, cluster.kubernetes_version) >=
                                   kTokenGateOn)) {
      fields.push_back(fmt::format("{}.extraArgs", field));
    }
  }
  if (fields.empty()) {
    return {};
  }
  return {checks::Refuse(fmt::format(
      "the API server and the controller manager of {} do not start with an ML-DSA key for the "
      "tokens of ServiceAccounts unless their feature gate {} is on. Set feature-gates with "
      "{}=true "
      "in {}; in apiServer.extraArgs add CertificateSigningRequestMLDSA=true if kubelets use such "
      "keys",
      cluster.kubernetes_version, kTokenGate, kTokenGate, base::Join(fields, " and ")))};
}

Check TokenKeyAlgorithmCheck(const config::ClusterConfiguration& cluster) {
  return {.id = "TokenKeyAlgorithm",
          .when = checks::kBeforeInit,
          .remedy =
              "switch the feature gate on in apiServer.extraArgs, or create sa.key with "
              "another algorithm",
          .judge = [cluster](Stop) { return JudgeTokenKeyAlgorithm(cluster); }};
}

}  // namespace

Findings JudgeFamilies(const std::string& api_server, std::span<const std::string> services,
                       std::span<const std::string> pods) {
  Findings findings;
  const auto address = net::IpAddress::ParseSloppy(api_server);
  const auto first = services.empty() ? std::nullopt : net::Cidr::ParseSloppy(services.front());
  if (address && first && address->IsIpv6() != first->IsIpv6()) {
    findings.push_back(checks::Warn(fmt::format(
        "the first network of Services, {}, is {}, but the API server's address, {}, is {}: it "
        "will not start so; put the {} network first in networking.serviceSubnet, or set "
        "localAPIEndpoint.advertiseAddress to an {} address",
        services.front(), FamilyName(first->IsIpv6()), api_server, FamilyName(address->IsIpv6()),
        FamilyName(address->IsIpv6()), FamilyName(first->IsIpv6()))));
  }
  for (const std::string& service : services) {
    const auto network = net::Cidr::ParseSloppy(service);
    const bool served = std::ranges::any_of(pods, [&](const std::string& pod) {
      const auto other = net::Cidr::ParseSloppy(pod);
      return !network || !other || other->IsIpv6() == network->IsIpv6();
    });
    if (!pods.empty() && !served) {
      findings.push_back(checks::Warn(fmt::format(
          "Services of {} are {}, but no network of Pods ({}) is: no Pod can serve them; "
          "add an {} network to networking.podSubnet",
          service, FamilyName(network->IsIpv6()), base::Join(pods, ","),
          FamilyName(network->IsIpv6()))));
    }
  }
  return findings;
}

Findings JudgeSigningCertificate(const std::string& path, std::size_t certificates) {
  if (certificates <= 1) {
    return {};
  }
  return {checks::Refuse(fmt::format(
      "{} has {} certificates, but the controller manager signs with one and ends when its file "
      "has more; put the certificate of the CA's key into a separate file "
      "(controllerManager.extraArgs: cluster-signing-cert-file), or leave only that certificate in "
      "{}",
      path, certificates, path))};
}

Findings JudgeEtcdKeyAlgorithm(const std::string& algorithm, const std::string& image,
                               const std::vector<std::string>& certificates) {
  if (certificates.empty()) {
    return {};
  }
  return {checks::Refuse(fmt::format(
      "etcd ({}) cannot use keys of {} and would not start, and these certificates are, or would "
      "be, for such keys: {}. Issue its CA's certificate first with encryptionAlgorithm ECDSA-P256 "
      "(kubeadm init phase certs etcd-ca): etcd's other certificates follow it. Or choose another "
      "algorithm",
      image, algorithm, base::Join(certificates, ", ")))};
}

Check EtcdKeyAlgorithmCheck(host::Host& host, const config::ClusterConfiguration& cluster) {
  return {
      .id = "EtcdKeyAlgorithm",
      .when = checks::kBeforeInit,
      .remedy = "issue etcd's CA with encryptionAlgorithm ECDSA-P256, or choose another algorithm",
      .judge = [&files = host.files, cluster](Stop) {
        return CheckEtcdKeyAlgorithm(files, cluster);
      }};
}

Checks ConfigChecks(host::Host& host, const config::Init& init) {
  const config::ClusterConfiguration& cluster = init.cluster;
  Checks checks{
      {.id = "IPFamilies",
       .when = kNewControlPlane,
       .remedy = "put the network of the API server's family first, or set "
                 "localAPIEndpoint.advertiseAddress",
       .judge = [address = AdvertiseAddress(init), services = ServiceCidrs(cluster),
                 pods = Cidrs(cluster.networking.pod_subnet)](
                    Stop) { return JudgeFamilies(address, services, pods); }},
      {.id = "SigningCertificate",
       .when = kNewControlPlane,
       .remedy = "sign with a file that has one certificate",
       .judge = [&files = host.files, cluster, patches = init.init.patches](Stop) {
         const auto path =
             PatchChangesSigner(files, patches) ? std::nullopt : SigningCertificate(files, cluster);
         return path ? JudgeSigningCertificate(*path, CountCertificates(files, *path)) : Findings{};
       }}};
  if (TokensUseMlDsa(host.files, cluster)) {
    checks.push_back(TokenKeyAlgorithmCheck(cluster));
  }
  return checks;
}

}  // namespace preflight
