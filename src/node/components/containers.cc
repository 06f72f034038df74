// SPDX-License-Identifier: Apache-2.0
#include "components/containers.h"

#include <algorithm>
#include <set>
#include <string>

namespace components {
namespace {

bool IsStatic(const cri::Sandbox& sandbox) {
  const auto source = sandbox.annotations.find("kubernetes.io/config.source");
  return sandbox.name_space == "kube-system" && source != sandbox.annotations.end() &&
         source->second == "file";
}

std::set<std::string> StaticPods(cri::Runtime& runtime) {
  std::set<std::string> ids;
  for (const cri::Sandbox& sandbox : runtime.Sandboxes()) {
    if (IsStatic(sandbox)) {
      ids.insert(sandbox.id);
    }
  }
  return ids;
}

}  // namespace

std::vector<cri::Container> ContainersOf(std::span<const Component> which, cri::Runtime& runtime) {
  std::vector<cri::Container> containers = runtime.Containers([&](const cri::Container& container) {
    return std::ranges::any_of(
        which, [&](Component component) { return container.name == Name(component); });
  });
  if (containers.empty()) {
    return containers;
  }
  const std::set<std::string> pods = StaticPods(runtime);  // later: it knows of all their Pods
  std::erase_if(containers, [&](const cri::Container& container) {
    return !pods.contains(container.sandbox_id);
  });
  return containers;
}

std::vector<cri::Container> ContainersOf(Component component, cri::Runtime& runtime) {
  return ContainersOf(std::span(&component, 1), runtime);
}

}  // namespace components
