// SPDX-License-Identifier: Apache-2.0
#include "control_plane/soak.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/strings.h"
#include "releases/releases.h"

namespace control_plane {
namespace {

using base::Error;

constexpr std::string_view kOfKubernetes = "kube=";

std::array<config::Args*, 3> ArgsOf(config::ClusterConfiguration& cluster) {
  return {&cluster.api_server.component.extra_args, &cluster.controller_manager.extra_args,
          &cluster.scheduler.extra_args};
}

base::Version VersionOf(const config::ClusterConfiguration& cluster) {
  return base::Version::ParseGeneric(cluster.kubernetes_version).value_or(base::Version());
}

}  // namespace

std::optional<base::Version> EmulatedVersion(const config::ClusterConfiguration& cluster) {
  const auto value = config::FindArg(cluster.api_server.component.extra_args, kEmulatedVersion);
  for (const std::string& word : base::Split(value.value_or(""), ',')) {
    std::string_view one = word;
    if (one.starts_with(kOfKubernetes)) {
      one.remove_prefix(kOfKubernetes.size());
    }
    // The emulated version of another component ("wardle=1.2") does not count.
    const auto version = base::Version::ParseGeneric(one);
    if (version && version->minor < VersionOf(cluster).minor) {
      return version;
    }
  }
  return std::nullopt;
}

void BeginSoak(config::ClusterConfiguration& cluster, const base::Version& before) {
  if (EmulatedVersion(cluster)) {
    return;
  }
  const base::Version wanted = VersionOf(cluster);
  if (wanted.minor != before.minor + 1) {
    throw Error(Error::Kind::kUsage,
                fmt::format("--soak is for an upgrade to the next minor version: the cluster is at "
                            "{}, and {} is wanted",
                            before.TextWithV(), cluster.kubernetes_version));
  }
  if (!releases::For(wanted).soaks) {
    throw Error(
        Error::Kind::kUsage,
        fmt::format("--soak was not tried with {}, so it is not offered: upgrade without it",
                    cluster.kubernetes_version));
  }
  for (config::Args* args : ArgsOf(cluster)) {
    args->push_back(
        {.name = kEmulatedVersion, .value = fmt::format("{}.{}", before.major, before.minor)});
  }
}

void EndSoak(config::ClusterConfiguration& cluster) {
  if (!EmulatedVersion(cluster)) {
    return;
  }
  for (config::Args* args : ArgsOf(cluster)) {
    std::erase_if(*args, [](const config::Arg& arg) { return arg.name == kEmulatedVersion; });
  }
}

}  // namespace control_plane
