// SPDX-License-Identifier: Apache-2.0
#include "steps/resume.h"

#include <fmt/core.h>

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "certs/disk.h"
#include "config/paths.h"
#include "etcd_membership/local_etcd.h"
#include "kube/kubeconfig.h"
#include "kubeconfigs/load.h"
#include "kubelet/node_config.h"
#include "pki/certificate.h"
#include "preflight/checks.h"
#include "static_pods/static_pod.h"
#include "workflow/resume.h"

namespace steps {
namespace {

using host::fs::path;

bool IsOwn(const ResumedNode& node, const path& file) {
  return workflow::IsOwnLeftover(node.journal, node.files, file);
}

void DropOwn(const ResumedNode& node, const path& file) {
  if (IsOwn(node, file)) {
    node.files.Remove(file);
  }
}

// Removes a key without its certificate, left by an interrupted run: no phase can continue from it.
void DropLoneKey(const ResumedNode& node, const path& key, const path& rest) {
  if (!node.files.Exists(rest)) {
    DropOwn(node, key);
  }
}

// Removes a file that was created for another configuration.
void DropOutdated(const ResumedNode& node, const path& file) {
  if (node.journal != nullptr && node.journal->IsForAnotherConfiguration(file.string())) {
    DropOwn(node, file);
  }
}

// Returns the FileAvailable checks of the files that the resumed run has created. The check of
// kubelet.conf is included if a join has written the bootstrap kubeconfig: the kubelet then writes
// kubelet.conf.
std::set<std::string> SettledFiles(const ResumedNode& node) {
  std::set<std::string> settled;
  const auto settle = [&](const path& file) {
    settled.insert("FileAvailable-" + preflight::PathName(file.string()));
  };
  const path dir(config::kKubernetesDir);
  for (const auto& [file, hash] : node.journal->earlier_files()) {
    if (IsOwn(node, file)) {
      settle(file);
    }
    if (file == dir / config::kBootstrapKubeletConf) {
      settle(dir / config::kKubeletConf);
    }
  }
  return settled;
}

// Returns the kubeconfig of the resumed join's kubelet; std::nullopt if no usable one exists.
std::optional<kube::Kubeconfig> KubeletConf(const host::Files& files,
                                            const workflow::Journal* journal) {
  const path dir(config::kKubernetesDir);
  const path kubelet_conf = dir / config::kKubeletConf;
  if (journal == nullptr ||
      !journal->earlier_files().contains((dir / config::kBootstrapKubeletConf).string()) ||
      !files.Exists(kubelet_conf)) {
    return std::nullopt;
  }
  try {
    return kubeconfigs::LoadKubeconfig(files, kubelet_conf);
  } catch (const base::Error&) {
    return std::nullopt;
  }
}

// Returns the user name in a kubeconfig's certificate; "" if there is no certificate.
std::string CertificateUser(const kube::Kubeconfig& config) {
  const kube::KubeconfigUser* user = config.CurrentUser();
  try {
    return user == nullptr
               ? ""
               : pki::Certificate::FromPem(user->client_certificate_data).subject().common_name;
  } catch (const base::Error&) {
    return "";  // an unusable certificate gives no identity
  }
}

std::string NodeUser(const std::string& node) { return "system:node:" + node; }

bool HaveCommonCa(const std::string& pem, const std::string& other_pem) {
  const std::vector<pki::Certificate> others = pki::Certificate::ChainFromPem(other_pem);
  return std::ranges::any_of(pki::Certificate::ChainFromPem(pem), [&](const auto& ca) {
    return std::ranges::find(others, ca) != others.end();
  });
}

// Returns the parts of a kubelet's identity that differ from the wanted identity; std::nullopt if
// none does.
std::optional<std::string> Misfit(const kube::Kubeconfig& config, const Identity& wanted) {
  const kube::KubeconfigCluster* cluster = config.CurrentCluster();
  const std::string user = CertificateUser(config);
  if (user.empty()) {
    return std::nullopt;
  }
  if (user != NodeUser(wanted.node)) {
    return fmt::format("as user {}, which is not node {}", base::Quoted(user),
                       base::Quoted(wanted.node));
  }
  if (cluster != nullptr && !HaveCommonCa(cluster->certificate_authority_data, wanted.ca_pem)) {
    return "in a cluster of another CA";
  }
  if (cluster != nullptr && wanted.server && cluster->server != *wanted.server) {
    return fmt::format("for the API server {}, not {}", cluster->server, *wanted.server);
  }
  return std::nullopt;
}

// Returns the port of the resumed run's API server, according to its manifest.
std::optional<std::string> OwnApiServerPort(const ResumedNode& node) {
  const auto pod = static_pods::ReadManifest(node.files, components::Component::kApiServer);
  return pod ? static_pods::CommandArg(*pod, "secure-port") : std::nullopt;
}

}  // namespace

void DropStaleCertificate(const ResumedNode& node, const certs::CertSpec& spec) {
  const path dir = node.config.cluster.certificates_dir;
  const path certificate = certs::CertPath(dir, spec.base_name);
  const path key = certs::KeyPath(dir, spec.base_name);
  if (!spec.is_ca()) {
    DropOutdated(node, certificate);
    DropOutdated(node, key);
  }
  DropLoneKey(node, key, certificate);
}

void DropStaleServiceAccountKey(const ResumedNode& node) {
  const path dir = node.config.cluster.certificates_dir;
  DropLoneKey(node, certs::KeyPath(dir, certs::kServiceAccount), certs::PublicKeyPath(dir));
}

void DropStaleKubeconfig(const ResumedNode& node, const kubeconfigs::KubeconfigSpec& spec) {
  DropOutdated(node, node.kubeconfig_dir / spec.file);
}

bool IsOwnNode(const host::Files& files, const workflow::Journal* journal,
               const std::string& name) {
  const std::optional<kube::Kubeconfig> config = KubeletConf(files, journal);
  return config && CertificateUser(*config) == NodeUser(name);
}

void RequireFittingIdentity(const host::Files& files, const workflow::Journal* journal,
                            const Identity& wanted) {
  const std::optional<kube::Kubeconfig> config = KubeletConf(files, journal);
  if (const auto misfit = config ? Misfit(*config, wanted) : std::nullopt) {
    throw base::Error(
        base::Error::Kind::kConflict,
        fmt::format("a previous \"kubeadm join\" has obtained a certificate for this machine's "
                    "kubelet {}; undo that first: \"kubeadm reset\"",
                    *misfit));
  }
}

std::set<std::string> SettledChecks(const ResumedNode& node) {
  if (node.journal == nullptr) {
    return {};
  }
  std::set<std::string> settled = SettledFiles(node);
  const auto ports = [&](const path& file, std::initializer_list<int> numbers) {
    for (const int port : numbers) {
      if (IsOwn(node, file)) {
        settled.insert(fmt::format("Port-{}", port));
      }
    }
  };
  using components::ManifestPath, components::Component;
  ports(ManifestPath(Component::kControllerManager), {config::kControllerManagerPort});
  ports(ManifestPath(Component::kScheduler), {config::kSchedulerPort});
  ports(ManifestPath(Component::kEtcd), {config::kEtcdClientPort, config::kEtcdPeerPort});
  ports(path(kubelet::kConfigFile), {config::kKubeletPort});
  // The port and the directory come from the manifests, because the configuration may have changed
  // since.
  if (const auto port = OwnApiServerPort(node);
      port && IsOwn(node, ManifestPath(Component::kApiServer))) {
    settled.insert("Port-" + *port);
  }
  const auto etcd = etcd_membership::FindEtcd(node.files).local;
  if (etcd && IsOwn(node, ManifestPath(Component::kEtcd))) {
    settled.insert("DirAvailable-" + preflight::PathName(etcd->data_dir.string()));
  }
  // The earlier run ended between the removal of an outdated manifest and the write of the new one.
  // Its own checks, for the same configuration, have already judged this directory.
  const path manifest = ManifestPath(Component::kEtcd);
  const auto& configured = node.config.cluster.etcd.local;
  if (configured && !node.journal->config_changed() && !node.files.Exists(manifest) &&
      node.journal->RecordedHash(manifest.string())) {
    settled.insert("DirAvailable-" + preflight::PathName(configured->data_dir));
  }
  return settled;
}

}  // namespace steps
