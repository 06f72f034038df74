// SPDX-License-Identifier: Apache-2.0
#include "static_pods/replace.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "components/containers.h"
#include "config/paths.h"
#include "cri/runtime.h"
#include "static_pods/static_pod.h"

namespace static_pods {
namespace {

using components::Component;

using std::chrono::milliseconds;

// The time in which the runtime ends a Pod's sandbox and the kubelet then finishes its work for the
// Pod. The kubelet's worker waits for its next tick (one per second), unmounts and cleans up. In
// one test, a kubelet removed the Pod's directory 0.8 s after the end of the sandbox and was still
// not ready for another Pod.
constexpr milliseconds kEndOfSandbox{5'000};
constexpr milliseconds kTidyingUp{1'500};
constexpr milliseconds kLongestTidyingUp{10'000};
constexpr milliseconds kPause{50};

json::Value Marked(json::Value pod) {
  pod["metadata"]["annotations"][std::string(kReplacingAnnotation)] = "0";
  return pod;
}

// The running containers of a component before its replacement, and the UIDs of its Pods.
struct Old {
  RunningPod running;
  std::set<std::string> uids;
};

// Handover gives the kubelet the final manifest of one Pod when the kubelet is ready for it. It
// polls instead of blocking, so that the Pods of several components do not wait for each other.
//
// The final manifest is written exactly once, whatever the kubelet does with it. The UID of a
// static Pod is a hash of its manifest. Removing the manifest would end a Pod that the kubelet may
// be about to start. Writing the same manifest again would request a Pod that the kubelet is
// ending; a kubelet has been observed to never start such a Pod. A kubelet that was not ready for
// the final manifest retries by itself after 10 to 15 s.
class Handover {
 public:
  // All arguments must outlive the handover.
  Handover(const Replacement& replacement, const Old& old, const RestartContext& context)
      : replacement_(replacement),
        old_(old),
        context_(context),
        begin_(context.host.clock.Steady()) {}

  void Look(const std::vector<cri::Sandbox>& sandboxes) {
    const auto now = context_.host.clock.Steady();
    if (step_ == Step::kEnding && (!Runs(sandboxes) || now - begin_ >= kEndOfSandbox)) {
      step_ = Step::kTidying;
      begin_ = now;
    } else if (step_ == Step::kTidying && now - begin_ >= kTidyingUp &&
               (!IsKnown() || now - begin_ >= kLongestTidyingUp)) {
      WriteManifest(context_.host.files, replacement_.component, replacement_.pod);
      step_ = Step::kDone;
    }
  }

  // Returns whether the final manifest has been written.
  bool IsDone() const { return step_ == Step::kDone; }

 private:
  enum class Step { kEnding, kTidying, kDone };

  bool Runs(const std::vector<cri::Sandbox>& sandboxes) const {
    return std::ranges::any_of(sandboxes, [&](const cri::Sandbox& sandbox) {
      return sandbox.ready && old_.running.sandboxes.contains(sandbox.id);
    });
  }
  // Returns whether the kubelet still has the Pod. A kubelet polls every two seconds, and removes
  // the directory of a Pod that it has finished with. With another --root-dir, the removal cannot
  // be observed.
  bool IsKnown() const {
    return std::ranges::any_of(old_.uids, [&](const std::string& uid) {
      return context_.host.files.Exists(host::fs::path(config::kKubeletDir) / "pods" / uid);
    });
  }

  const Replacement& replacement_;
  const Old& old_;
  const RestartContext& context_;
  std::chrono::steady_clock::time_point begin_;  // of the step
  Step step_ = Step::kEnding;
};

// Also finds Pods whose container has just ended, because the kubelet would restart it.
Old FindOld(Component component, cri::Runtime& runtime) {
  Old old{.running = FindRunning(component, runtime), .uids = {}};
  for (const cri::Sandbox& sandbox : components::SandboxesOf(component, runtime)) {
    old.running.sandboxes.insert(sandbox.id);
    old.uids.insert(sandbox.uid);
  }
  old.uids.erase("");
  return old;
}

// Waits for all handovers together, so that a slow one does not delay the others.
void HandOver(std::span<const Replacement> replacements, const std::vector<Old>& olds,
              const RestartContext& context) {
  std::vector<Handover> handovers;
  for (std::size_t i = 0; i < replacements.size(); ++i) {
    handovers.emplace_back(replacements[i], olds[i], context);
  }
  while (!std::ranges::all_of(handovers, &Handover::IsDone)) {
    const std::vector<cri::Sandbox> sandboxes = context.runtime.Sandboxes();
    std::ranges::for_each(handovers, [&](Handover& handover) { handover.Look(sandboxes); });
    if (!context.host.clock.Sleep(kPause, context.stop)) {
      throw base::Interrupted("interrupted");
    }
  }
}

void WriteAll(std::span<const Replacement> replacements, const RestartContext& context) {
  for (const Replacement& replacement : replacements) {
    WriteManifest(context.host.files, replacement.component, replacement.pod);
  }
}

}  // namespace

bool Unmark(json::Value& pod) {
  const std::string name(kReplacingAnnotation);
  if (json::At(pod, {"metadata", "annotations", name}).is_null()) {
    return false;
  }
  json::Value& annotations = pod["metadata"]["annotations"];
  annotations.erase(name);
  if (annotations.empty()) {
    pod["metadata"].erase("annotations");
  }
  return true;
}

void ReplacePods(std::span<const Replacement> replacements, const RestartContext& context) {
  std::vector<Old> olds;
  std::vector<RunningPod> before;
  for (const Replacement& replacement : replacements) {
    olds.push_back(FindOld(replacement.component, context.runtime));
    before.push_back(olds.back().running);
  }
  for (std::size_t i = 0; i < replacements.size(); ++i) {
    WriteManifest(context.host.files, replacements[i].component, Marked(replacements[i].pod));
    components::ForgetEnded(before[i].component, context.runtime);
    StopContainers(before[i], context);
  }
  try {
    HandOver(replacements, olds, context);
  } catch (...) {
    WriteAll(replacements, context);  // an interrupt leaves no annotation behind
    throw;
  }
  WaitForSuccessors(before, Successor::kPod, context);
}

}  // namespace static_pods
