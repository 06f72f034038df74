// SPDX-License-Identifier: Apache-2.0
#include "static_pods/restart.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "base/error.h"
#include "base/rows.h"
#include "base/strings.h"
#include "components/containers.h"
#include "components/diagnosis.h"
#include "cri/patient.h"
#include "host/init_system.h"
#include "json/texts.h"
#include "static_pods/replace.h"
#include "static_pods/wait.h"

namespace static_pods {
namespace {

using components::Component;

using base::Error;

// The runtime may be busy with other containers.
constexpr std::chrono::minutes kRuntimeTimeout{1};
// Within this time, a kubelet checks several times whether the old Pod has ended.
constexpr std::chrono::milliseconds kLost{45'000};
constexpr std::chrono::seconds kTellEvery{30};

std::string NameOf(Component component) { return std::string(Name(component)); }

using Instant = std::chrono::steady_clock::time_point;

// The running containers of a component in three groups: old containers, containers that a kubelet
// has started from a stale manifest, and the successors.
struct Divided {
  RunningPod old;
  std::set<std::string> strays;
  std::set<std::string> successors;
};

std::set<std::string> MarkedSandboxes(cri::Runtime& runtime) {
  std::set<std::string> marked;
  for (const cri::Sandbox& sandbox : runtime.Sandboxes()) {
    if (sandbox.annotations.contains(std::string(kReplacingAnnotation))) {
      marked.insert(sandbox.id);
    }
  }
  return marked;
}

// Returns whether a kubelet has started the container from an earlier manifest. This happens if the
// kubelet read that manifest just before the present one was written. The kubelet ends such a Pod
// by itself.
bool IsStray(const std::string& id, const std::vector<std::string>& manifest,
             cri::Runtime& runtime) {
  // The kubelet replaces $(NAME) by environment variables, and $$ by $.
  const bool expanded =
      std::ranges::any_of(manifest, [](const std::string& word) { return word.contains('$'); });
  if (manifest.empty() || expanded) {
    return false;
  }
  const std::optional<std::vector<std::string>> words = StartedWith(id, runtime);
  return words && *words != manifest;
}

Divided Divide(const RunningPod& before, Successor successor, const RestartContext& context) {
  cri::Runtime& runtime = context.runtime;
  Divided divided{.old = {.component = before.component}};
  const std::vector<cri::Container> containers = ContainersOf(before.component, runtime);
  std::set<std::string> old_pods;
  std::vector<std::string> manifest;
  if (successor == Successor::kPod) {
    // Lists the sandboxes after the containers, so that the sandbox of each container is in the
    // list.
    old_pods = MarkedSandboxes(runtime);
    old_pods.insert(before.sandboxes.begin(), before.sandboxes.end());
    manifest =
        WholeCommand(ReadManifest(context.host.files, before.component).value_or(json::Value()),
                     Name(before.component));
  }
  for (const cri::Container& container : containers) {
    if (container.state != cri::Container::State::kRunning) {
      continue;
    }
    if (old_pods.contains(container.sandbox_id) ||
        (successor == Successor::kContainer && before.containers.contains(container.id))) {
      divided.old.containers.insert(container.id);
    } else if (IsStray(container.id, manifest, runtime)) {
      divided.strays.insert(container.id);
    } else {
      divided.successors.insert(container.id);
    }
  }
  return divided;
}

// The state that the probes of several components share. Each probe runs in a separate thread.
class Watch {
 public:
  // The context must outlive it.
  Watch(Successor successor, const RestartContext& context)
      : successor_(successor), context_(context), begin_(Now()) {}

  void Saw(Component component, bool started) {
    const std::lock_guard lock(mutex_);
    if (started) {
      started_.insert(component);
    }
    const bool may_restart = successor_ == Successor::kPod || component != Component::kEtcd;
    if (restarted_ || !may_restart || started_.contains(component) || !context_.restart_kubelet ||
        Now() - begin_ < std::min(kLost, context_.limit / 2)) {
      return;
    }
    restarted_ = true;
    context_.restart_kubelet();
  }

  void Tell(Component component, const std::string& why) {
    const std::lock_guard lock(mutex_);
    Instant& told = told_by_.try_emplace(component, begin_).first->second;
    if (context_.say && Now() - told >= kTellEvery) {
      told = Now();
      context_.say(fmt::format("Waiting for {} to serve: {}", Name(component), why));
    }
  }

 private:
  Instant Now() const { return context_.host.clock.Steady(); }

  Successor successor_;
  const RestartContext& context_;
  Instant begin_;
  std::mutex mutex_;
  std::set<Component> started_;           // guarded by mutex_
  std::map<Component, Instant> told_by_;  // guarded by mutex_
  bool restarted_ = false;                // guarded by mutex_
};

std::optional<kube::NotYet> LookFor(const RunningPod& before, Successor successor,
                                    const RestartContext& context, Watch& watch) {
  const Divided now = Divide(before, successor, context);
  watch.Saw(before.component, !now.successors.empty());
  const bool has_old = !now.old.containers.empty();
  if (!has_old && !now.strays.empty()) {
    return kube::NotYet{"a container of the previous manifest still runs"};
  }
  if (!has_old && now.successors.empty()) {
    return kube::NotYet{successor == Successor::kPod
                            ? "its old Pod has ended; the kubelet checks for that every 10 to 15 "
                              "seconds, and has not started the new Pod yet"
                            : "its old container has ended, and the kubelet has not started the "
                              "next one yet"};
  }
  if (!has_old) {
    return std::nullopt;
  }
  if (successor == Successor::kPod && now.old.containers != before.containers) {
    StopContainers(now.old, context);
  }
  return kube::NotYet{
      fmt::format("its old {} still runs", successor == Successor::kPod ? "Pod" : "container")};
}

// Returns a probe that succeeds when the component serves and its old container has ended. Watch
// and context must outlive the probe.
kube::Probe SuccessorProbe(const RunningPod& before, Successor successor,
                           const RestartContext& context, Watch& watch) {
  const kube::Probe inner = UntilAnswered(
      [&context, &watch, before, successor,
       serves = UntilAnswered(context.probe_of(before.component))](std::stop_token stop) {
        auto not_yet = LookFor(before, successor, context, watch);
        if (!not_yet && (not_yet = serves(std::move(stop)))) {
          not_yet->why = "its new container runs, and does not serve yet: " + not_yet->why;
        }
        return not_yet;
      });
  return [inner, component = before.component, &watch](std::stop_token stop) {
    const std::optional<kube::NotYet> not_yet = inner(std::move(stop));
    if (not_yet) {
      watch.Tell(component, not_yet->why);
    }
    return not_yet;
  };
}

components::ControlPlaneFacts NodeFacts(const RestartContext& context,
                                        std::chrono::system_clock::time_point since) {
  const std::unique_ptr<host::InitSystem> init_system = host::DetectInitSystem(context.host);
  return components::CollectFacts({.host = context.host,
                                   .runtime = &context.runtime,
                                   .init_system = init_system.get(),
                                   .since = since});
}

void Say(const RestartContext& context, const std::string& line) {
  if (context.say) {
    context.say(line);
  }
}

void RestartOne(Component component, const RestartContext& context) {
  if (!context.host.files.Exists(ManifestPath(component))) {
    return;
  }
  Say(context, fmt::format("Restarting {}", NameOf(component)));
  const auto replacement =
      std::ranges::find(context.replacements, component, &Replacement::component);
  if (replacement != context.replacements.end()) {
    ReplacePods(std::span(&*replacement, 1), context);
  } else {
    const RunningPod old = FindRunning(component, context.runtime);
    components::ForgetEnded(component, context.runtime);
    StopContainers(old, context);
    WaitForSuccessors(std::span(&old, 1), Successor::kContainer, context);
  }
  Say(context, fmt::format("{} serves again", NameOf(component)));
}

// Restarts with the old certificates and describes the result.
std::string GoBack(std::span<const Component> components, const RestartContext& context) {
  Say(context, "The old certificates are back");
  try {
    Restart(components, context);
    return "The old certificates are back and in use";
  } catch (const std::exception& error) {
    return fmt::format("The old certificates are back, but the restart with them also failed: {}",
                       error.what());
  }
}

// Restores the snapshot's files after `problem` and throws an error with both results.
[[noreturn]] void GoBackAfter(const std::string& problem, std::span<const Component> components,
                              const std::function<void()>& restore, const RestartContext& context) {
  base::WithContext(problem + "\nThe old certificates cannot be restored", restore);
  RestartContext back = context;
  for (Replacement& replacement : back.replacements) {
    replacement.pod =
        ReadManifest(context.host.files, replacement.component).value_or(replacement.pod);
    Unmark(replacement.pod);
  }
  const std::string result = base::WithContext(problem, [&] { return GoBack(components, back); });
  throw Error(fmt::format("{}\n{}", problem, result));
}

}  // namespace

std::optional<std::vector<std::string>> StartedWith(const std::string& id, cri::Runtime& runtime) {
  const json::Value info = json::TryParse(runtime.ContainerInfo(id).value_or(""));
  const json::Value& words = json::At(info, {"runtimeSpec", "process", "args"});
  if (!words.is_array()) {
    return std::nullopt;
  }
  return json::TextsIn(words);
}

std::map<Component, std::vector<std::string>> FindCommandLines(std::span<const Component> which,
                                                               cri::Runtime& runtime) {
  std::map<Component, std::vector<std::string>> lines;
  for (const cri::Container& container : ContainersOf(which, runtime)) {
    const Component component = base::RowOf(which, container.name, &components::Name);
    if (container.state != cri::Container::State::kRunning || lines.contains(component)) {
      continue;
    }
    if (auto words = StartedWith(container.id, runtime)) {
      lines.emplace(component, *std::move(words));
    }
  }
  return lines;
}

RunningPod FindRunning(Component component, cri::Runtime& runtime) {
  RunningPod found{.component = component};
  for (const cri::Container& container : ContainersOf(component, runtime)) {
    if (container.state == cri::Container::State::kRunning) {
      found.containers.insert(container.id);
      found.sandboxes.insert(container.sandbox_id);
    }
  }
  return found;
}

std::unique_ptr<cri::Runtime> ConnectForRestarts(const std::string& endpoint, host::Host& host,
                                                 std::stop_token stop) {
  return cri::Patient(
      cri::Connect(endpoint, kRuntimeTimeout),
      {.pause = [&clock = host.clock, stop = std::move(stop)](std::chrono::milliseconds duration) {
        return clock.Sleep(duration, stop);
      }});
}

void StopContainers(const RunningPod& running, const RestartContext& context) {
  const std::chrono::seconds grace = RowOf(running.component).grace;
  for (const std::string& id : running.containers) {
    components::EndContainer(id, grace, context.runtime);
  }
}

void WaitForProbes(const std::vector<ComponentProbe>& probes,
                   std::chrono::system_clock::time_point since, const RestartContext& context) {
  const WaitOutcome outcome =
      WaitForComponents(probes, {.clock = context.host.clock,
                                 .limit = context.limit,
                                 .stop = context.stop,
                                 .on_end =
                                     [&](const ComponentHealth& component) {
                                       if (component.healthy() && context.on_serving) {
                                         context.on_serving(component.name);
                                       }
                                     },
                                 .facts = [&] { return NodeFacts(context, since); }});
  if (outcome.healthy()) {
    return;
  }
  // Without a certain diagnosis, the last observation of each component is more useful.
  const bool certain = outcome.diagnosis && outcome.diagnosis->sure == checks::Confidence::kCertain;
  std::vector<std::string> problems;
  for (const ComponentHealth& component : outcome.components) {
    if (!component.healthy()) {
      const std::string text = component.name + " does not serve after its restart";
      problems.push_back(certain ? text : text + ": " + *component.problem);
    }
  }
  std::string text = base::Join(problems, "; ");
  if (outcome.diagnosis) {
    text += "\n" + outcome.diagnosis->Text();
  }
  throw Error(Error::Kind::kTimeout, text);
}

void WaitForSuccessors(std::span<const RunningPod> previous, Successor successor,
                       const RestartContext& context) {
  // Ignores containers that ended up to a second from now: this program has stopped them.
  const auto since = context.host.clock.Now() + std::chrono::seconds(1);
  Watch watch(successor, context);
  std::vector<ComponentProbe> probes;
  for (const RunningPod& before : previous) {
    probes.push_back({.name = NameOf(before.component),
                      .url = {},
                      .probe = SuccessorProbe(before, successor, context, watch)});
  }
  WaitForProbes(probes, since, context);
}

void Restart(std::span<const Component> components, const RestartContext& context) {
  for (const Component component : components) {
    RestartOne(component, context);
  }
}

void RestartOrRestore(std::span<const Component> components, const std::function<void()>& restore,
                      const RestartContext& context) {
  for (std::size_t i = 0; i < components.size(); ++i) {
    try {
      RestartOne(components[i], context);
    } catch (const std::exception& error) {
      GoBackAfter(error.what(), components.first(i + 1), restore, context);
    }
  }
}

}  // namespace static_pods
