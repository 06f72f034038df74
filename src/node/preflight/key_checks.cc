// SPDX-License-Identifier: Apache-2.0
// Checks of ML-DSA keys, which some components cannot use.
#include <fmt/core.h>

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "base/version.h"
#include "config/arguments.h"
#include "config/defaults.h"
#include "config/feature_gates.h"
#include "config/images.h"
#include "pki/certificate.h"
#include "pki/key.h"
#include "preflight/judge.h"
#include "preflight/lists.h"
#include "releases/releases.h"

namespace preflight {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCa = "ca.crt";
constexpr std::string_view kEtcdCa = "etcd/ca.crt";
// etcd's CA, and the certificates that etcd presents or verifies. A missing certificate will get a
// key of the CA's algorithm (certs::FindEtcdAlgorithm).
constexpr std::string_view kEtcdCertificates[] = {kEtcdCa, "etcd/server.crt", "etcd/peer.crt",
                                                  "etcd/healthcheck-client.crt",
                                                  "apiserver-etcd-client.crt"};

// The keys that exist before init, if a user has them: those of CAs, and of tokens.
constexpr std::string_view kUsersKeys[] = {kCa, "front-proxy-ca.crt", kEtcdCa, "sa.key", "sa.pub"};

// The feature gates that allow ML-DSA keys for tokens, and in certificate signing requests. Both
// are on by default, unless the component must be compatible with a minor version before v1.38
// (kube-apiserver --help, kube-controller-manager --help, v1.38.0-beta.0).
constexpr std::string_view kTokenGate = "ServiceAccountTokenMLDSA";
constexpr std::string_view kRequestGate = "CertificateSigningRequestMLDSA";
constexpr std::pair kGatesOn{1, 38};  // the version from which both gates are on

std::string AlgorithmIn(const std::string& pem, const fs::path& path) {
  if (path.extension() == ".key") {
    return pki::PrivateKey::FromPem(pem).Public().AlgorithmText();
  }
  return path.extension() == ".pub" ? pki::PublicKey::FromPem(pem).AlgorithmText()
                                    : pki::Certificate::FromPem(pem).public_key().AlgorithmText();
}

// Returns the algorithm of the key in `pem`. Returns "" if `pem` has no readable key, which other
// checks report.
std::string AlgorithmIfReadable(const std::string& pem, const fs::path& path) {
  try {
    return AlgorithmIn(pem, path);
  } catch (const base::Error&) {
    return "";
  }
}

// Returns the algorithm of the key in a file of the certificates directory; std::nullopt without
// the file.
std::optional<std::string> AlgorithmOf(std::string_view name,
                                       const config::ClusterConfiguration& cluster,
                                       const host::Files& files) {
  const fs::path path = fs::path(cluster.certificates_dir) / name;
  const std::optional<std::string> pem = files.Find(path);
  return pem ? std::optional(AlgorithmIfReadable(*pem, path)) : std::nullopt;
}

// Returns those of the files that have ML-DSA keys.
std::vector<std::string> WithMlDsa(std::span<const std::string_view> names,
                                   const config::ClusterConfiguration& cluster,
                                   const host::Files& files) {
  std::vector<std::string> found;
  for (const std::string_view name : names) {
    if (pki::IsMlDsa(AlgorithmOf(name, cluster, files).value_or(""))) {
      found.push_back((fs::path(cluster.certificates_dir) / name).string());
    }
  }
  return found;
}

Findings CheckEtcdKeyAlgorithm(const host::Files& files,
                               const config::ClusterConfiguration& cluster) {
  if (!cluster.etcd.local) {
    return {};
  }
  std::vector<std::string> names = WithMlDsa(kEtcdCertificates, cluster, files);
  if (pki::IsMlDsa(config::EncryptionAlgorithm(cluster)) && !AlgorithmOf(kEtcdCa, cluster, files)) {
    names.insert(names.begin(), (fs::path(cluster.certificates_dir) / kEtcdCa).string());
  }
  return JudgeEtcdKeyAlgorithm(config::EtcdImage(cluster), names);
}

// Returns the minor version that an argument names ("kube=1.37" or "1.37").
std::optional<std::pair<int, int>> MinorIn(const config::Args& args, std::string_view argument) {
  const auto given = config::FindArg(args, argument);
  const auto version =
      given ? base::Version::ParseGeneric(given->substr(given->rfind('=') + 1)) : std::nullopt;
  return version ? std::optional(std::pair(version->major, version->minor)) : std::nullopt;
}

// Returns whether a component with these arguments has the gate on. By default a component is
// compatible with the minor version before its own.
bool HasGate(std::string_view gate, const config::Args& args, const std::string& own_version) {
  const auto own = base::Version::ParseGeneric(own_version);
  const auto compatible =
      MinorIn(args, "min-compatibility-version")
          .value_or(own ? std::pair(own->major, own->minor - 1) : std::pair(0, 0));
  return config::FindComponentGate(config::ComponentGates(args), gate, releases::GateStage::kBeta)
      .value_or(compatible >= kGatesOn);
}

// Returns the algorithm of the key that signs ServiceAccount tokens: of the existing key, or of the
// key that init would create.
std::string TokenAlgorithm(const host::Files& files, const config::ClusterConfiguration& cluster) {
  return AlgorithmOf("sa.key", cluster, files)
      .or_else([&] { return AlgorithmOf("sa.pub", cluster, files); })
      .value_or(config::EncryptionAlgorithm(cluster));
}

Check TokenKeyAlgorithmCheck(const config::ClusterConfiguration& cluster) {
  return {.id = "TokenKeyAlgorithm",
          .when = checks::kBeforeInit,
          .remedy =
              "switch the feature gate on in apiServer.extraArgs, or create sa.key with "
              "another algorithm",
          .judge = [cluster](Stop) { return JudgeTokenKeyAlgorithm(cluster); }};
}

// Refuses a user's keys that the components of this version cannot use.
Check KeyAlgorithmCheck(const std::string& version, const std::vector<std::string>& keys) {
  return {.id = "KeyAlgorithm",
          .when = checks::kBeforeInit,
          .remedy = "use keys of another algorithm, or a version of Kubernetes that knows ML-DSA",
          .judge = [version, keys](Stop) -> Findings {
            return {checks::Refuse(fmt::format(
                "the components of Kubernetes {} cannot use ML-DSA keys, and these files have such "
                "keys: {}",
                version, base::Join(keys, ", ")))};
          }};
}

}  // namespace

Findings JudgeEtcdKeyAlgorithm(const std::string& image,
                               const std::vector<std::string>& certificates) {
  if (certificates.empty()) {
    return {};
  }
  return {checks::Refuse(fmt::format(
      "etcd ({}) cannot use ML-DSA keys and would not start, and these certificates are, or would "
      "be, for such keys: {}. Issue its CA's certificate first with encryptionAlgorithm ECDSA-P256 "
      "(kubeadm init phase certs etcd-ca): etcd's other certificates follow it. Or choose another "
      "algorithm",
      image, base::Join(certificates, ", ")))};
}

Checks EtcdKeyChecks(const host::Files& files, const config::ClusterConfiguration& cluster) {
  Findings findings = CheckEtcdKeyAlgorithm(files, cluster);
  if (findings.empty()) {
    return {};
  }
  return {
      {.id = "EtcdKeyAlgorithm",
       .when = checks::kBeforeInit,
       .remedy = "issue etcd's CA with encryptionAlgorithm ECDSA-P256, or choose another algorithm",
       .judge = [findings](Stop) { return findings; }}};
}

Findings JudgeTokenKeyAlgorithm(const config::ClusterConfiguration& cluster) {
  Findings findings;
  std::vector<std::string> fields;
  for (const auto& [field, args] :
       {std::pair("apiServer", &cluster.api_server.component.extra_args),
        std::pair("controllerManager", &cluster.controller_manager.extra_args)}) {
    const auto emulated = MinorIn(*args, "emulated-version");
    if (emulated && *emulated < kGatesOn) {
      findings.push_back(checks::Refuse(fmt::format(
          "{}.extraArgs: a component that behaves as v{}.{} (emulated-version) does not start with "
          "an ML-DSA key for the tokens of ServiceAccounts. Remove this argument",
          field, emulated->first, emulated->second)));
    } else if (!HasGate(kTokenGate, *args, cluster.kubernetes_version)) {
      fields.push_back(fmt::format("{}.extraArgs", field));
    }
  }
  if (!fields.empty()) {
    findings.push_back(checks::Refuse(fmt::format(
        "the API server and the controller manager of {} do not start with an ML-DSA key for the "
        "tokens of ServiceAccounts unless their feature gate {} is on. Set feature-gates with "
        "{}=true in {}; in apiServer.extraArgs add {}=true if kubelets use such keys",
        cluster.kubernetes_version, kTokenGate, kTokenGate, base::Join(fields, " and "),
        kRequestGate)));
  }
  return findings;
}

std::string ClusterKeyAlgorithm(const std::string& ca_pem,
                                const config::ClusterConfiguration& cluster) {
  const std::string of_ca = ca_pem.empty() ? "" : AlgorithmIfReadable(ca_pem, kCa);
  return pki::IsMlDsa(of_ca) ? of_ca : config::EncryptionAlgorithm(cluster);
}

std::string ClusterKeyAlgorithm(const host::Files& files,
                                const config::ClusterConfiguration& cluster) {
  return ClusterKeyAlgorithm(files.Find(fs::path(cluster.certificates_dir) / kCa).value_or(""),
                             cluster);
}

bool AcceptsMlDsaRequests(const config::ClusterConfiguration& cluster) {
  return HasGate(kRequestGate, cluster.api_server.component.extra_args, cluster.kubernetes_version);
}

Checks KeyChecks(const host::Files& files, const config::ClusterConfiguration& cluster) {
  const auto version = base::Version::ParseGeneric(cluster.kubernetes_version);
  if (version && releases::Covers(*version) && !releases::For(*version).ml_dsa) {
    const std::vector<std::string> keys = WithMlDsa(kUsersKeys, cluster, files);
    return keys.empty() ? Checks{} : Checks{KeyAlgorithmCheck(cluster.kubernetes_version, keys)};
  }
  return pki::IsMlDsa(TokenAlgorithm(files, cluster)) ? Checks{TokenKeyAlgorithmCheck(cluster)}
                                                      : Checks{};
}

}  // namespace preflight
