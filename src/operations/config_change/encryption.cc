// SPDX-License-Identifier: Apache-2.0
#include "config_change/encryption.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "base/error.h"
#include "components/table.h"
#include "static_pods/static_pod.h"

namespace config_change {
namespace {

using base::Error;

constexpr auto kApiServer = components::Component::kApiServer;

// Returns the path of the file with the keys; "" if objects are stored unencrypted.
std::string KeysOf(const std::optional<json::Value>& pod) {
  return pod ? static_pods::CommandArg(*pod, "encryption-provider-config").value_or("") : "";
}

std::string KeysOnDisk(const host::Files& files) {
  return KeysOf(static_pods::ReadManifest(files, kApiServer));
}

std::string Shown(const std::string& keys) { return keys.empty() ? "none" : keys; }

}  // namespace

void RequireSameKeysToTry(const Plan& plan, const host::Files& files) {
  const auto change =
      std::ranges::find(plan.pods, kApiServer, &control_plane::PodChange::component);
  if (change == plan.pods.end() || KeysOf(change->pod) == KeysOnDisk(files)) {
    return;
  }
  throw Error(
      Error::Kind::kInvalid,
      fmt::format("nothing was changed: encryption-provider-config would become {} instead "
                  "of {}: objects that are written with the keys of one cannot be read with "
                  "those of the other, so that this cannot be rolled back by itself; apply it "
                  "without --try",
                  Shown(KeysOf(change->pod)), Shown(KeysOnDisk(files))));
}

void RequireSameKeysToUndo(const host::Files& files, const std::optional<json::Value>& old) {
  const std::string now = KeysOnDisk(files);
  if (!old || KeysOf(old) == now) {
    return;
  }
  throw Error(
      Error::Kind::kConflict,
      fmt::format("nothing was changed: objects may have been written since with the keys of "
                  "encryption-provider-config {}, which the API server could not read with {} any "
                  "more. Make the provider that you return to the first one in the file (none: "
                  "identity), restart every API server, write all objects again ('kubectl get "
                  "secrets -A -o json | kubectl replace -f -'), and then change the argument by "
                  "'kubeadm config apply'",
                  Shown(now), Shown(KeysOf(old))));
}

}  // namespace config_change
