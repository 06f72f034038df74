// SPDX-License-Identifier: Apache-2.0
// A node in memory for tests that replace static Pods.
#pragma once

#include <algorithm>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "components/table.h"
#include "cri/fake_runtime.h"
#include "host/fake_host.h"
#include "json/value.h"
#include "static_pods/static_pod.h"
#include "yaml/yaml.h"

namespace static_pods {

// A runtime with a fake kubelet: the kubelet creates a new sandbox when a manifest has changed and
// the old Pod has ended. It checks this condition at each query of the runtime, from any thread.
class FakeKubelet : public cri::FakeRuntime {
 public:
  explicit FakeKubelet(host::FakeFiles& files) : files_(files) {
    on_stop = [this](const std::string& id) { End(id); };
  }

  std::vector<cri::Sandbox> Sandboxes() override {
    const std::lock_guard lock(mutex_);
    Sync();
    return cri::FakeRuntime::Sandboxes();
  }
  std::vector<cri::Container> Containers(const cri::Wanted& wanted) override {
    const std::lock_guard lock(mutex_);
    Sync();
    return cri::FakeRuntime::Containers(wanted);
  }
  // The manifests from which Pods were started, in order: "etcd new".
  std::vector<std::string> started;
  bool lost = false;  // its kubelet starts no Pod until it is restarted

 private:
  void End(const std::string& container) {
    const std::lock_guard lock(mutex_);
    std::erase_if(sandboxes,
                  [&](const cri::Sandbox& sandbox) { return container == "c-" + sandbox.id; });
    std::erase_if(containers, [&](const cri::Container& one) { return one.id == container; });
  }

  void Sync() {
    for (const components::Component component : components::kComponents) {
      const std::optional<std::string> text = files_.Find(components::ManifestPath(component));
      const auto running = std::ranges::find(containers, components::Name(component),
                                             [](const cri::Container& one) { return one.name; });
      if (!text && running != containers.end()) {
        End(std::string(running->id));
      }
      if (text && running == containers.end()) {
        StartPod(component, yaml::Parse(*text).value);
      }
    }
  }

  // If a manifest is written while the old Pod runs, the new Pod does not start soon.
  void StartPod(components::Component component, const json::Value& pod) {
    if (pod["metadata"].contains("annotations") || lost) {
      return;
    }
    const std::string id = std::to_string(++count_);
    started.push_back(std::string(components::Name(component)) + " " + FirstImage(pod).value());
    sandboxes.push_back({.id = id,
                         .name = std::string(components::Name(component)) + "-node",
                         .name_space = "kube-system",
                         .ready = true});
    containers.push_back({.id = "c-" + id,
                          .sandbox_id = id,
                          .name = std::string(components::Name(component)),
                          .state = cri::Container::State::kRunning});
  }

  host::FakeFiles& files_;
  std::recursive_mutex mutex_;
  int count_ = 0;
};

}  // namespace static_pods
