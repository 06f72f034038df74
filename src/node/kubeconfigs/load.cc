// SPDX-License-Identifier: Apache-2.0
#include "kubeconfigs/load.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "config/paths.h"
#include "kube/exec_plugin.h"

namespace kubeconfigs {
namespace {

using base::Error;

// ReadIn takes the place of a file's name by its content. Which of both would count nobody should
// have to guess.
void ReadIn(const host::Files& files, std::string& data, std::string& name) {
  if (!data.empty() && !name.empty()) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("file {} is named although its content is given as data", name));
  }
  if (!name.empty()) {
    data = files.Read(name);
  }
  name.clear();
}

}  // namespace

kube::Kubeconfig LoadKubeconfig(const host::Files& files, const host::fs::path& path) {
  const std::string text = files.Read(path);
  return base::WithContext(path.string(), [&] {
    kube::Kubeconfig config = kube::Kubeconfig::Parse(text);
    kube::LocateFiles(config, path.parent_path());
    for (auto& [name, cluster] : config.clusters) {
      ReadIn(files, cluster.certificate_authority_data, cluster.certificate_authority);
    }
    for (auto& [name, user] : config.users) {
      ReadIn(files, user.client_certificate_data, user.client_certificate);
      ReadIn(files, user.client_key_data, user.client_key);
      kube::LocateProgram(user, path.parent_path());
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
