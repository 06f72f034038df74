// SPDX-License-Identifier: Apache-2.0
#include "node_identity/recovery/look.h"

#include <fmt/core.h>

#include "base/error.h"
#include "base/strings.h"
#include "certs/period.h"
#include "config/facts.h"
#include "config/paths.h"
#include "config/types.h"
#include "kubelet/finalize.h"
#include "kubelet/flags.h"
#include "pki/certificate.h"

namespace kubelet_recovery {
namespace {

namespace fs = host::fs;
using base::Error;

constexpr std::string_view kNodePrefix = "system:node:";

config::Args FlagsHere(const host::Files& files) {
  const std::optional<std::string> text = files.Find(kubelet::kFlagsFile);
  return text ? kubelet::ParseFlagsFile(*text).flags : config::Args{};
}

// Returns kubelet.conf; std::nullopt if it is missing, or has no usable server.
std::optional<kube::Kubeconfig> ConfigHere(const host::Files& files) {
  const std::optional<std::string> text = files.Find(KubeletConf());
  if (!text) {
    return std::nullopt;
  }
  try {
    kube::Kubeconfig config = kube::Kubeconfig::Parse(*text);
    const kube::KubeconfigCluster* cluster = config.CurrentCluster();
    const bool leads = cluster != nullptr && !cluster->server.empty();
    return leads && config.CurrentUser() != nullptr ? std::optional(std::move(config))
                                                    : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

// A PEM text and its path. `text` is not set if it is missing.
struct Pem {
  fs::path path;
  std::optional<std::string> text;
};

Pem Part(const host::Files& files, const std::string& data, const std::string& file) {
  if (!data.empty()) {
    return {.path = KubeletConf(), .text = data};
  }
  const fs::path path = file.empty() ? RotatedPair(files) : KubeletConf().parent_path() / file;
  return {.path = path, .text = files.Find(path)};
}

std::optional<pki::Certificate> Read(const Pem& pem) {
  try {
    return pem.text ? std::optional(pki::Certificate::FromPem(*pem.text)) : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

bool Fits(const pki::Certificate& certificate, const Pem& key) {
  try {
    return key.text && pki::PrivateKey::FromPem(*key.text).Public() == certificate.public_key();
  } catch (const Error&) {
    return false;
  }
}

std::vector<pki::Certificate> TrustedBy(const host::Files& files, const kube::Kubeconfig& config) {
  const kube::KubeconfigCluster& cluster = *config.CurrentCluster();
  std::string text = cluster.certificate_authority_data;
  if (text.empty() && !cluster.certificate_authority.empty()) {
    text = files.Find(KubeletConf().parent_path() / cluster.certificate_authority).value_or("");
  }
  try {
    return pki::Certificate::ChainFromPem(text);
  } catch (const Error&) {
    return {};
  }
}

std::string NameIn(const std::optional<pki::Certificate>& certificate, const Pem& pem) {
  const std::string name = certificate ? certificate->subject().common_name : "";
  if (!name.empty() && !name.starts_with(kNodePrefix)) {
    throw Error(Error::Kind::kInvalid, fmt::format("the certificate in {} is that of {}, which is "
                                                   "not a node: move the file away, and try again",
                                                   pem.path.string(), base::Quoted(name)));
  }
  return name.empty() ? name : name.substr(kNodePrefix.size());
}

std::string NameOf(const host::Host& host) {
  return config::FindArg(FlagsHere(host.files), "hostname-override")
      .value_or(config::NodeName(host.machine.Hostname()));
}

std::optional<std::string> ProblemOf(const pki::Certificate& certificate, const Pem& pem,
                                     const std::vector<pki::Certificate>& trusted,
                                     std::chrono::sys_seconds now) {
  if (const auto problem = certs::PeriodProblem(certificate, now)) {
    return fmt::format("the certificate in {}: {}", pem.path.string(), *problem);
  }
  if (const auto problem = pki::ChainProblem(certificate, trusted, {})) {
    return fmt::format("the certificate in {} is of another authority than the cluster's: {}",
                       pem.path.string(), *problem);
  }
  return std::nullopt;
}

}  // namespace

fs::path KubeletConf() { return fs::path(config::kKubernetesDir) / config::kKubeletConf; }

fs::path RotatedPair(const host::Files& files) {
  return kubelet::RotatedCertificate({.kubelet_extra_args = FlagsHere(files)});
}

Found CollectFound(const host::Host& host, const std::string& name) {
  const host::Files& files = host.files;
  Found found{.node = name, .config = ConfigHere(files)};
  const kube::KubeconfigUser user =
      found.config ? *found.config->CurrentUser() : kube::KubeconfigUser{};
  const Pem pem = Part(files, user.client_certificate_data, user.client_certificate);
  const std::optional<pki::Certificate> certificate = Read(pem);
  if (found.node.empty()) {
    const std::string named = NameIn(certificate, pem);
    found.node = named.empty() ? NameOf(host) : named;
  }
  if (!found.config) {
    found.problem = fmt::format("{} is missing, or leads nowhere", KubeletConf().string());
  } else if (!certificate) {
    found.problem = fmt::format("{} holds no certificate", pem.path.string());
  } else if (!Fits(*certificate, Part(files, user.client_key_data, user.client_key))) {
    found.problem = fmt::format("the key to the certificate in {} is missing", pem.path.string());
  } else {
    found.until = certificate->not_after();
    found.problem =
        ProblemOf(*certificate, pem, TrustedBy(files, *found.config), host.clock.NowSeconds());
    found.unfinished = !found.problem && !user.client_certificate_data.empty();
  }
  return found;
}

}  // namespace kubelet_recovery
