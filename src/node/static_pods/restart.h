// SPDX-License-Identifier: Apache-2.0
// Restarting static Pods to load the present certificates, and rolling back.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/show_line.h"
#include "components/table.h"
#include "cri/runtime.h"
#include "host/host.h"
#include "json/value.h"
#include "static_pods/serving.h"
#include "static_pods/wait.h"

namespace static_pods {

// A component's running containers at some moment: their ids, and those of their Pods' sandboxes.
struct RunningPod {
  components::Component component;
  std::set<std::string> containers;
  std::set<std::string> sandboxes;
};
RunningPod FindRunning(components::Component component, cri::Runtime& runtime);

// Returns the command line with which the runtime started the container; std::nullopt if the
// command line is unknown.
std::optional<std::vector<std::string>> StartedWith(const std::string& id, cri::Runtime& runtime);

// Returns the command lines of running components, as the runtime started them in the node's static
// Pods. Ignores processes of the same name outside of these Pods.
std::map<components::Component, std::vector<std::string>> FindCommandLines(
    std::span<const components::Component> which, cri::Runtime& runtime);

// A component and its new Pod.
struct Replacement {
  components::Component component;
  json::Value pod;
};

// The context of one run.
struct RestartContext {
  host::Host& host;
  cri::Runtime& runtime;
  ProbeOf probe_of;
  std::chrono::milliseconds limit{240'000};
  std::stop_token stop = {};
  // Components that are not restarted but get another Pod (ReplacePods).
  std::vector<Replacement> replacements = {};
  // Called once, if a kubelet does not start the Pods that WaitForSuccessors waits for.
  std::function<void()> restart_kubelet = {};
  // Receives a whole sentence before a component is restarted and when it serves again. Also
  // receives a sentence every half minute about the components that do not serve yet. Calls never
  // overlap.
  base::ShowLine say = {};
  // Receives the name of each component as soon as it serves, even if others fail. Calls never
  // overlap.
  std::function<void(const std::string& component)> on_serving = {};
};

// Opens the runtime at `endpoint` for a RestartContext. Each call waits for a restarting runtime,
// up to a minute. Otherwise a failed call in the middle of a step would leave the node without the
// Pod. The host must outlive the result.
std::unique_ptr<cri::Runtime> ConnectForRestarts(const std::string& endpoint, host::Host& host,
                                                 std::stop_token stop);

// The annotation of ReplacePods' temporary manifests: no wait accepts a Pod with it as the new Pod.
inline constexpr std::string_view kReplacingAnnotation = "kubeadm.kubernetes.io/replacing";

// Stops the containers, each with its own grace period (EndContainer).
void StopContainers(const RunningPod& running, const RestartContext& context);

// The expected successor of a component's container. kContainer: a new container in the same Pod.
// kPod: a new Pod, because the manifest has changed. With kPod, a container that the kubelet has
// started concurrently in the old Pod is stopped, too.
enum class Successor { kContainer, kPod };
// Waits until all components serve again, with new containers. A new Pod must have the command line
// of the present manifest, because a Pod of the replaced manifest may still be starting. A kubelet
// may check several times that the old Pod has ended, and still not start the new Pod. Such a
// kubelet has lost track of the Pod, and is restarted, so that it reads the manifests again. The
// kubelet is not restarted if etcd only needs a new container in the same Pod. Throws
// base::Error(kTimeout), with a diagnosis, if a component does not serve in time or crash-loops.
void WaitForSuccessors(std::span<const RunningPod> before, Successor successor,
                       const RestartContext& context);

// Waits until all probes succeed. Their components were restarted at `since`. Throws
// base::Error(kTimeout), with a diagnosis, if a probe does not succeed in time or a component
// crash-loops.
void WaitForProbes(const std::vector<ComponentProbe>& probes,
                   std::chrono::system_clock::time_point since, const RestartContext& context);

// Restarts the components one after the other: ends a component's containers, then waits until the
// kubelet has started them again and the component serves. Skips a component without a manifest on
// this node. Throws base::Error(kTimeout), with a diagnosis, if a component does not serve in time
// or crash-loops.
void Restart(std::span<const components::Component> components, const RestartContext& context);

// Restarts the components. On an exception, calls `restore`, which restores the files, restarts the
// components again, and throws base::Error(kOther) with both results. On base::Interrupted, rolls
// nothing back.
void RestartOrRestore(std::span<const components::Component> components,
                      const std::function<void()>& restore, const RestartContext& context);

}  // namespace static_pods
