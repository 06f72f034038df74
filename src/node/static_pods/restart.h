// SPDX-License-Identifier: Apache-2.0
// Restarting static Pods, so that they use the certificates that lie on disk now, and going back.
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
#include "static_pods/snapshot.h"
#include "static_pods/wait.h"

namespace static_pods {

// RunningPod is what a component runs as at some moment: ids of its running containers, and of
// their Pods' sandboxes.
struct RunningPod {
  components::Component component;
  std::set<std::string> containers;
  std::set<std::string> sandboxes;
};
RunningPod FindRunning(components::Component component, cri::Runtime& runtime);

// StartedWith is the command line that the runtime has started the container with; nothing when it
// does not tell.
std::optional<std::vector<std::string>> StartedWith(const std::string& id, cri::Runtime& runtime);

// FindCommandLines returns the command lines of the components that run, as the runtime started
// them in the node's static Pods. What other processes call themselves does not count.
std::map<components::Component, std::vector<std::string>> FindCommandLines(
    std::span<const components::Component> which, cri::Runtime& runtime);

// Replacement is a component and its new Pod.
struct Replacement {
  components::Component component;
  json::Value pod;
};

// RestartContext of one run.
struct RestartContext {
  host::Host& host;
  cri::Runtime& runtime;
  ProbeOf probe_of;
  std::chrono::milliseconds limit{240'000};
  std::stop_token stop = {};
  // Components that are not restarted but get another Pod (ReplacePods).
  std::vector<Replacement> replacements = {};
  // Called once, where a kubelet does not start what WaitForSuccessors waits for.
  std::function<void()> restart_kubelet = {};
  // Gets a whole sentence when a component is about to be restarted and when it serves again, and
  // every half a minute what is still waited for; one call at a time.
  base::ShowLine say = {};
  // Gets the name of each component that was waited for as soon as it serves, whatever becomes of
  // the others; one call at a time.
  std::function<void(const std::string& component)> on_serving = {};
};

// ConnectForRestarts opens the runtime at `endpoint` for a RestartContext: one that restarts itself
// is waited for, up to a minute in each call, since a step that ends in its midst leaves the node
// without the Pod. The host must outlive it.
std::unique_ptr<cri::Runtime> ConnectForRestarts(const std::string& endpoint, host::Host& host,
                                                 std::stop_token stop);

// kReplacingAnnotation is on manifests that ReplacePods writes for a moment: a Pod of such a one is
// not what anybody waits for.
inline constexpr std::string_view kReplacingAnnotation = "kubeadm.kubernetes.io/replacing";

// StopContainers gives each the time that it needs to end well, and no more (EndContainer).
void StopContainers(const RunningPod& running, const RestartContext& context);

// Successor is how a component is to come back: its Pod as it was, with a new container; or, its
// manifest being another one, as a new Pod. A container that the kubelet has started in the old Pod
// meanwhile is stopped, too.
enum class Successor { kContainer, kPod };
// WaitForSuccessors waits until all components serve again, by something else than what ran before.
// A kubelet that has started nothing else after a while, in which it looks more than once whether
// the old Pod has ended, has lost it and is restarted: a new one takes what lies there. (Not for
// the same Pod of etcd.) As a new Pod it must have the command line of the manifest that lies
// there: one of a manifest that was replaced a moment ago may be on its way. Throws base::Error,
// with a diagnosis, when one does not in time or ends again and again.
void WaitForSuccessors(std::span<const RunningPod> before, Successor successor,
                       const RestartContext& context);

// WaitForProbes waits until all of these hold for components that were restarted at `since`. Throws
// base::Error, with a diagnosis, when one does not in time or ends again and again.
void WaitForProbes(const std::vector<ComponentProbe>& probes,
                   std::chrono::system_clock::time_point since, const RestartContext& context);

// Restart ends the components' containers, one component after the other, and waits until the
// kubelet has started each again and it serves. A component without a manifest here is skipped.
// Throws base::Error, with a diagnosis, when one does not serve in time or ends again and again.
void Restart(std::span<const components::Component> components, const RestartContext& context);

// RestartOrRestore restarts; when that fails, whatever is thrown, it puts the snapshot's files
// back, restarts once more and throws base::Error that says how both went. An interrupt
// (kCancelled) leaves all as it is.
void RestartOrRestore(std::span<const components::Component> components, const Snapshot& before,
                      const RestartContext& context);

}  // namespace static_pods
