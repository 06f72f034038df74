// SPDX-License-Identifier: Apache-2.0
#include "certs/renewal.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "base/secret_text.h"
#include "base/strings.h"
#include "certs/disk.h"
#include "certs/external.h"
#include "certs/period.h"
#include "certs/replacement.h"
#include "config/paths.h"
#include "kube/kubeconfig.h"

namespace certs {
namespace {

std::vector<Renewable> MakeRenewables() {
  std::vector<Renewable> rows = {
      {.name = config::kAdminConf,
       .long_name = "certificate in the kubeconfig file of the administrator and kubeadm",
       .ca = kCa,
       .common_name = kAdmin.user,
       .organization = kAdmin.organization,
       .user_may_differ = true},
      {.name = config::kControllerManagerConf,
       .long_name = "certificate in the kubeconfig file of the controller manager",
       .ca = kCa,
       .common_name = kControllerManager.user},
      {.name = config::kSchedulerConf,
       .long_name = "certificate in the kubeconfig file of the scheduler",
       .ca = kCa,
       .common_name = kScheduler.user},
      {.name = config::kSuperAdminConf,
       .long_name = "certificate in the kubeconfig file of the super administrator",
       .ca = kCa,
       .common_name = kSuperAdmin.user,
       .organization = kSuperAdmin.organization,
       .user_may_differ = true}};
  for (const CertSpec& spec : Tree()) {
    if (!spec.is_ca()) {
      rows.push_back({.name = spec.name,
                      .long_name = spec.long_name,
                      .ca = spec.ca,
                      .spec = &spec,
                      .common_name = spec.common_name});
    }
  }
  std::ranges::sort(rows, {}, &Renewable::name);
  return rows;
}

host::fs::path PathOf(const Renewable& row, const RenewalContext& context) {
  return row.spec != nullptr ? CertPath(context.cluster.certificates_dir, row.spec->base_name)
                             : context.kubeconfig_dir / row.name;
}

// Returns the current user. Throws unless the user's certificate and the CA of the current cluster
// are embedded in the kubeconfig.
kube::KubeconfigUser& CurrentUserOf(kube::Kubeconfig& config) {
  if (config.CurrentUser() == nullptr || config.CurrentCluster() == nullptr) {
    throw base::Error(base::Error::Kind::kInvalid, config.CurrentUser() == nullptr
                                                       ? config.NoUserReason()
                                                       : config.NoClusterReason());
  }
  kube::KubeconfigUser& user = config.users.at(config.CurrentContext()->user);
  if (user.client_certificate_data.empty()) {
    throw base::Error(base::Error::Kind::kInvalid,
                      "its user has no embedded client certificate (client-certificate-data)");
  }
  if (config.CurrentCluster()->certificate_authority_data.empty()) {
    throw base::Error(base::Error::Kind::kInvalid,
                      "its cluster has no embedded CA certificate (certificate-authority-data)");
  }
  return user;
}

// Returns the certificates of an old chain that connect the new CA with the old CA. Between two
// steps of a rotation, the old CA has signed the key of the new CA, for clients that know only the
// old CA.
std::vector<pki::Certificate> CrossCertificatesFor(const pki::Certificate& ca,
                                                   const std::vector<pki::Certificate>& chain) {
  std::vector<pki::Certificate> cross_certificates;
  if (chain.empty()) {
    return cross_certificates;
  }
  std::copy_if(chain.begin() + 1, chain.end(), std::back_inserter(cross_certificates),
               [&](const pki::Certificate& each) { return pki::Pin(each) == pki::Pin(ca); });
  return cross_certificates;
}

// Reads the certificate of a row, and the rest of its file.
std::vector<pki::Certificate> LoadCurrent(const Renewable& row, const RenewalContext& context) {
  const host::fs::path path = PathOf(row, context);
  if (row.spec != nullptr) {
    return LoadChain(context.files, path);
  }
  return base::WithContext(path.string(), [&] {
    kube::Kubeconfig config = kube::Kubeconfig::Parse(base::SecretText(context.files.Read(path)));
    return pki::Certificate::ChainFromPem(CurrentUserOf(config).client_certificate_data);
  });
}

// Calls LoadCurrent for a certificate that will be replaced. Returns an empty list for a
// malformed file if this node's configuration provides everything for the new certificate.
std::vector<pki::Certificate> LoadReplaced(const Renewable& row, const RenewalContext& context) {
  try {
    return LoadCurrent(row, context);
  } catch (const base::Error& error) {
    const bool is_known = context.node != nullptr || context.given_node != nullptr;
    if (row.spec == nullptr || !is_known || context.names ||
        error.kind() != base::Error::Kind::kInvalid) {
      throw;
    }
    return {};
  }
}

Replacement ReplacementOf(const Renewable& row, const RenewalContext& context) {
  return base::WithContext(fmt::format("certificate {}", row.name), [&] {
    return PlanReplacement(row, LoadReplaced(row, context),
                           LoadChain(context.files, CertPath(context.cluster.certificates_dir,
                                                             FindSpec(row.ca).base_name)),
                           context);
  });
}

// Returns whether the CA is external. Throws base::Error(kInvalid) if that cannot be determined.
bool IsExternal(std::string_view ca_name, const RenewalContext& context) {
  const ExternalCa verdict =
      DetectExternalCa(context.files, context.cluster.certificates_dir, ca_name, context.start);
  if (verdict.state == ExternalCa::State::kNoCertificate ||
      verdict.state == ExternalCa::State::kIncomplete) {
    throw base::Error(base::Error::Kind::kInvalid,
                      fmt::format("cannot tell whether certificate authority \"{}\" is external: "
                                  "{}",
                                  ca_name, verdict.reason));
  }
  return verdict.external();
}

// Writes all certificates of the CA's file into the kubeconfig. During a rotation, these are two
// CAs.
void SaveKubeconfig(const Renewable& row, const RenewalContext& context, const pki::KeyPair& pair) {
  const host::fs::path path = PathOf(row, context);
  kube::Kubeconfig config = kube::Kubeconfig::Parse(base::SecretText(context.files.Read(path)));
  kube::KubeconfigUser& user = CurrentUserOf(config);
  user.client_certificate_data = pair.certificate.Pem();
  user.client_key_data = pair.key.Pem();
  std::string ca_pem;
  for (const pki::Certificate& ca : LoadChain(
           context.files, CertPath(context.cluster.certificates_dir, FindSpec(row.ca).base_name))) {
    ca_pem += ca.Pem();
  }
  config.clusters.at(config.CurrentContext()->cluster).certificate_authority_data = ca_pem;
  context.files.Write(path, base::SecretText(config.Text()), {.mode = 0600});
}

}  // namespace

std::span<const Renewable> Renewables() {
  static const std::vector<Renewable> rows = MakeRenewables();
  return rows;
}

const Renewable& FindRenewable(std::string_view name) {
  const auto row = std::ranges::find(Renewables(), name, &Renewable::name);
  if (row == Renewables().end()) {
    throw std::logic_error(fmt::format("there is no renewable certificate \"{}\"", name));
  }
  return *row;
}

bool IsManaged(const Renewable& row, const config::ClusterConfiguration& cluster) {
  return row.spec == nullptr || !IsSkipped(*row.spec, cluster);
}

std::vector<host::fs::path> FilesOf(const Renewable& row, const RenewalContext& context) {
  if (row.spec == nullptr) {
    return {PathOf(row, context)};
  }
  return {KeyPath(context.cluster.certificates_dir, row.spec->base_name), PathOf(row, context)};
}

RenewalOutcome JudgeRenewal(const Renewable& row, const RenewalContext& context) {
  if (!IsManaged(row, context.cluster) || !HasFile(context.files, PathOf(row, context))) {
    return RenewalOutcome::kMissing;
  }
  if (IsExternal(row.ca, context)) {
    return RenewalOutcome::kExternalCa;
  }
  LoadCa(context.files, context.cluster.certificates_dir, FindSpec(row.ca).base_name);
  if (const Replacement fresh = ReplacementOf(row, context); !fresh.changes.empty()) {
    base::LogWarning("the new certificate {} is not a copy of the old one: {}", row.name,
                     base::Join(fresh.changes, "; "));
  }
  return RenewalOutcome::kRenewed;
}

RenewalOutcome Renew(const Renewable& row, const RenewalContext& context) {
  const RenewalOutcome outcome = JudgeRenewal(row, context);
  if (outcome != RenewalOutcome::kRenewed) {
    return outcome;
  }
  const host::fs::path dir = context.cluster.certificates_dir;
  Replacement fresh = ReplacementOf(row, context);
  const pki::KeyPair ca = LoadCa(context.files, dir, FindSpec(row.ca).base_name);
  if (const auto problem = PeriodProblem(ca.certificate, context.start)) {
    base::LogWarning(
        "the {} CA signs {} although {}: no component accepts that; `kubeadm "
        "certs rotate-ca` creates a new one",
        row.ca, row.name, *problem);
  }
  const auto of_etcd = FindEtcdAlgorithm(context.cluster, row.ca, ca.certificate);
  const pki::PrivateKey key = of_etcd ? pki::PrivateKey::Generate(*of_etcd) : context.new_key();
  const pki::Certificate renewed =
      pki::Sign({.subject = std::move(fresh.subject),
                 .alt_names = std::move(fresh.alt_names),
                 .usages = std::move(fresh.usages),
                 .not_before = context.start - kBackdate,
                 .not_after = EndOf(context.start, LeafValidity(context.cluster)),
                 .ecdsa_enciphers = EcdsaEnciphers(context.cluster)},
                key.Public(), ca);
  if (row.spec != nullptr) {
    SavePair(context.files, dir, row.spec->base_name, {renewed, key},
             CrossCertificatesFor(ca.certificate, LoadReplaced(row, context)));
  } else {
    SaveKubeconfig(row, context, {renewed, key});
  }
  return RenewalOutcome::kRenewed;
}

}  // namespace certs
