// SPDX-License-Identifier: Apache-2.0
#include "components/facts.h"

#include <algorithm>
#include <array>
#include <ranges>

#include "base/error.h"
#include "base/rows.h"
#include "base/strings.h"
#include "components/containers.h"
#include "json/value.h"
#include "yaml/yaml.h"

namespace components {
namespace {

constexpr std::size_t kLogLines = 200;  // stack traces and usage texts may follow the reason
constexpr std::string_view kOutOfMemory = "OOMKilled";
constexpr std::uint64_t kNoRoom = 1 << 20;  // bytes; etcd asks for 64 MB at a time

bool FailedOfItself(const cri::Container& container) {
  constexpr int kKilled = 128 + 9;
  constexpr int kTerminated = 128 + 15;
  if (container.state != cri::Container::State::kExited) {
    return false;
  }
  return container.reason == kOutOfMemory ||
         (container.exit_code != 0 && container.exit_code != kKilled &&
          container.exit_code != kTerminated);
}

// Returns whether a signal ended a container's program before the program had installed its signal
// handlers. etcd installs its handlers only when it serves. A Go program that is PID 1 of its
// container is not killed by such a signal. It exits with the exit code of a panic. After a real
// panic or an invalid flag, the reason is at the end of the log.
bool WasTerminatedEarly(const Failure& failure) {
  constexpr int kGoExit = 2;
  const std::vector<std::string>& lines = failure.last_lines;
  return failure.exit_code == kGoExit && failure.reason != kOutOfMemory && !lines.empty() &&
         (lines.back().starts_with(R"({"level":"info")") ||
          lines.back().starts_with(R"({"level":"warn")"));
}

using TimePoint = std::chrono::system_clock::time_point;

// Returns the time of the component's present manifest. Failures under an earlier manifest do not
// count, even if this run wrote both manifests. A modification time in the future is ignored: the
// file was written before the clock was set back.
TimePoint Since(components::Component component, const FactSources& sources) {
  const std::optional<host::FileInfo> manifest =
      sources.host.files.Stat(components::ManifestPath(component));
  return manifest && manifest->modified <= sources.host.clock.Now()
             ? std::max(sources.since, manifest->modified)
             : sources.since;
}

std::map<std::string, TimePoint> SinceByName(const FactSources& sources) {
  std::map<std::string, TimePoint> since;
  for (const components::Component component : components::kComponents) {
    since.emplace(components::Name(component), Since(component, sources));
  }
  return since;
}

// Returns whether a container ended after `since`, and not in the future.
bool OfThisRun(const cri::Container& container, TimePoint since, const FactSources& sources) {
  return container.finished >= since &&
         container.finished <= sources.host.clock.Now() + std::chrono::seconds(1);
}

std::vector<std::string> MountsIn(const json::Value& container) {
  std::vector<std::string> mounts;
  for (const json::Value& mount : json::At(container, {"volumeMounts"})) {
    mounts.push_back(json::TextAt(mount, {"mountPath"}));
  }
  return mounts;
}

// Returns the paths at which the component's manifest mounts something into its container.
std::optional<std::vector<std::string>> MountsOf(const std::string& name,
                                                 const host::Files& files) {
  const components::Component component =
      base::RowOf(components::kComponents, name, components::Name);
  try {
    const json::Value pod =
        yaml::Parse(files.Find(components::ManifestPath(component)).value_or("")).value;
    for (const json::Value& container : json::At(pod, {"spec", "containers"})) {
      if (json::TextAt(container, {"name"}) == name) {
        return MountsIn(container);
      }
    }
  } catch (const base::Error&) {
    return std::nullopt;  // an unreadable manifest
  }
  return std::nullopt;
}

// Exits are counted one by one. The attempt number of a container is not the number of exits: the
// kubelet continues the numbers of an earlier Pod of the same name, and also counts stopped
// containers.
void AddContainers(std::vector<cri::Container> all, const FactSources& sources,
                   ControlPlaneFacts& facts) {
  const std::map<std::string, TimePoint> since = SinceByName(sources);
  std::ranges::stable_sort(all, {}, &cri::Container::finished);
  for (const cri::Container& container : all) {
    const bool ended = container.state == cri::Container::State::kExited;
    const auto component = since.find(container.name);
    if (component == since.end() || (ended && !OfThisRun(container, component->second, sources))) {
      continue;
    }
    ContainerFact& fact = facts.containers[container.name];
    fact.name = container.name;
    fact.running = fact.running || container.state == cri::Container::State::kRunning;
    if (FailedOfItself(container)) {
      const std::optional<std::string> log = sources.host.files.Find(container.log_path);
      Failure failure{.id = container.id,
                      .exit_code = container.exit_code,
                      .reason = container.reason,
                      .last_lines = LastLogLines(log.value_or(""), kLogLines)};
      if (!WasTerminatedEarly(failure)) {
        fact.failures.push_back(std::move(failure));
        fact.mounts = MountsOf(container.name, sources.host.files);
      }
    }
  }
}

bool DiskIsFull(const FactSources& sources) {
  const auto space = sources.disk_space(sources.etcd_data);
  return space &&
         (space->available < kNoRoom || (space->inodes > 0 && space->inodes_available == 0));
}

// Runs `ask` and returns the message of its error, if any.
template <typename Ask>
std::optional<std::string> Guarded(const Ask& ask) {
  try {
    ask();
    return std::nullopt;
  } catch (const base::Error& error) {
    return error.message();
  }
}

}  // namespace

ControlPlaneFacts CollectFacts(const FactSources& sources) {
  ControlPlaneFacts facts{.disk_full = DiskIsFull(sources)};
  if (sources.runtime != nullptr) {
    facts.runtime_problem = Guarded([&] {
      AddContainers(components::ContainersOf(components::kComponents, *sources.runtime), sources,
                    facts);
    });
    facts.containers_known = !facts.runtime_problem;
  }
  if (sources.init_system != nullptr) {
    bool active = false;
    facts.kubelet_problem = Guarded([&] { active = sources.init_system->IsActive("kubelet"); });
    if (!active && !facts.kubelet_problem) {
      facts.kubelet_problem = "its service is not active";
    }
  }
  return facts;
}

void FailureMemory::AddTo(ControlPlaneFacts& facts) {
  for (auto& [name, fact] : facts.containers) {
    std::vector<Failure>& failed = failed_[name];
    for (Failure& failure : fact.failures) {
      const auto known = std::ranges::find(failed, failure.id, &Failure::id);
      if (known == failed.end()) {
        failed.push_back(std::move(failure));
      }
    }
    if (!fact.failures.empty()) {
      fact.failures = failed;
    }
  }
}

std::vector<std::string> LastLogLines(std::string_view log, std::size_t count) {
  // Splitting all lines of a long log for the last few would be slow.
  constexpr std::size_t kTail = 65'536;
  const bool cut = log.size() > kTail;
  std::vector<std::string> lines = base::Lines(cut ? log.substr(log.size() - kTail) : log);
  std::vector<std::string> messages;
  for (std::size_t i = lines.size(); i-- > (cut ? 1U : 0U) && messages.size() < count;) {
    std::string_view message = lines[i];
    for (int field = 0; field < 3; ++field) {
      const std::size_t blank = message.find(' ');
      message = blank == std::string_view::npos ? "" : message.substr(blank + 1);
    }
    if (!base::Trim(message).empty()) {
      messages.emplace_back(message);
    }
  }
  std::ranges::reverse(messages);
  return messages;
}

}  // namespace components
