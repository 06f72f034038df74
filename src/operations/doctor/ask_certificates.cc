// SPDX-License-Identifier: Apache-2.0
// Certificates, keys and kubeconfig files on this machine.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "certs/disk.h"
#include "certs/tree.h"
#include "config/paths.h"
#include "doctor/parts.h"
#include "kubeconfigs/load.h"
#include "pki/certificate.h"

namespace doctor {
namespace {

namespace fs = std::filesystem;

using certs::CertSpec;
using pki::Certificate;

struct KubeconfigRow {
  std::string_view name;
  bool on_workers;
  bool needed;
};
constexpr std::array<KubeconfigRow, 5> kKubeconfigs{{
    {config::kAdminConf, false, true},
    {config::kSuperAdminConf, false, false},
    {config::kControllerManagerConf, false, true},
    {config::kSchedulerConf, false, true},
    {config::kKubeletConf, true, true},
}};

// The result, and the number of files that this user may not read.
struct Found {
  std::vector<CertificateFact> certificates;
  std::vector<KubeconfigFact> kubeconfigs;
  BootstrapFact bootstrap;
  std::vector<ExposedFile> exposed;
  int forbidden = 0;
};

using Chain = std::vector<Certificate>;

std::optional<Chain> ChainAt(const host::Files& files, const fs::path& path) {
  try {
    return certs::LoadChain(files, path);
  } catch (const base::Error&) {
    return std::nullopt;  // reported with the CA's own certificate
  }
}

void Describe(const Certificate& certificate, CertificateFact& fact) {
  fact.issuer = certificate.IssuerText();
  fact.serial = certificate.SerialHex();
  fact.pin = pki::Pin(certificate);
  fact.not_before = certificate.not_before();
  fact.not_after = certificate.not_after();
}

// Reads the files of one node.
class Looker {
 public:
  Looker(const host::Files& files, Role role, fs::path dir)
      : files_(files), role_(role), dir_(std::move(dir)) {}

  Found Look() {
    for (const CertSpec& spec : certs::Tree()) {
      if (IsExpected(spec)) {
        LookAtSpec(spec);
      }
    }
    for (const KubeconfigRow& row : kKubeconfigs) {
      LookAtKubeconfig(row);
    }
    LookAtBootstrap();
    LookAtMode(certs::KeyPath(dir_, certs::kServiceAccount));
    return std::move(found_);
  }

 private:
  // Returns whether this node must have the certificate. A worker has only the CA's certificate. A
  // node with an external etcd has etcd certificates only if the user has provided them.
  bool IsExpected(const CertSpec& spec) const {
    if (role_ != Role::kControlPlane) {
      return spec.name == certs::kCa;
    }
    const bool stacked =
        files_.Exists(components::ManifestPath(components::Component::kEtcd)) ||
        files_.Exists(certs::CertPath(dir_, certs::FindSpec("etcd-server").base_name));
    return !spec.of_etcd || stacked;
  }

  void LookAtSpec(const CertSpec& spec) {
    CertificateFact fact{.name = std::string(spec.name),
                         .path = certs::CertPath(dir_, spec.base_name).string(),
                         .ca = std::string(spec.ca)};
    try {
      LookAtMode(certs::KeyPath(dir_, spec.base_name));
      const std::optional<std::string> pem = files_.Find(fact.path);
      fact.missing = !pem;
      if (pem) {
        const Certificate certificate = Certificate::FromPem(*pem);
        Describe(certificate, fact);
        LookAtKey(spec, certificate, fact);
        CheckChain(certificate, fact);
      }
    } catch (const base::Error& error) {
      Note(error, fact.problem);
    }
    found_.certificates.push_back(std::move(fact));
  }

  // Reports a key that all users may access. Access by the file's group is permitted: a dedicated
  // group may read a key if the control plane does not run as root.
  void LookAtMode(const fs::path& path) {
    constexpr unsigned kOthers = 07;
    const std::optional<host::FileInfo> info = files_.Stat(path);
    if (info && info->kind == host::FileInfo::Kind::kFile && (info->mode & kOthers) != 0) {
      found_.exposed.push_back({path.string(), info->mode});
    }
  }

  // Checks that the key matches the certificate. A missing key of a CA is not a problem, because it
  // may be stored elsewhere. A worker has no CA key.
  void LookAtKey(const CertSpec& spec, const Certificate& certificate, CertificateFact& fact) {
    const fs::path path = certs::KeyPath(dir_, spec.base_name);
    try {
      const std::optional<std::string> pem = files_.Find(path);
      if (!pem) {
        if (!spec.is_ca()) {
          fact.key_problem = path.string() + " is not there";
        }
      } else if (!(pki::PrivateKey::FromPem(*pem).Public() == certificate.public_key())) {
        fact.key_problem = path.string() + " holds another key";
      }
    } catch (const base::Error& error) {
      Note(error, fact.key_problem);
    }
  }

  void CheckChain(const Certificate& certificate, CertificateFact& fact) {
    if (fact.ca.empty()) {
      return;
    }
    const fs::path path = certs::CertPath(dir_, certs::FindSpec(fact.ca).base_name);
    if (const std::optional<Chain> roots = ChainAt(files_, path)) {
      fact.ca_path = path.string();
      fact.chain_problem = pki::ChainProblem(certificate, *roots, {});
    }
  }

  void Note(const base::Error& error, std::optional<std::string>& problem) {
    if (IsForbidden(error)) {
      ++found_.forbidden;
    } else {
      problem = error.message();
    }
  }

  void LookAtKubeconfig(const KubeconfigRow& row) {
    if (!row.on_workers && role_ != Role::kControlPlane) {
      return;
    }
    KubeconfigFact fact{.name = std::string(row.name),
                        .path = (fs::path(config::kKubernetesDir) / row.name).string()};
    fact.missing = !files_.Exists(fact.path);
    if (fact.missing && !row.needed) {
      return;
    }
    LookAtMode(fact.path);
    try {
      if (!fact.missing) {
        ReadKubeconfig(fact);
      }
    } catch (const base::Error& error) {
      Note(error, fact.problem);
    }
    found_.kubeconfigs.push_back(std::move(fact));
  }

  void ReadKubeconfig(KubeconfigFact& fact) {
    const kube::Kubeconfig kubeconfig =
        kube::Kubeconfig::Parse(files_.Find(fact.path).value_or(""));
    const kube::KubeconfigCluster* cluster = kubeconfig.CurrentCluster();
    const kube::KubeconfigUser* user = kubeconfig.CurrentUser();
    if (cluster == nullptr || user == nullptr || cluster->server.empty()) {
      fact.problem = cluster == nullptr ? kubeconfig.NoClusterReason()
                     : user == nullptr  ? kubeconfig.NoUserReason()
                                        : "the cluster of its current context has no server";
      return;
    }
    fact.server = cluster->server;
    CompareCa(*cluster, fact);
    AddClientCertificate(*user, fact);
  }

  void CompareCa(const kube::KubeconfigCluster& cluster, KubeconfigFact& fact) {
    const std::string pem = cluster.certificate_authority.empty()
                                ? cluster.certificate_authority_data
                                : files_.Find(cluster.certificate_authority).value_or("");
    const std::optional<Chain> own =
        ChainAt(files_, certs::CertPath(dir_, certs::FindSpec(certs::kCa).base_name));
    if (pem.empty() || !own) {
      return;
    }
    const Chain known = Certificate::ChainFromPem(pem);
    fact.ca_is_known = true;
    fact.knows_ca = std::ranges::any_of(
        known, [&](const Certificate& ca) { return std::ranges::find(*own, ca) != own->end(); });
  }

  void AddClientCertificate(const kube::KubeconfigUser& user, const KubeconfigFact& file) {
    CertificateFact fact{
        .name = file.name,
        .path = user.client_certificate.empty() ? file.path : user.client_certificate,
        .ca = std::string(certs::kCa),
        .by_kubeconfig = true};
    try {
      const std::string pem = user.client_certificate.empty()
                                  ? user.client_certificate_data
                                  : files_.Read(user.client_certificate);
      if (pem.empty()) {
        return;  // the user logs in by other means
      }
      const Certificate certificate = Certificate::FromPem(pem);
      Describe(certificate, fact);
      CheckChain(certificate, fact);
    } catch (const base::Error& error) {
      Note(error, fact.problem);
    }
    found_.certificates.push_back(std::move(fact));
  }

  void LookAtBootstrap() {
    const fs::path directory(config::kKubernetesDir);
    if (files_.Exists(directory / config::kKubeletConf)) {
      return;
    }
    try {
      const auto text = files_.Find(directory / config::kBootstrapKubeletConf);
      found_.bootstrap.there = text.has_value();
      if (text) {
        const kube::Kubeconfig kubeconfig = kube::Kubeconfig::Parse(*text);
        const kube::KubeconfigUser* user = kubeconfig.CurrentUser();
        const std::string token = user == nullptr ? "" : user->token;
        found_.bootstrap.token_id = token.substr(0, token.find('.'));
      }
    } catch (const base::Error& error) {
      std::optional<std::string> unused;
      Note(error, unused);
    }
  }

  const host::Files& files_;
  const Role role_;
  const fs::path dir_;
  Found found_;
};

// Returns the directory of the certificates, according to the API server's arguments.
fs::path CertificatesDir(const host::Files& files) {
  try {
    const auto pod = static_pods::ReadManifest(files, components::Component::kApiServer);
    const fs::path ca = pod ? static_pods::CommandArg(*pod, "client-ca-file").value_or("") : "";
    return ca.is_absolute() ? ca.parent_path() : fs::path(config::kDefaultCertificatesDir);
  } catch (const base::Error&) {
    return config::kDefaultCertificatesDir;
  }
}

}  // namespace

std::optional<std::string> NodeName(const host::Files& files) {
  constexpr std::string_view kPrefix = "system:node:";
  try {
    const kube::Kubeconfig kubeconfig =
        kubeconfigs::LoadKubeconfig(files, fs::path(config::kKubernetesDir) / config::kKubeletConf);
    const kube::KubeconfigUser* user = kubeconfig.CurrentUser();
    const std::string pem = user == nullptr ? "" : user->client_certificate_data;
    const std::string name = Certificate::FromPem(pem).subject().common_name;
    if (name.starts_with(kPrefix) && name.size() > kPrefix.size()) {
      return name.substr(kPrefix.size());
    }
  } catch (const base::Error&) {
    return std::nullopt;
  }
  return std::nullopt;
}

Answer CollectCertificates(const DoctorSources& sources) {
  const host::Files& files = sources.host.files;
  Found found = Looker(files, RoleOf(files), CertificatesDir(files)).Look();
  return [found](Facts& facts) {
    facts.certificates = found.certificates;
    facts.kubeconfigs = found.kubeconfigs;
    facts.exposed = found.exposed;
    facts.bootstrap.there = found.bootstrap.there;
    facts.bootstrap.token_id = found.bootstrap.token_id;
    facts.looked_at.push_back(fmt::format("{} certificates, {} kubeconfig files",
                                          found.certificates.size(), found.kubeconfigs.size()));
    if (found.forbidden > 0) {
      facts.unseen.push_back(
          fmt::format("{} files of certificates, keys and kubeconfigs: only root may read them",
                      found.forbidden));
    }
  };
}

}  // namespace doctor
