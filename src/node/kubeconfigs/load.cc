// SPDX-License-Identifier: Apache-2.0
#include "kubeconfigs/load.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "config/paths.h"
#include "kube/exec_plugin.h"

namespace kubeconfigs {
namespace {

using base::Error;

// The base directories of relative file names in a kubeconfig: the kubeconfig's directory, as for
// kubectl, and then the working directory, as for upstream's kubeadm. Other users may be able to
// write to the working directory, so its files must not override a CA next to the kubeconfig.
struct Names {
  const host::Files& files;
  host::fs::path directory;

  void Locate(std::string& name) const {
    const host::fs::path beside = directory / name;
    if (!name.empty() && (files.Exists(beside) || !files.Exists(name))) {
      name = beside.string();
    }
  }

  // Inlines a referenced file. Having both inline data and a path is rejected as ambiguous.
  void ReadIn(std::string& data, std::string& name) const {
    if (!data.empty() && !name.empty()) {
      throw Error(Error::Kind::kInvalid,
                  fmt::format("file {} is named although its content is given as data", name));
    }
    Locate(name);
    if (!name.empty()) {
      data = files.Read(name);
    }
    name.clear();
  }

  void ReadIn(kube::KubeconfigCluster& cluster) const {
    ReadIn(cluster.certificate_authority_data, cluster.certificate_authority);
  }

  void ReadIn(kube::KubeconfigUser& user) const {
    ReadIn(user.client_certificate_data, user.client_certificate);
    ReadIn(user.client_key_data, user.client_key);
    Locate(user.token_file);
    kube::LocateProgram(user, directory);
  }

  // Inlines the files of an entry that is not in use. Leaves the entry unchanged if they are
  // unreadable.
  template <typename Entry>
  void TryToReadIn(Entry& entry) const {
    Entry read = entry;
    try {
      ReadIn(read);
    } catch (const Error&) {
      return;
    }
    entry = std::move(read);
  }
};

}  // namespace

kube::Kubeconfig LoadKubeconfig(const host::Files& files, const host::fs::path& path) {
  const std::string text = files.Read(path);
  return base::WithContext(path.string(), [&] {
    kube::Kubeconfig config = kube::Kubeconfig::Parse(text);
    const Names names{.files = files, .directory = path.parent_path()};
    const kube::KubeconfigCluster* current_cluster = config.CurrentCluster();
    const kube::KubeconfigUser* current_user = config.CurrentUser();
    for (auto& [name, cluster] : config.clusters) {
      &cluster == current_cluster ? names.ReadIn(cluster) : names.TryToReadIn(cluster);
    }
    for (auto& [name, user] : config.users) {
      &user == current_user ? names.ReadIn(user) : names.TryToReadIn(user);
    }
    return config;
  });
}

host::fs::path UserPath(const host::Host& host) {
  std::vector<host::fs::path> paths;
  const std::string listed = host.environment.Get("KUBECONFIG");
  for (const std::string& path : base::Split(listed, ':')) {
    if (!path.empty()) {
      paths.emplace_back(path);
    }
  }
  if (listed.empty()) {
    paths.push_back(host::fs::path(host.environment.Get("HOME")) / ".kube/config");
  }
  paths.push_back(host::fs::path(config::kKubernetesDir) / config::kAdminConf);
  const auto found = std::ranges::find_if(
      paths, [&](const host::fs::path& path) { return host.files.Exists(path); });
  return found == paths.end() ? paths.front() : *found;
}

kube::Kubeconfig WithServer(kube::Kubeconfig config, const std::string& server) {
  for (auto& [name, cluster] : config.clusters) {
    cluster.server = server;
  }
  return config;
}

}  // namespace kubeconfigs
