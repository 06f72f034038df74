#include "kubelet/service.h"

#include <fmt/core.h>

#include "base/number.h"
#include "base/strings.h"
#include "host/init_system.h"

namespace kubelet {
namespace {

const std::string kService = "kubelet";

// The packages' unit waits ten seconds before it starts the kubelet again: one that has died twice
// by then will go on so. A runtime that starts a little late is forgiven.
constexpr int kTooManyRestarts = 2;

ServiceResult Act(host::Host& host, void (host::InitSystem::*verb)(const std::string&)) {
  using Outcome = ServiceResult::Outcome;
  try {
    const auto init_system = host::DetectInitSystem(host);
    if (!init_system) {
      return {.outcome = Outcome::kNoInitSystem};
    }
    if (!init_system->Exists(kService)) {
      return {.outcome = Outcome::kNoService};
    }
    ((*init_system).*verb)(kService);
    return {.outcome = Outcome::kDone};
  } catch (const base::Error& error) {
    return {.outcome = Outcome::kFailed, .problem = error.message()};
  }
}

KubeletFacts Gather(host::Host& host) {
  const host::RunOptions ask{.timeout = std::chrono::seconds(5), .effect = host::Effect::kAsks};
  KubeletFacts facts;
  const host::RunResult shown =
      host.processes.Run({"systemctl", "show", kService, "--property=ActiveState,NRestarts"}, ask);
  for (const std::string& line : base::Lines(shown.out)) {
    if (line.starts_with("ActiveState=")) {
      facts.active_state = line.substr(line.find('=') + 1);
    } else if (line.starts_with("NRestarts=")) {
      facts.restarts = base::ParseNumber(line.substr(line.find('=') + 1)).value_or(0);
    }
  }
  if (JudgeKubelet(facts) && host.processes.FindExecutable("journalctl")) {
    facts.log =
        host.processes
            .Run({"journalctl", "--no-pager", "--output=cat", "--lines=10", "--unit", kService},
                 ask)
            .out;
  }
  return facts;
}

}  // namespace

ServiceResult StopKubelet(host::Host& host) { return Act(host, &host::InitSystem::Stop); }
ServiceResult StartKubelet(host::Host& host) { return Act(host, &host::InitSystem::Restart); }

std::optional<base::Error> JudgeKubelet(const KubeletFacts& facts) {
  std::string text;
  if (facts.active_state == "failed") {
    text = "the kubelet service has failed";
  } else if (const int ends = facts.restarts + (facts.active_state == "activating" ? 1 : 0);
             ends >= kTooManyRestarts) {
    text = fmt::format("the kubelet has ended {} times since it was started", ends);
  } else {
    return std::nullopt;
  }
  if (const std::string_view log = base::Trim(facts.log); !log.empty()) {
    text += fmt::format("; the last lines of its log:\n{}", log);
  }
  return base::Error(text);
}

std::function<std::optional<base::Error>()> KubeletCulprit(host::Host& host) {
  return [&host]() -> std::optional<base::Error> {
    if (!host.processes.FindExecutable("systemctl")) {
      return std::nullopt;
    }
    try {
      return JudgeKubelet(Gather(host));
    } catch (const base::Error&) {
      return std::nullopt;  // a question that cannot be answered is no reason to give up
    }
  };
}

}  // namespace kubelet
