// SPDX-License-Identifier: Apache-2.0
#include "cri/fake_runtime.h"

#include <algorithm>
#include <utility>

namespace cri {
namespace {

Container InItsPod(Container container) {
  if (container.sandbox_id.empty()) {
    container.sandbox_id = "pod-of-" + container.name;
  }
  return container;
}

}  // namespace

void FakeRuntime::Fail(const std::string& method, base::Error error, int times) {
  const std::scoped_lock lock(mutex_);
  failures_.insert_or_assign(method, Failure{std::move(error), times});
}

void FakeRuntime::Interrupt(std::string method) {
  const std::scoped_lock lock(mutex_);
  interrupted_ = std::move(method);
}

std::vector<std::string> FakeRuntime::calls() const {
  const std::scoped_lock lock(mutex_);
  return calls_;
}

std::unique_lock<std::mutex> FakeRuntime::Enter(const std::string& method,
                                                const std::string& argument) {
  std::unique_lock lock(mutex_);
  const std::string call = argument.empty() ? method : method + " " + argument;
  calls_.push_back(call);
  for (const std::string& scripted : {call, method}) {
    const auto failure = failures_.find(scripted);
    if (failure != failures_.end() && failure->second.times > 0) {
      --failure->second.times;
      throw base::Error(failure->second.error);
    }
  }
  if (interrupted_ == method) {
    throw base::Interrupted("interrupted");
  }
  return lock;
}

RuntimeVersion FakeRuntime::Version() {
  const auto lock = Enter("Version");
  return version;
}

RuntimeStatus FakeRuntime::Status() {
  const auto lock = Enter("Status");
  return status;
}

std::optional<CgroupDriver> FakeRuntime::PreferredCgroupDriver() {
  const auto lock = Enter("PreferredCgroupDriver");
  return cgroup_driver;
}

bool FakeRuntime::HasImage(const std::string& image) {
  const auto lock = Enter("HasImage", image);
  return images.contains(image);
}

void FakeRuntime::PullImage(const std::string& image, std::stop_token stop) {
  const auto lock = Enter("PullImage", image);
  if (stop.stop_requested()) {
    throw base::Interrupted("stopped");
  }
  images.insert(image);
}

std::vector<Sandbox> FakeRuntime::Sandboxes() {
  const auto lock = Enter("Sandboxes");
  std::vector<Sandbox> all = sandboxes;
  for (const Container& each : containers) {
    const Container container = InItsPod(each);
    if (std::ranges::find(all, container.sandbox_id, &Sandbox::id) == all.end()) {
      all.push_back({.id = container.sandbox_id});
    }
  }
  for (Sandbox& sandbox : all) {
    const auto in_it = [&](const Container& each) {
      return InItsPod(each).sandbox_id == sandbox.id;
    };
    const auto first = std::ranges::find_if(containers, in_it);
    if (sandbox.name.empty() && first != containers.end()) {
      sandbox.name = first->name + "-node";
    }
    sandbox.name_space = sandbox.name_space.empty() ? "kube-system" : sandbox.name_space;
    if (lists_annotations) {
      sandbox.annotations.emplace("kubernetes.io/config.source", "file");
    }
  }
  return all;
}

std::vector<Container> FakeRuntime::Containers(const Wanted& wanted) {
  const auto lock = Enter("Containers");
  std::vector<Container> found;
  std::ranges::copy_if(containers, std::back_inserter(found), wanted);
  std::ranges::transform(found, found.begin(), InItsPod);
  return found;
}

std::optional<std::string> FakeRuntime::ContainerInfo(const std::string& id) {
  const auto lock = Enter("ContainerInfo", id);
  const auto info = infos.find(id);
  return info == infos.end() ? std::nullopt : std::optional(info->second);
}

Started FakeRuntime::Start(const OneOff& container) {
  const auto lock = Enter("Start", container.name);
  sandboxes.push_back({.id = "sandbox-" + container.name,
                       .name = container.name,
                       .name_space = "slipway",
                       .ready = true});
  containers.push_back({.id = container.name,
                        .sandbox_id = sandboxes.back().id,
                        .name = container.name,
                        .state = Container::State::kExited,
                        .exit_code = on_start ? on_start(container) : 0});
  return {.sandbox_id = sandboxes.back().id, .container_id = container.name};
}

void FakeRuntime::StopSandbox(const std::string& id) {
  const auto lock = Enter("StopSandbox", id);
  for (Sandbox& sandbox : sandboxes) {
    sandbox.ready = sandbox.ready && sandbox.id != id;
  }
}

void FakeRuntime::StopContainer(const std::string& id, std::chrono::seconds /*grace*/) {
  {
    const auto lock = Enter("StopContainer", id);
    for (Container& container : containers) {
      if (container.id == id) {
        container.state = Container::State::kExited;
      }
    }
  }
  if (on_stop) {
    on_stop(id);
  }
}

void FakeRuntime::RemoveContainer(const std::string& id) {
  const auto lock = Enter("RemoveContainer", id);
  std::erase_if(containers, [&](const Container& item) { return item.id == id; });
}

void FakeRuntime::RemoveSandbox(const std::string& id) {
  const auto lock = Enter("RemoveSandbox", id);
  std::erase_if(sandboxes, [&](const Sandbox& sandbox) { return sandbox.id == id; });
  std::erase_if(containers, [&](const Container& item) { return item.sandbox_id == id; });
}

}  // namespace cri
