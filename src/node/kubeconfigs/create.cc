// SPDX-License-Identifier: Apache-2.0
#include "kubeconfigs/create.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "base/log.h"
#include "base/secret_text.h"
#include "certs/disk.h"
#include "config/feature_gates.h"
#include "config/paths.h"
#include "kube/kubeconfig.h"
#include "kubeconfigs/build.h"
#include "kubeconfigs/load.h"

namespace kubeconfigs {
namespace {

host::fs::path PathOf(const KubeconfigSpec& spec, const Context& context) {
  return context.dir / spec.file;
}

pki::Subject SubjectOf(const KubeconfigSpec& spec, const config::Init& config) {
  pki::Subject subject{.common_name = UserOf(spec, config)};
  if (!spec.organization.empty()) {
    subject.organizations.emplace_back(spec.organization);
  }
  return subject;
}

// Accepts any signing certificate: `certs` checks whether ca.crt is a CA's.
pki::KeyPair LoadCa(const Context& context) {
  return base::WithContext(
      "cannot make a kubeconfig, the CA's files cannot be loaded (\"kubeadm init phase certs ca\" "
      "makes them)",
      [&] {
        pki::KeyPair ca{certs::LoadCaCertificate(context.files, context.ca_dir, certs::kCa),
                        certs::LoadKey(context.files, certs::KeyPath(context.ca_dir, certs::kCa))};
        context.periods.Check(certs::kCa, ca.certificate);
        return ca;
      });
}

// Returns the first certificate that a cluster trusts. Returns std::nullopt if the cluster neither
// embeds certificates nor names a file of them.
std::optional<pki::Certificate> TrustedBy(const kube::KubeconfigCluster& cluster,
                                          const host::Files& files) {
  if (!cluster.certificate_authority_data.empty()) {
    return pki::Certificate::FromPem(cluster.certificate_authority_data);
  }
  if (cluster.certificate_authority.empty()) {
    return std::nullopt;
  }
  return certs::LoadChain(files, cluster.certificate_authority).front();
}

// Returns the server of the kubeconfig's current cluster. Throws unless this cluster trusts one of
// the CAs. Ignores the kubeconfig's client certificate.
std::string CheckTrust(std::string_view text, const std::vector<pki::Certificate>& cas,
                       const host::Files& files) {
  const kube::Kubeconfig config = kube::Kubeconfig::Parse(text);
  const kube::KubeconfigCluster* cluster = config.CurrentCluster();
  if (cluster == nullptr) {
    throw base::Error(base::Error::Kind::kInvalid, config.NoClusterReason());
  }
  const auto trusted =
      base::WithContext("its certificate authority", [&] { return TrustedBy(*cluster, files); });
  if (!trusted || std::ranges::find(cas, *trusted) == cas.end()) {
    throw base::Error(base::Error::Kind::kInvalid,
                      "its cluster does not trust this certificate authority (CA)");
  }
  return cluster->server;
}

// Calls CheckTrust for a file. Warns if the file names another server than `server`.
Action CheckExisting(const host::fs::path& path, const std::string& server,
                     const std::vector<pki::Certificate>& cas, const host::Files& files) {
  const std::string found =
      base::WithContext(fmt::format("the kubeconfig file {}", path.string()),
                        [&] { return CheckTrust(base::SecretText(files.Read(path)), cas, files); });
  if (found == server) {
    return Action::kReused;
  }
  base::LogWarning("the kubeconfig file {} points to the API server {} and not to {}; it is kept",
                   path.string(), found, server);
  return Action::kReusedOtherServer;
}

host::fs::path RequestPathOf(const KubeconfigSpec& spec, const Context& context) {
  return context.dir / fmt::format("{}.csr", spec.file);
}

void RefuseExisting(const host::fs::path& path, const host::Files& files) {
  if (files.Exists(path)) {
    throw base::Error(base::Error::Kind::kAlreadyExists,
                      fmt::format("file already exists: {}", path.string()));
  }
}

pki::PrivateKey KeyIn(const host::fs::path& path, const host::Files& files) {
  const kube::Kubeconfig kubeconfig = LoadKubeconfig(files, path);
  return base::WithContext(path.string(), [&] {
    const kube::KubeconfigUser* user = kubeconfig.CurrentUser();
    return pki::PrivateKey::FromPem(user == nullptr ? "" : user->client_key_data);
  });
}

pki::PrivateKey NewFileForRequest(const KubeconfigSpec& spec, const Context& context) {
  pki::PrivateKey key = context.new_key();
  // The user distributes these files, so kubelet.conf has the control-plane endpoint, too.
  const Server server = spec.file == config::kKubeletConf ? Server::kControlPlane : spec.server;
  const kube::Kubeconfig kubeconfig = NewKubeconfig({.cluster = context.config.cluster.cluster_name,
                                                     .server = ServerUrl(server, context.config),
                                                     .user = UserOf(spec, context.config),
                                                     .key_pem = key.Pem()});
  context.files.Write(PathOf(spec, context), base::SecretText(kubeconfig.Text()), {.mode = 0600});
  return key;
}

void WriteRequest(const KubeconfigSpec& spec, const Context& context) {
  const host::fs::path path = PathOf(spec, context);
  const pki::PrivateKey key = certs::IsThere(context.files, path)
                                  ? KeyIn(path, context.files)
                                  : NewFileForRequest(spec, context);
  context.files.Write(RequestPathOf(spec, context),
                      pki::NewRequest(SubjectOf(spec, context.config), {}, key), {.mode = 0600});
}

}  // namespace

Outcome EnsureKubeconfig(const KubeconfigSpec& spec, const Context& context) {
  const host::fs::path path = PathOf(spec, context);
  const bool shared =
      spec.file == config::kKubeletConf && !config::KubeletAsksOwnServer(context.config.cluster);
  const std::string server =
      ServerUrl(shared ? Server::kControlPlane : spec.server, context.config);
  const pki::KeyPair ca = LoadCa(context);
  pki::CheckPair(ca);  // even if the file exists, as in upstream's kubeadm
  if (certs::IsThere(context.files, path)) {
    return {.action = CheckExisting(path, server, {ca.certificate}, context.files), .path = path};
  }
  const config::ClusterConfiguration& cluster = context.config.cluster;
  const pki::PrivateKey key = context.new_key();
  const pki::Certificate client = NewClient(
      SubjectOf(spec, context.config), key.Public(), ca,
      certs::EndOf(context.start, certs::LeafValidity(cluster)), certs::EcdsaEnciphers(cluster));
  const kube::Kubeconfig kubeconfig = NewKubeconfig({.cluster = cluster.cluster_name,
                                                     .server = server,
                                                     .ca_pem = ca.certificate.Pem(),
                                                     .user = UserOf(spec, context.config),
                                                     .certificate_pem = client.Pem(),
                                                     .key_pem = key.Pem()});
  context.files.Write(path, base::SecretText(kubeconfig.Text()), {.mode = 0600});
  return {.action = Action::kCreated, .path = path};
}

base::Problems ExternalCaProblems(const Context& context) {
  base::Problems problems;
  std::vector<pki::Certificate> cas;
  try {
    cas = certs::LoadChain(context.files, certs::CertPath(context.ca_dir, certs::kCa));
  } catch (const base::Error& error) {
    problems.Add("", error.message());
    return problems;
  }
  for (const KubeconfigSpec& spec : InitSpecs()) {
    // The user's kubelet.conf may have the control-plane endpoint.
    const Server server = spec.file == config::kKubeletConf ? Server::kControlPlane : spec.server;
    try {
      CheckExisting(PathOf(spec, context), ServerUrl(server, context.config), cas, context.files);
    } catch (const base::Error& error) {
      problems.Add("", error.message());
    }
  }
  return problems;
}

std::size_t KeysToDraw(const host::Files& files, const host::fs::path& dir,
                       std::span<const KubeconfigSpec> specs) {
  return static_cast<std::size_t>(std::ranges::count_if(
      specs, [&](const KubeconfigSpec& spec) { return !certs::IsThere(files, dir / spec.file); }));
}

std::string NewUserKubeconfig(const UserOptions& options, const Context& context) {
  const config::ClusterConfiguration& cluster = context.config.cluster;
  const pki::KeyPair ca = LoadCa(context);
  Parts parts{.cluster = cluster.cluster_name,
              .server = ServerUrl(Server::kControlPlane, context.config),
              .ca_pem = ca.certificate.Pem(),
              .user = options.client_name,
              .token = options.token};
  if (options.token.empty()) {
    const base::Duration validity = options.validity.value_or(certs::LeafValidity(cluster));
    const pki::PrivateKey key = context.new_key();
    parts.certificate_pem =
        NewClient({.common_name = options.client_name, .organizations = options.organizations},
                  key.Public(), ca, certs::EndOf(context.start, validity),
                  certs::EcdsaEnciphers(cluster))
            .Pem();
    parts.key_pem = key.Pem();
  }
  return NewKubeconfig(std::move(parts)).Text();
}

std::string NewUserKubeconfig(const UserOptions& options, const config::Init& config,
                              host::Host& host) {
  const auto start = host.clock.NowSeconds();
  certs::PeriodLog periods(start);
  return NewUserKubeconfig(
      options,
      {.files = host.files,
       .config = config,
       .dir = {},
       .ca_dir = config.cluster.certificates_dir,
       .start = start,
       .new_key = [&] { return pki::PrivateKey::Generate(certs::AlgorithmFor(config.cluster)); },
       .periods = periods});
}

void RequireNoRequests(const Context& context) {
  for (const KubeconfigSpec& spec : InitSpecs()) {
    RefuseExisting(PathOf(spec, context), context.files);
    RefuseExisting(RequestPathOf(spec, context), context.files);
  }
}

std::vector<const KubeconfigSpec*> WriteKubeconfigRequests(const Context& context) {
  std::vector<const KubeconfigSpec*> written;
  for (const KubeconfigSpec& spec : InitSpecs()) {
    WriteRequest(spec, context);
    written.push_back(&spec);
  }
  return written;
}

}  // namespace kubeconfigs
