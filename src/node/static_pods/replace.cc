// SPDX-License-Identifier: Apache-2.0
#include "static_pods/replace.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "base/error.h"
#include "cri/runtime.h"
#include "kube/wait.h"
#include "static_pods/static_pod.h"

namespace static_pods {
namespace {

using components::Component;

using std::chrono::milliseconds;

constexpr std::string_view kAnnotation = "kubeadm.kubernetes.io/replacing";
// How long the runtime may take to end a Pod's sandbox, and then the kubelet to tidy up after it.
constexpr milliseconds kEndOfSandbox{5'000};
constexpr milliseconds kTidyingUp{800};
// A kubelet that is ready for a new Pod makes its sandbox within that time.
constexpr milliseconds kNewSandbox{2'000};
// Whoever wrote another manifest has to leave the kubelet time to see it.
constexpr milliseconds kNotice{300};
constexpr int kRounds = 3;
// After that time a kubelet has looked again, more than once, whether the old Pod has ended.
constexpr milliseconds kLost{45'000};

json::Value Marked(json::Value pod, int round) {
  pod["metadata"]["annotations"][std::string(kAnnotation)] = std::to_string(round);
  return pod;
}

void Pause(milliseconds duration, const RestartContext& context) {
  if (!context.host.clock.Sleep(duration, context.stop)) {
    throw base::Error(base::Error::Kind::kCancelled, "interrupted");
  }
}

// The component's sandboxes that are ready. (The Pod of a static Pod is "NAME-NODE".)
std::vector<std::string> ReadySandboxes(Component component, cri::Runtime& runtime) {
  const std::string prefix = std::string(Name(component)) + "-";
  std::vector<std::string> ids;
  for (const cri::Sandbox& sandbox : runtime.Sandboxes()) {
    if (sandbox.ready && sandbox.name_space == "kube-system" && sandbox.name.starts_with(prefix)) {
      ids.push_back(sandbox.id);
    }
  }
  return ids;
}

bool OldSandboxesAreGone(const std::vector<RunningPod>& before, cri::Runtime& runtime) {
  return std::ranges::none_of(before, [&](const RunningPod& old) {
    return std::ranges::any_of(ReadySandboxes(old.component, runtime),
                               [&](const std::string& id) { return old.sandboxes.contains(id); });
  });
}

bool HasNewSandbox(const RunningPod& before, cri::Runtime& runtime) {
  return std::ranges::any_of(ReadySandboxes(before.component, runtime),
                             [&](const std::string& id) { return !before.sandboxes.contains(id); });
}

bool AllHaveNewSandboxes(const std::vector<RunningPod>& before, cri::Runtime& runtime) {
  return std::ranges::all_of(before,
                             [&](const RunningPod& old) { return HasNewSandbox(old, runtime); });
}

// Waits for something that is not worth an error when it does not come: then the kubelet will get
// there by itself, only later.
bool WaitBriefly(milliseconds limit, const RestartContext& context,
                 const std::function<bool()>& done) {
  try {
    kube::WaitUntil(
        [&](const std::stop_token&) {
          return done() ? std::nullopt : std::optional(kube::NotYet{"not yet"});
        },
        {.clock = context.host.clock,
         .first = milliseconds(50),
         .limit = limit,
         .stop = context.stop});
    return true;
  } catch (const base::Error& error) {
    if (error.kind() != base::Error::Kind::kTimeout) {
      throw;
    }
    return false;
  }
}

void WriteAll(std::span<const Replacement> replacements, const RestartContext& context) {
  for (const Replacement& replacement : replacements) {
    WriteManifest(context.host.files, replacement.component, replacement.pod);
  }
}

// Gives the kubelet the manifests as they are to be, at a moment when it can use them.
void Present(std::span<const Replacement> replacements, const std::vector<RunningPod>& before,
             const RestartContext& context) {
  WaitBriefly(kEndOfSandbox, context, [&] { return OldSandboxesAreGone(before, context.runtime); });
  for (int round = 1;; ++round) {
    Pause(kTidyingUp, context);
    WriteAll(replacements, context);
    const bool started = WaitBriefly(kNewSandbox, context,
                                     [&] { return AllHaveNewSandboxes(before, context.runtime); });
    if (started || round == kRounds) {
      return;
    }
    for (std::size_t i = 0; i < replacements.size(); ++i) {
      if (!HasNewSandbox(before[i], context.runtime)) {
        WriteManifest(context.host.files, replacements[i].component,
                      Marked(replacements[i].pod, round));
      }
    }
    Pause(kNotice, context);
  }
}

// A kubelet on a slow machine that was given several manifests in a row may wait for the end of a
// Pod that it has forgotten, and never start the last one. A new one takes what lies there.
void RestartLostKubelet(const std::vector<RunningPod>& before, const RestartContext& context) {
  if (!context.restart_kubelet || WaitBriefly(std::min(kLost, context.limit / 2), context, [&] {
        return AllHaveNewSandboxes(before, context.runtime);
      })) {
    return;
  }
  context.restart_kubelet();
}

}  // namespace

void ReplacePods(std::span<const Replacement> replacements, const RestartContext& context) {
  std::vector<RunningPod> before;
  for (const Replacement& replacement : replacements) {
    before.push_back(FindRunning(replacement.component, context.runtime));
  }
  for (std::size_t i = 0; i < replacements.size(); ++i) {
    WriteManifest(context.host.files, replacements[i].component, Marked(replacements[i].pod, 0));
    StopContainers(before[i], context);
  }
  try {
    Present(replacements, before, context);
  } catch (...) {
    WriteAll(replacements, context);  // an interrupt leaves no annotation behind
    throw;
  }
  RestartLostKubelet(before, context);
  AwaitSuccessors(before, Successor::kPod, context);
}

}  // namespace static_pods
