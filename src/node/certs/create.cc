// SPDX-License-Identifier: Apache-2.0
#include "certs/create.h"

#include <fmt/core.h>

#include <optional>

#include "base/error.h"
#include "base/log.h"
#include "certs/alt_names.h"
#include "releases/releases.h"

namespace certs {
namespace {

std::string Quoted(std::string_view name) { return fmt::format("certificate \"{}\"", name); }

// Returns the certificates of a file; std::nullopt if it is missing or unreadable.
std::optional<std::vector<pki::Certificate>> ReadableChain(const host::Files& files,
                                                           const host::fs::path& path) {
  try {
    return LoadChain(files, path);
  } catch (const base::Error& error) {
    base::LogInfo(3, "not using a certificate: {}", error.message());
    return std::nullopt;
  }
}

bool HasReadableKey(const host::Files& files, const host::fs::path& path) {
  try {
    LoadKey(files, path);
    return true;
  } catch (const base::Error&) {
    return false;
  }
}

bool AnyIsThere(const host::Files& files, const host::fs::path& dir, const CertSpec& spec) {
  return IsThere(files, CertPath(dir, spec.base_name)) ||
         IsThere(files, KeyPath(dir, spec.base_name));
}

// Throws unless `ca` signed the first certificate of `chain` and every certificate of `chain` is
// valid now. An expired or not yet valid leaf would not work.
void CheckSigned(const CertSpec& spec, const std::vector<pki::Certificate>& chain,
                 const pki::Certificate& ca, const Context& context) {
  const std::optional<std::string> problem =
      pki::ChainProblem(chain.front(), {ca},
                        {.intermediates = {chain.begin() + 1, chain.end()}, .now = context.start});
  if (problem) {
    throw base::Error(
        base::Error::Kind::kInvalid,
        fmt::format("it is not signed by certificate authority \"{}\": {}", spec.ca, *problem));
  }
}

void CheckNames(const pki::Certificate& leaf, const pki::SubjectAltNames& wanted) {
  std::vector<std::string> names = wanted.dns_names;
  names.insert(names.end(), wanted.ip_addresses.begin(), wanted.ip_addresses.end());
  for (const std::string& name : names) {
    if (!leaf.CoversName(name)) {
      throw base::Error(base::Error::Kind::kInvalid, fmt::format("it is not valid for {}", name));
    }
  }
}

// Throws unless certificate and key of an existing leaf are as complete as new ones.
void CheckComplete(const CertSpec& spec, const Context& context, const pki::Certificate& ca) {
  LoadKey(context.files, KeyPath(context.dir(), spec.base_name));
  const auto chain = LoadChain(context.files, CertPath(context.dir(), spec.base_name));
  context.periods.Check(spec.name, chain.front());
  CheckSigned(spec, chain, ca, context);
  CheckNames(chain.front(), AltNamesOf(spec, context.config));
}

// Returns whether `init` keeps a leaf. Throws if it is readable but another CA signed it.
bool IsReusable(const CertSpec& spec, const Context& context) {
  const auto chain = ReadableChain(context.files, CertPath(context.dir(), spec.base_name));
  if (!chain) {
    return false;
  }
  const CertSpec& ca_spec = FindSpec(spec.ca);
  const pki::Certificate ca = LoadCaCertificate(context.files, context.dir(), ca_spec.base_name);
  context.periods.Check(spec.name, chain->front());
  context.periods.Check(ca_spec.name, ca);
  CheckSigned(spec, *chain, ca, context);
  return true;
}

Outcome CreateLeaf(const CertSpec& spec, const Context& context, const pki::KeyPair& ca) {
  const pki::CertificateSpec wanted = SpecFor(spec, context);
  const auto of_etcd = FindEtcdAlgorithm(context.config.cluster, spec.ca, ca.certificate);
  const pki::PrivateKey key = of_etcd ? pki::PrivateKey::Generate(*of_etcd) : context.new_key();
  SavePair(context.files, context.dir(), spec.base_name,
           {pki::Sign(wanted, key.Public(), ca), key});
  return {.action = Action::kCreated, .alt_names = wanted.alt_names};
}

Outcome EnsureLeaf(const CertSpec& spec, const Context& context, Reuse reuse) {
  FinishPair(context.files, context.dir(), spec.base_name);
  if (reuse == Reuse::kWhenSigned && IsReusable(spec, context)) {
    return {.action = Action::kReused};
  }
  const CertSpec& ca_spec = FindSpec(spec.ca);
  const pki::KeyPair ca = context.cas.Load(context.files, context.dir(), ca_spec.base_name);
  context.periods.Check(ca_spec.name, ca.certificate);
  if (AnyIsThere(context.files, context.dir(), spec)) {
    CheckComplete(spec, context, ca.certificate);
    return {.action = Action::kReused};
  }
  return CreateLeaf(spec, context, ca);
}

// Keeps a leaf of a CA whose key is not on this node. Throws if the leaf is missing or unusable.
Outcome KeepLeaf(const CertSpec& spec, const Context& context) {
  const CertSpec& ca_spec = FindSpec(spec.ca);
  const auto what = fmt::format("{} must already exist, because the key of \"{}\" does not",
                                Quoted(spec.name), ca_spec.name);
  return base::WithContext(what, [&] {
    LoadKey(context.files, KeyPath(context.dir(), spec.base_name));
    const auto chain = LoadChain(context.files, CertPath(context.dir(), spec.base_name));
    context.periods.Check(spec.name, chain.front());
    CheckSigned(spec, chain, LoadCaCertificate(context.files, context.dir(), ca_spec.base_name),
                context);
    return Outcome{.action = Action::kReused};
  });
}

}  // namespace

bool IsSkipped(const CertSpec& spec, const config::ClusterConfiguration& cluster) {
  return spec.of_etcd && cluster.etcd.external.has_value();
}

// In releases before 1.36, a group gives the API server its rights on kubelets.
std::vector<std::string> OrganizationsOf(const CertSpec& spec,
                                         const config::ClusterConfiguration& cluster) {
  const std::string_view group = releases::For(cluster.kubernetes_version).kubelet_client_group;
  return spec.name == kKubeletClient && !group.empty() ? std::vector{std::string(group)}
                                                       : std::vector<std::string>{};
}

pki::CertificateSpec SpecFor(const CertSpec& spec, const Context& context) {
  const config::ClusterConfiguration& cluster = context.config.cluster;
  const std::string name(spec.common_name.empty() ? context.config.init.node_registration.name
                                                  : spec.common_name);
  return {
      .subject = {.common_name = name, .organizations = OrganizationsOf(spec, cluster)},
      .alt_names = AltNamesOf(spec, context.config),
      .usages = {spec.usages.begin(), spec.usages.end()},
      .not_before = context.start - kBackdate,
      .not_after = EndOf(context.start, spec.is_ca() ? CaValidity(cluster) : LeafValidity(cluster)),
      .ecdsa_enciphers = EcdsaEnciphers(cluster)};
}

Outcome EnsureCa(const CertSpec& spec, const Context& context) {
  if (IsSkipped(spec, context.config.cluster)) {
    return {.action = Action::kSkippedExternalEtcd};
  }
  FinishPair(context.files, context.dir(), spec.base_name);
  const host::fs::path certificate_path = CertPath(context.dir(), spec.base_name);
  const host::fs::path key_path = KeyPath(context.dir(), spec.base_name);
  if (AnyIsThere(context.files, context.dir(), spec)) {
    const auto chain = base::WithContext(
        Quoted(spec.name), [&] { return LoadChain(context.files, certificate_path); });
    context.periods.Check(spec.name, chain.front());
    const bool has_key = HasReadableKey(context.files, key_path);
    return {.action = has_key ? Action::kReused : Action::kReusedKeyless};
  }
  const pki::PrivateKey key = context.new_key();
  SavePair(context.files, context.dir(), spec.base_name,
           {pki::NewSelfSignedCa(SpecFor(spec, context), key), key});
  return {.action = Action::kCreated};
}

Outcome EnsureCertificate(const CertSpec& spec, const Context& context, Reuse reuse) {
  if (IsSkipped(spec, context.config.cluster)) {
    return {.action = Action::kSkippedExternalEtcd};
  }
  return base::WithContext(Quoted(spec.name), [&] { return EnsureLeaf(spec, context, reuse); });
}

Outcome Ensure(const CertSpec& spec, const Context& context) {
  return spec.is_ca() ? EnsureCa(spec, context)
                      : EnsureCertificate(spec, context, Reuse::kWhenSigned);
}

Outcome EnsureServiceAccountKey(const Context& context) {
  const host::fs::path path = KeyPath(context.dir(), kServiceAccount);
  if (IsThere(context.files, path)) {
    const pki::PrivateKey key =
        base::WithContext("service account key", [&] { return LoadKey(context.files, path); });
    if (!IsThere(context.files, PublicKeyPath(context.dir()))) {
      SaveServicePublicKey(context.files, context.dir(), key);
    }
    return {.action = Action::kReused};
  }
  SaveServiceAccountKey(context.files, context.dir(), context.new_key());
  return {.action = Action::kCreated};
}

std::vector<TreeOutcome> EnsureTree(const Context& context) {
  std::vector<TreeOutcome> outcomes;
  bool keyless = false;  // the CA of the following leaves has no key here
  for (const CertSpec& spec : Tree()) {
    if (IsSkipped(spec, context.config.cluster)) {
      outcomes.push_back({&spec, {.action = Action::kSkippedExternalEtcd}});
    } else if (spec.is_ca()) {
      outcomes.push_back({&spec, EnsureCa(spec, context)});
      keyless = outcomes.back().outcome.action == Action::kReusedKeyless;
    } else {
      outcomes.push_back({&spec, keyless ? KeepLeaf(spec, context)
                                         : EnsureCertificate(spec, context, Reuse::kWhenComplete)});
    }
  }
  return outcomes;
}

std::size_t KeysToDraw(const host::Files& files, const config::ClusterConfiguration& cluster) {
  const host::fs::path dir = cluster.certificates_dir;
  std::size_t count = IsThere(files, KeyPath(dir, kServiceAccount)) ? 0 : 1;
  for (const CertSpec& spec : Tree()) {
    const bool made = !IsSkipped(spec, cluster) && !AnyIsThere(files, dir, spec);
    count += made ? 1 : 0;
  }
  return count;
}

}  // namespace certs
