// SPDX-License-Identifier: Apache-2.0
// FakeRuntime: a container runtime in memory, for tests.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "cri/runtime.h"

namespace cri {

class FakeRuntime : public Runtime {
 public:
  // The results of the calls; set them before passing the fake to the code under test. A sandbox
  // without further details counts as a static Pod of kube-system, even if the list of sandboxes
  // lacks it. A container without a sandbox id belongs to a separate Pod with the container's name.
  RuntimeVersion version{"containerd", "v2.0.0", "v1"};
  RuntimeStatus status{.runtime_ready = true, .network_ready = true};
  std::optional<CgroupDriver> cgroup_driver = CgroupDriver::kSystemd;
  std::set<std::string> images;
  std::vector<Sandbox> sandboxes;
  bool lists_annotations = true;
  std::vector<Container> containers;
  std::map<std::string, std::string> infos;  // of containers by id
  // Called after a container was stopped, without the lock, to simulate the kubelet's reaction.
  std::function<void(const std::string& id)> on_stop;

  // Called when a OneOff is started; returns its exit status.
  std::function<int(const OneOff& container)> on_start;

  // Makes the next `times` calls of `method` throw `error`. With "PullImage" all calls of PullImage
  // count; with "PullImage <argument>" only calls with that argument.
  void Fail(const std::string& method, base::Error error, int times = 1);

  // Makes each call of `method` end with base::Interrupted.
  void Interrupt(std::string method);

  // Returns the calls so far: "Version", "PullImage registry.k8s.io/pause:3.10.2", …
  std::vector<std::string> calls() const;

  RuntimeVersion Version() override;
  RuntimeStatus Status() override;
  std::optional<CgroupDriver> PreferredCgroupDriver() override;
  bool HasImage(const std::string& image) override;
  void PullImage(const std::string& image, std::stop_token stop) override;
  std::vector<Sandbox> Sandboxes() override;
  std::vector<Container> Containers(const Wanted& wanted) override;
  std::optional<std::string> ContainerInfo(const std::string& id) override;
  // Start calls `on_start`, which may be empty; its container has ended with the returned status.
  Started Start(const OneOff& container) override;
  void StopSandbox(const std::string& id) override;
  // StopContainer changes the container's state to kExited.
  void StopContainer(const std::string& id, std::chrono::seconds grace) override;
  void RemoveContainer(const std::string& id) override;
  // RemoveSandbox also removes the sandbox's containers.
  void RemoveSandbox(const std::string& id) override;

 private:
  struct Failure {
    base::Error error;
    int times;
  };
  std::unique_lock<std::mutex> Enter(const std::string& method, const std::string& argument = "");

  mutable std::mutex mutex_;
  std::vector<std::string> calls_;           // guarded by mutex_
  std::map<std::string, Failure> failures_;  // guarded by mutex_
  std::string interrupted_;                  // guarded by mutex_
};

}  // namespace cri
