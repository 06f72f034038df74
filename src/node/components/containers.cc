// SPDX-License-Identifier: Apache-2.0
#include "components/containers.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/log.h"

namespace components {
namespace {

// If the runtime lists no annotations, only the name counts.
bool IsStatic(const cri::Sandbox& sandbox) {
  const auto source = sandbox.annotations.find("kubernetes.io/config.source");
  return sandbox.name_space == "kube-system" &&
         (source == sandbox.annotations.end() || source->second == "file");
}

bool IsOf(const cri::Sandbox& sandbox, Component component) {
  return IsStatic(sandbox) && sandbox.name.starts_with(fmt::format("{}-", Name(component)));
}

// A failed removal is ignored, because it only delays the next start.
void Forget(const std::string& id, cri::Runtime& runtime) {
  try {
    runtime.RemoveContainer(id);
  } catch (const base::Error& error) {
    base::LogInfo(1, "container {} stays known: {}", id, error.message());
  }
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
  std::set<std::pair<std::string, std::string>> homes;  // a sandbox's id, and the component's name
  // Lists the sandboxes after the containers, so that the sandbox of each container is in the list.
  for (const cri::Sandbox& sandbox : runtime.Sandboxes()) {
    for (const Component component : which) {
      if (IsOf(sandbox, component)) {
        homes.emplace(sandbox.id, Name(component));
      }
    }
  }
  std::erase_if(containers, [&](const cri::Container& container) {
    return !homes.contains({container.sandbox_id, container.name});
  });
  return containers;
}

std::vector<cri::Container> ContainersOf(Component component, cri::Runtime& runtime) {
  return ContainersOf(std::span(&component, 1), runtime);
}

std::vector<cri::Sandbox> SandboxesOf(Component component, cri::Runtime& runtime) {
  std::vector<cri::Sandbox> sandboxes = runtime.Sandboxes();
  std::erase_if(sandboxes, [&](const cri::Sandbox& sandbox) { return !IsOf(sandbox, component); });
  return sandboxes;
}

void EndContainer(const std::string& id, std::chrono::seconds grace, cri::Runtime& runtime) {
  runtime.StopContainer(id, grace);
  Forget(id, runtime);
}

void ForgetEnded(Component component, cri::Runtime& runtime) {
  for (const cri::Container& container : ContainersOf(component, runtime)) {
    if (container.state == cri::Container::State::kExited) {
      Forget(container.id, runtime);
    }
  }
}

}  // namespace components
