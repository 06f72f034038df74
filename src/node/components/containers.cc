// SPDX-License-Identifier: Apache-2.0
#include "components/containers.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/log.h"

namespace components {
namespace {

// A runtime that lists no annotations leaves the name to tell.
bool IsStatic(const cri::Sandbox& sandbox) {
  const auto source = sandbox.annotations.find("kubernetes.io/config.source");
  return sandbox.name_space == "kube-system" &&
         (source == sandbox.annotations.end() || source->second == "file");
}

// The node in the name of a component's static Pod, COMPONENT-NODE; nothing for another's.
std::optional<std::string> NodeOf(const cri::Sandbox& sandbox, Component component) {
  const std::string head = fmt::format("{}-", Name(component));
  if (!IsStatic(sandbox) || !sandbox.name.starts_with(head)) {
    return std::nullopt;
  }
  return sandbox.name.substr(head.size());
}

// StaticPods are those of the components on this node.
class StaticPods {
 public:
  explicit StaticPods(std::vector<cri::Sandbox> sandboxes) : sandboxes_(std::move(sandboxes)) {
    for (const cri::Sandbox& sandbox : sandboxes_) {
      for (const Component component : kComponents) {
        if (auto node = NodeOf(sandbox, component)) {
          nodes_.insert(*std::move(node));
        }
      }
    }
  }

  std::vector<cri::Sandbox> Of(Component component) const {
    std::vector<cri::Sandbox> found;
    std::ranges::copy_if(sandboxes_, std::back_inserter(found), [&](const cri::Sandbox& sandbox) {
      const auto node = NodeOf(sandbox, component);
      return node && !HasMoreThanTheNode(*node);
    });
    return found;
  }

 private:
  // A Pod etcd-events-NODE is somebody's own, as any COMPONENT-NODE beside it tells.
  bool HasMoreThanTheNode(const std::string& name) const {
    return std::ranges::any_of(
        nodes_, [&](const std::string& node) { return name.ends_with(fmt::format("-{}", node)); });
  }

  std::vector<cri::Sandbox> sandboxes_;
  std::set<std::string> nodes_;
};

// A runtime that does not do it makes the next start later, no more.
void Forget(const std::string& id, cri::Runtime& runtime) {
  try {
    runtime.RemoveContainer(id);
  } catch (const base::Error& error) {
    if (error.kind() == base::Error::Kind::kCancelled) {
      throw;
    }
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
  std::set<std::pair<std::string, std::string>> homes;  // a sandbox, and whose
  const StaticPods pods(runtime.Sandboxes());           // later: all their Pods are known
  for (const Component component : which) {
    for (const cri::Sandbox& sandbox : pods.Of(component)) {
      homes.emplace(sandbox.id, Name(component));
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
  return StaticPods(runtime.Sandboxes()).Of(component);
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
