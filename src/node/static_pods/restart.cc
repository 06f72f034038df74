// SPDX-License-Identifier: Apache-2.0
#include "static_pods/restart.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "cri/patient.h"
#include "diagnosis/diagnosis.h"
#include "host/init_system.h"
#include "static_pods/wait.h"

namespace static_pods {
namespace {

using components::Component;

using base::Error;

// After twice its longest delay the kubelet forgets that a container has ended.
constexpr std::chrono::minutes kBackoffMemory{10};
// The runtime may be busy with others.
constexpr std::chrono::minutes kRuntimeTimeout{1};

std::string NameOf(Component component) { return std::string(Name(component)); }

// What is left of the old ones, if the component has not come back as it should.
std::optional<kube::NotYet> OldOnes(const RunningPod& before, const RunningPod& now,
                                    Successor successor, const RestartContext& context) {
  const auto& old = successor == Successor::kPod ? before.sandboxes : before.containers;
  const auto& present = successor == Successor::kPod ? now.sandboxes : now.containers;
  if (std::ranges::none_of(present, [&](const std::string& id) { return old.contains(id); })) {
    return std::nullopt;
  }
  if (successor == Successor::kPod && now.containers != before.containers) {
    StopContainers(now, context);
  }
  return kube::NotYet{
      fmt::format("its old {} still runs", successor == Successor::kPod ? "Pod" : "container")};
}

// The component serves, and not by what ran before.
kube::Probe SuccessorProbe(const RunningPod& before, Successor successor,
                           const RestartContext& context) {
  return UntilAnswered([&context, before, successor, probe = context.probe_of(before.component)](
                           std::stop_token stop) -> std::optional<kube::NotYet> {
    const RunningPod now = FindRunning(before.component, context.runtime);
    if (now.containers.empty()) {
      return kube::NotYet{"the kubelet has not started its container yet"};
    }
    const std::optional<kube::NotYet> old = OldOnes(before, now, successor, context);
    return old ? old : probe(std::move(stop));
  });
}

diagnosis::ControlPlaneFacts NodeFacts(const RestartContext& context,
                                       std::chrono::system_clock::time_point since) {
  const std::unique_ptr<host::InitSystem> init_system = host::DetectInitSystem(context.host);
  return diagnosis::GatherFacts({.host = context.host,
                                 .runtime = &context.runtime,
                                 .init_system = init_system.get(),
                                 .since = since});
}

void Say(const RestartContext& context, const std::string& line) {
  if (context.say) {
    context.say(line);
  }
}

bool HasEndedLately(Component component, const RestartContext& context) {
  const std::vector<cri::Container> containers = context.runtime.Containers();
  return std::ranges::any_of(containers, [&](const cri::Container& container) {
    return container.name == Name(component) && container.state == cri::Container::State::kExited &&
           container.finished + kBackoffMemory > context.host.clock.Now();
  });
}

void StopOld(const RunningPod& old, const RestartContext& context) {
  // A kubelet that has just started wants to speak to the API server before it starts anything: it
  // would wait for one that waits for etcd.
  if (old.component != Component::kEtcd && context.restart_kubelet &&
      HasEndedLately(old.component, context)) {
    context.restart_kubelet();
  }
  StopContainers(old, context);
}

void RestartOne(Component component, const RestartContext& context) {
  if (!context.host.files.Exists(ManifestPath(component))) {
    return;
  }
  Say(context, fmt::format("Restarting {}", NameOf(component)));
  const auto replaced = std::ranges::find(context.replaced, component, &RunningPod::component);
  if (replaced != context.replaced.end()) {
    AwaitSuccessors(std::span(&*replaced, 1), Successor::kPod, context);
  } else {
    const RunningPod old = FindRunning(component, context.runtime);
    StopOld(old, context);
    AwaitSuccessors(std::span(&old, 1), Successor::kContainer, context);
  }
  Say(context, fmt::format("{} serves again", NameOf(component)));
}

// GoBack restarts with the old certificates and says how that went.
std::string GoBack(std::span<const Component> components, const RestartContext& context) {
  Say(context, "The old certificates are back");
  try {
    Restart(components, context);
    return "The old certificates are back and in use";
  } catch (const std::exception& error) {
    return fmt::format("The old certificates are back, but the restart with them failed, too: {}",
                       error.what());
  }
}

// GoBackAfter puts the snapshot's files back after `problem` and throws what both came to.
[[noreturn]] void GoBackAfter(const std::string& problem, std::span<const Component> components,
                              const Snapshot& before, const RestartContext& context) {
  RestartContext back = context;
  for (RunningPod& replaced : back.replaced) {
    replaced = FindRunning(replaced.component, context.runtime);
  }
  base::WithContext(problem + "\nThe old certificates cannot be put back",
                    [&] { before.Restore(); });
  throw Error(fmt::format("{}\n{}", problem, GoBack(components, back)));
}

}  // namespace

RunningPod FindRunning(Component component, cri::Runtime& runtime) {
  RunningPod found{.component = component};
  for (const cri::Container& container : runtime.Containers()) {
    if (container.name == Name(component) && container.state == cri::Container::State::kRunning) {
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
    context.runtime.StopContainer(id, grace);
  }
}

void AwaitSuccessors(std::span<const RunningPod> previous, Successor successor,
                     const RestartContext& context) {
  // What was stopped a moment ago has ended on purpose.
  const auto since = context.host.clock.Now() + std::chrono::seconds(1);
  std::vector<ComponentProbe> probes;
  for (const RunningPod& before : previous) {
    probes.push_back({.name = NameOf(before.component),
                      .url = {},
                      .probe = SuccessorProbe(before, successor, context)});
  }
  const WaitOutcome outcome = WaitForComponents(
      probes,
      {.clock = context.host.clock, .limit = context.limit, .stop = context.stop, .facts = [&] {
         return NodeFacts(context, since);
       }});
  if (outcome.healthy()) {
    return;
  }
  std::vector<std::string> problems;
  for (const ComponentHealth& component : outcome.components) {
    if (!component.healthy()) {
      const std::string text = component.name + " does not serve after its restart";
      problems.push_back(outcome.diagnosis ? text : text + ": " + *component.problem);
    }
  }
  std::string text = base::Join(problems, "; ");
  if (outcome.diagnosis) {
    text += "\n" + outcome.diagnosis->Text();
  }
  throw Error(Error::Kind::kTimeout, text);
}

void Restart(std::span<const Component> components, const RestartContext& context) {
  for (const Component component : components) {
    RestartOne(component, context);
  }
}

void RestartOrRestore(std::span<const Component> components, const Snapshot& before,
                      const RestartContext& context) {
  for (std::size_t i = 0; i < components.size(); ++i) {
    try {
      RestartOne(components[i], context);
    } catch (const Error& error) {
      if (error.kind() == Error::Kind::kCancelled) {
        throw;
      }
      GoBackAfter(error.message(), components.first(i + 1), before, context);
    } catch (const std::exception& error) {
      GoBackAfter(error.what(), components.first(i + 1), before, context);
    }
  }
}

}  // namespace static_pods
