// SPDX-License-Identifier: Apache-2.0
#include "upgrade/new_manifests.h"

#include <fmt/core.h>

#include <optional>

#include "accounts/accounts.h"
#include "base/error.h"
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
      files.Read(path);  // throws when it leads nowhere
    } else if (info->kind != host::FileInfo::Kind::kFile) {
      throw Error(Error::Kind::kInvalid, fmt::format("{} is not a regular file", path.string()));
    }
  }
}

std::string NewManifest(components::Component component, const config::Init& config,
                        const host::Host& host) {
  std::optional<accounts::RootlessIds> ids;
  if (static_pods::IsRootless(config.cluster)) {
    ids = accounts::PlannedRootlessIds(host.files);
  }
  return static_pods::Text(
      static_pods::FinishPod(
          component,
          static_pods::StaticPod(component, config, static_pods::GatherFacts(host, config.cluster)),
          {.rootless = ids ? &*ids : nullptr})
          .value);
}

}  // namespace upgrade
