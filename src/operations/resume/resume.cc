// SPDX-License-Identifier: Apache-2.0
#include "resume/resume.h"

#include <fmt/core.h>

#include <initializer_list>

#include "base/error.h"
#include "certs/disk.h"
#include "certs/tree.h"
#include "config/paths.h"
#include "kube/kubeconfig.h"
#include "kubeconfigs/load.h"
#include "kubelet/node_config.h"
#include "pki/certificate.h"
#include "preflight/checks.h"
#include "static_pods/static_pod.h"
#include "workflow/resume.h"

namespace resume {
namespace {

using host::fs::path;

bool IsOwn(const Node& node, const path& file) {
  return workflow::IsOwnLeftover(node.journal, node.files, file);
}

// Files that follow from the configuration alone and that nothing else depends on yet.
std::set<path> Remakeable(const Node& node) {
  std::set<path> paths;
  const path dir = node.config.cluster.certificates_dir;
  for (const certs::CertSpec& spec : certs::Tree()) {
    if (!spec.is_ca()) {
      paths.insert(certs::CertPath(dir, spec.base_name));
      paths.insert(certs::KeyPath(dir, spec.base_name));
    }
  }
  for (const kubeconfigs::KubeconfigSpec& spec : node.kubeconfigs) {
    paths.insert(node.kubeconfig_dir / spec.file);
  }
  return paths;
}

// DropLoneKeys: a run that was cut off between a key and what belongs to it left a key that no
// phase goes on from.
void DropLoneKeys(const Node& node) {
  const path dir = node.config.cluster.certificates_dir;
  const auto drop = [&](const path& key, const path& rest) {
    if (IsOwn(node, key) && !node.files.Exists(rest)) {
      node.files.Remove(key);
    }
  };
  for (const certs::CertSpec& spec : certs::Tree()) {
    drop(certs::KeyPath(dir, spec.base_name), certs::CertPath(dir, spec.base_name));
  }
  drop(certs::KeyPath(dir, certs::kServiceAccount), certs::PublicKeyPath(dir));
}

// A file that the resumed run has left. kubelet.conf is written by the kubelet, after a join has
// given it a bootstrap kubeconfig and started it.
std::set<std::string> SettledFiles(const Node& node) {
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

// The name of the user that a kubeconfig file's certificate is for; "" without one.
std::string CertificateUser(const host::Files& files, const path& kubeconfig) {
  const kube::Kubeconfig config = kubeconfigs::LoadKubeconfig(files, kubeconfig);
  const kube::KubeconfigUser* user = config.CurrentUser();
  return user == nullptr
             ? ""
             : pki::Certificate::FromPem(user->client_certificate_data).subject().common_name;
}

}  // namespace

void DropStaleFiles(const Node& node) {
  DropLoneKeys(node);
  if (node.journal == nullptr || !node.journal->config_changed()) {
    return;
  }
  const std::set<path> remakeable = Remakeable(node);
  for (const auto& [file, hash] : node.journal->earlier_files()) {
    if (remakeable.contains(file) && IsOwn(node, file)) {
      node.files.Remove(file);
    }
  }
}

bool IsOwnNode(const host::Files& files, const workflow::Journal* journal,
               const std::string& name) {
  const path dir(config::kKubernetesDir);
  const path kubelet_conf = dir / config::kKubeletConf;
  if (journal == nullptr ||
      !journal->earlier_files().contains((dir / config::kBootstrapKubeletConf).string()) ||
      !files.Exists(kubelet_conf)) {
    return false;
  }
  try {
    return CertificateUser(files, kubelet_conf) == "system:node:" + name;
  } catch (const base::Error&) {
    return false;  // unusable: not an identity
  }
}

std::set<std::string> SettledChecks(const Node& node) {
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
  ports(ManifestPath(Component::kApiServer), {node.config.init.local_api_endpoint.bind_port});
  ports(ManifestPath(Component::kControllerManager), {config::kControllerManagerPort});
  ports(ManifestPath(Component::kScheduler), {config::kSchedulerPort});
  ports(ManifestPath(Component::kEtcd), {config::kEtcdClientPort, config::kEtcdPeerPort});
  ports(path(kubelet::kConfigFile), {config::kKubeletPort});
  const auto& etcd = node.config.cluster.etcd.local;
  if (etcd && IsOwn(node, ManifestPath(Component::kEtcd))) {
    settled.insert("DirAvailable-" + preflight::PathName(etcd->data_dir));
  }
  return settled;
}

}  // namespace resume
