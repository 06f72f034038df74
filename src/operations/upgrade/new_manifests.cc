// SPDX-License-Identifier: Apache-2.0
#include "upgrade/new_manifests.h"

#include <fmt/core.h>

#include <optional>

#include "base/error.h"
#include "control_plane/wanted_pods.h"
#include "static_pods/accounts.h"
#include "static_pods/create.h"
#include "static_pods/rootless.h"

namespace upgrade {

using base::Error;

void RequireManifests(const host::Files& files) {
  for (const components::Component component : components::kControlPlane) {
    const host::fs::path path = components::ManifestPath(component);
    const auto info = files.Stat(path);
    if (!info) {
      throw Error(Error::Kind::kNotFound,
                  fmt::format("there is no {}: manifests are compared on a control-plane node",
                              path.string()));
    }
    if (info->kind == host::FileInfo::Kind::kLink) {
      files.Read(path);  // throws base::Error if the link is dangling
    } else if (info->kind != host::FileInfo::Kind::kFile) {
      throw Error(Error::Kind::kInvalid, fmt::format("{} is not a regular file", path.string()));
    }
  }
}

NewManifests FindNewManifests(const config::Init& config, const host::Host& host) {
  std::optional<static_pods::RootlessIds> ids;
  if (static_pods::IsRootless(config.cluster)) {
    ids = static_pods::PlannedRootlessIds(host.files);
  }
  const host::fs::path etcd = components::ManifestPath(components::Component::kEtcd);
  const bool has_etcd = host.files.Exists(etcd);
  control_plane::WantedPods wanted = control_plane::FindWantedPods(
      host, config, has_etcd ? control_plane::EtcdPod::kUpgrade : control_plane::EtcdPod::kLeave);
  NewManifests found{.manifests = {}, .etcd_left_out = std::move(wanted.etcd_stays)};
  if (config.cluster.etcd.local && !has_etcd) {
    found.etcd_left_out = fmt::format("there is no {}", etcd.string());
  }
  for (static_pods::Replacement& pod : wanted.pods) {
    found.manifests.push_back(
        {.component = pod.component,
         .text = static_pods::Text(static_pods::FinishPod(pod.component, std::move(pod.pod),
                                                          {.rootless = ids ? &*ids : nullptr})
                                       .value)});
  }
  return found;
}

}  // namespace upgrade
