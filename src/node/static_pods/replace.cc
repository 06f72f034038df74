// SPDX-License-Identifier: Apache-2.0
#include "static_pods/replace.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "base/error.h"
#include "cri/runtime.h"
#include "static_pods/static_pod.h"

namespace static_pods {
namespace {

using components::Component;

using std::chrono::milliseconds;

// How long the runtime may take to end a Pod's sandbox, and then the kubelet to forget the Pod.
// Where the first takes long, so does the second.
constexpr milliseconds kEndOfSandbox{5'000};
constexpr milliseconds kTidyingUp{800};
constexpr milliseconds kLongestTidyingUp{3'000};
constexpr milliseconds kPause{50};

json::Value Marked(json::Value pod) {
  pod["metadata"]["annotations"][std::string(kReplacingAnnotation)] = "0";
  return pod;
}

// Handover gives the kubelet one Pod's manifest as it is to be, at a moment when it can use it. It
// looks again and again, so that the Pods of several components do not wait for each other.
//
// The final manifest is written once and then left alone, whatever the kubelet makes of it. The UID
// of a static Pod is a hash of its manifest: to take the manifest away again ends the Pod that the
// kubelet may be about to start, and who writes it once more asks for a Pod that is being ended,
// which a kubelet was seen to never start. One that was not ready for it looks again by itself,
// after 10 to 15 s.
class Handover {
 public:
  // All three outlive the handover.
  Handover(const Replacement& replacement, const RunningPod& before, const RestartContext& context)
      : replacement_(replacement),
        before_(before),
        context_(context),
        begin_(context.host.clock.Steady()) {}

  void Look(const std::vector<cri::Sandbox>& sandboxes) {
    const auto now = context_.host.clock.Steady();
    if (step_ == Step::kEnding && (!HasOld(sandboxes) || now - begin_ >= kEndOfSandbox)) {
      step_ = Step::kTidying;
      until_ = now + std::clamp(std::chrono::floor<milliseconds>(now - begin_), kTidyingUp,
                                kLongestTidyingUp);
    } else if (step_ == Step::kTidying && now >= until_) {
      WriteManifest(context_.host.files, replacement_.component, replacement_.pod);
      step_ = Step::kDone;
    }
  }

  // The manifest is final.
  bool IsDone() const { return step_ == Step::kDone; }

 private:
  enum class Step { kEnding, kTidying, kDone };

  bool HasOld(const std::vector<cri::Sandbox>& sandboxes) const {
    return std::ranges::any_of(sandboxes, [&](const cri::Sandbox& sandbox) {
      return sandbox.ready && before_.sandboxes.contains(sandbox.id);
    });
  }

  const Replacement& replacement_;
  const RunningPod& before_;
  const RestartContext& context_;
  std::chrono::steady_clock::time_point begin_;
  Step step_ = Step::kEnding;
  std::chrono::steady_clock::time_point until_;
};

// Before is what runs, and the Pods whose container has just ended: the kubelet would start it
// again.
RunningPod Before(Component component, cri::Runtime& runtime) {
  RunningPod before = FindRunning(component, runtime);
  for (const cri::Container& container : runtime.Containers()) {
    if (container.name == Name(component)) {
      before.sandboxes.insert(container.sandbox_id);
    }
  }
  return before;
}

// Each ends by itself.
void HandOver(std::span<const Replacement> replacements, const std::vector<RunningPod>& before,
              const RestartContext& context) {
  std::vector<Handover> handovers;
  for (std::size_t i = 0; i < replacements.size(); ++i) {
    handovers.emplace_back(replacements[i], before[i], context);
  }
  while (!std::ranges::all_of(handovers, &Handover::IsDone)) {
    const std::vector<cri::Sandbox> sandboxes = context.runtime.Sandboxes();
    std::ranges::for_each(handovers, [&](Handover& handover) { handover.Look(sandboxes); });
    if (!context.host.clock.Sleep(kPause, context.stop)) {
      throw base::Error(base::Error::Kind::kCancelled, "interrupted");
    }
  }
}

void WriteAll(std::span<const Replacement> replacements, const RestartContext& context) {
  for (const Replacement& replacement : replacements) {
    WriteManifest(context.host.files, replacement.component, replacement.pod);
  }
}

}  // namespace

void ReplacePods(std::span<const Replacement> replacements, const RestartContext& context) {
  std::vector<RunningPod> before;
  for (const Replacement& replacement : replacements) {
    before.push_back(Before(replacement.component, context.runtime));
  }
  for (std::size_t i = 0; i < replacements.size(); ++i) {
    WriteManifest(context.host.files, replacements[i].component, Marked(replacements[i].pod));
    StopContainers(before[i], context);
  }
  try {
    HandOver(replacements, before, context);
  } catch (...) {
    WriteAll(replacements, context);  // an interrupt leaves no annotation behind
    throw;
  }
  AwaitSuccessors(before, Successor::kPod, context);
}

}  // namespace static_pods
