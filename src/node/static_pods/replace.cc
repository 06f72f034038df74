// SPDX-License-Identifier: Apache-2.0
#include "static_pods/replace.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "cri/runtime.h"
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
constexpr milliseconds kPause{50};
// After that time a kubelet has looked again, more than once, whether the old Pod has ended.
constexpr milliseconds kLost{45'000};

json::Value Marked(json::Value pod, int round) {
  pod["metadata"]["annotations"][std::string(kAnnotation)] = std::to_string(round);
  return pod;
}

// Handover gives the kubelet one Pod's manifest as it is to be, at a moment when it can use it. It
// looks again and again, so that the Pods of several components do not wait for each other.
class Handover {
 public:
  // `before` is what is not the final Pod: it gets the sandboxes that the kubelet makes of marked
  // manifests, too. All three outlive the handover.
  Handover(const Replacement& replacement, RunningPod& before, const RestartContext& context)
      : replacement_(replacement), before_(before), context_(context) {
    Enter(Step::kEnding, kEndOfSandbox);
  }

  void Look(const std::vector<cri::Sandbox>& sandboxes) {
    Sort(sandboxes);
    const bool over = context_.host.clock.Steady() >= until_;
    if (step_ == Step::kEnding && (!has_old_ || over)) {
      Enter(Step::kTidying, kTidyingUp);
    } else if (step_ == Step::kTidying && over) {
      Write(replacement_.pod);
      Enter(Step::kStarting, kNewSandbox);
    } else if (step_ == Step::kStarting && (has_new_ || (over && round_ == kRounds))) {
      step_ = Step::kDone;
    } else if (step_ == Step::kStarting && over) {
      Write(Marked(replacement_.pod, round_++));
      Enter(Step::kTidying, kNotice + kTidyingUp);
    }
  }

  // The manifest is final, and nothing more is to be done for it.
  bool IsDone() const { return step_ == Step::kDone; }
  bool HasNewPod() const { return has_new_; }

 private:
  enum class Step { kEnding, kTidying, kStarting, kDone };

  void Enter(Step step, milliseconds at_most) {
    step_ = step;
    until_ = context_.host.clock.Steady() + at_most;
  }

  void Write(const json::Value& pod) {
    WriteManifest(context_.host.files, replacement_.component, pod);
  }

  // (The Pod of a static Pod is "NAME-NODE".)
  void Sort(const std::vector<cri::Sandbox>& sandboxes) {
    const std::string prefix = std::string(Name(replacement_.component)) + "-";
    has_old_ = has_new_ = false;
    for (const cri::Sandbox& sandbox : sandboxes) {
      if (!sandbox.ready || sandbox.name_space != "kube-system" ||
          !sandbox.name.starts_with(prefix)) {
        continue;
      }
      if (sandbox.annotations.contains(std::string(kAnnotation))) {
        before_.sandboxes.insert(sandbox.id);
      }
      (before_.sandboxes.contains(sandbox.id) ? has_old_ : has_new_) = true;
    }
  }

  const Replacement& replacement_;
  RunningPod& before_;
  const RestartContext& context_;
  Step step_ = Step::kEnding;
  std::chrono::steady_clock::time_point until_;
  int round_ = 1;
  bool has_old_ = false;
  bool has_new_ = false;
};

using Handovers = std::vector<Handover>;

// Looks until all are so; false when the time is over, if there is a limit.
bool LookUntilAll(bool (Handover::*are_so)() const, Handovers& handovers,
                  std::optional<milliseconds> limit, const RestartContext& context) {
  const auto begin = context.host.clock.Steady();
  for (;;) {
    const std::vector<cri::Sandbox> sandboxes = context.runtime.Sandboxes();
    std::ranges::for_each(handovers, [&](Handover& handover) { handover.Look(sandboxes); });
    if (std::ranges::all_of(handovers, are_so)) {
      return true;
    }
    if (limit && context.host.clock.Steady() - begin >= *limit) {
      return false;
    }
    if (!context.host.clock.Sleep(kPause, context.stop)) {
      throw base::Error(base::Error::Kind::kCancelled, "interrupted");
    }
  }
}

// A kubelet on a slow machine that was given several manifests in a row may wait for the end of a
// Pod that it has forgotten, and never start the last one. A new one takes what lies there.
void RestartLostKubelet(Handovers& handovers, const RestartContext& context) {
  const milliseconds limit = std::min(kLost, context.limit / 2);
  if (context.restart_kubelet && !LookUntilAll(&Handover::HasNewPod, handovers, limit, context)) {
    context.restart_kubelet();
  }
}

void HandOver(std::span<const Replacement> replacements, std::vector<RunningPod>& before,
              const RestartContext& context) {
  Handovers handovers;
  for (std::size_t i = 0; i < replacements.size(); ++i) {
    handovers.emplace_back(replacements[i], before[i], context);
  }
  LookUntilAll(&Handover::IsDone, handovers, std::nullopt, context);  // each ends by itself
  RestartLostKubelet(handovers, context);
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
    before.push_back(FindRunning(replacement.component, context.runtime));
  }
  for (std::size_t i = 0; i < replacements.size(); ++i) {
    WriteManifest(context.host.files, replacements[i].component, Marked(replacements[i].pod, 0));
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
