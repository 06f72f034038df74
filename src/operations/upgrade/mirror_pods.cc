// SPDX-License-Identifier: Apache-2.0
#include "upgrade/mirror_pods.h"

#include <fmt/core.h>

#include "base/error.h"
#include "kube/objects.h"
#include "kube/wait.h"
#include "static_pods/static_pod.h"

namespace upgrade {
namespace {

std::optional<kube::NotYet> Ask(const MirrorWait& wait) {
  const auto stale = StaleMirror(wait.client, wait.host.files, wait.node);
  return stale ? std::optional(kube::NotYet{*stale}) : std::nullopt;
}

}  // namespace

std::optional<std::string> StaleMirror(kube::Client& client, const host::Files& files,
                                       const std::string& node) {
  for (const components::Component component : components::kComponents) {
    const std::optional<json::Value> manifest = static_pods::ReadManifest(files, component);
    if (!manifest) {
      continue;
    }
    const std::string name = fmt::format("{}-{}", Name(component), node);
    const std::optional<json::Value> pod =
        client.Find(kube::resources::kPod, std::string(kube::kSystemNamespace), name);
    if (!pod) {
      return fmt::format("Pod {} is not shown", name);
    }
    if (static_pods::FirstImage(*pod) != static_pods::FirstImage(*manifest)) {
      return fmt::format("Pod {} is shown with its previous image", name);
    }
  }
  return std::nullopt;
}

std::optional<std::string> AwaitMirrors(const MirrorWait& wait) {
  try {
    kube::WaitUntil(kube::PatientProbe([&](const std::stop_token&) { return Ask(wait); }),
                    {.clock = wait.host.clock,
                     .most = std::chrono::milliseconds(500),
                     .limit = wait.limit,
                     .stop = wait.stop,
                     .culprit = {}});
    return std::nullopt;
  } catch (const base::Error& error) {
    if (error.kind() != base::Error::Kind::kTimeout) {
      throw;
    }
    return error.message();
  }
}

}  // namespace upgrade
