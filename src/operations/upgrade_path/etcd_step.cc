// SPDX-License-Identifier: Apache-2.0
#include "upgrade_path/etcd_step.h"

#include <fmt/format.h>

#include "base/strings.h"
#include "base/version.h"
#include "releases/dropped.h"

namespace upgrade_path {

std::optional<std::string> FindEtcdStepHazard(
    const std::vector<control_plane::NodeVersion>& members, const std::string& next_tag) {
  const auto next = base::Version::ParseGeneric(next_tag);
  const std::string_view wanted = next ? releases::OldestEtcdFor(next->minor) : std::string_view();
  if (members.size() < 2 || wanted.empty()) {
    return std::nullopt;
  }
  const base::Version oldest = base::Version::ParseGeneric(wanted).value();
  std::vector<std::string> old;
  for (const control_plane::NodeVersion& member : members) {
    const auto version = base::Version::ParseGeneric(member.version);
    if (version && version->WithoutPreRelease() < oldest) {
      old.push_back(fmt::format("{} ({})", member.node, member.version));
    }
  }
  if (old.empty()) {
    return std::nullopt;
  }
  return fmt::format(
      "etcd would go to {} member by member, and etcd asks for {} or later on every member before "
      "that: {}. First set etcd.local.imageTag in ConfigMap \"kubeadm-config\" to a tag from {}-0 "
      "on that your registry has, bring every control plane to it ('kubeadm upgrade apply' with "
      "the version that the cluster has, then 'kubeadm upgrade node' on the others), and take the "
      "tag out again",
      next_tag, wanted, base::Join(old, ", "), wanted);
}

}  // namespace upgrade_path
