// SPDX-License-Identifier: Apache-2.0
#include "kubelet/service.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>

#include "base/number.h"
#include "base/strings.h"
#include "components/causes.h"
#include "config/paths.h"
#include "host/command_lines.h"
#include "host/init_system.h"
#include "kubelet/flags.h"
#include "kubelet/node_config.h"

namespace kubelet {
namespace {

const std::string kService = "kubelet";

// Returns the command line of the process `pid`, which the init system reported; std::nullopt if
// the process is another program.
std::optional<std::vector<std::string>> CommandLineOf(int pid, const host::Files& files) {
  std::optional<std::vector<std::string>> words = host::FindCommandLine(files, pid);
  return words && std::filesystem::path(words->front()).filename() == kService ? words
                                                                               : std::nullopt;
}

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

// The files that the kubelet reads when it starts. Log lines from before the last write of these
// files are irrelevant.
std::array<std::filesystem::path, 5> Inputs() {
  const std::filesystem::path kubernetes(config::kKubernetesDir);
  return {kConfigFile, kInstanceConfigFile, kFlagsFile, kubernetes / config::kBootstrapKubeletConf,
          kubernetes / config::kKubeletConf};
}

// Returns whether the kubelet ended twice for the same permanent reason.
bool EndsForGood(const KubeletFacts& facts) {
  const components::Cause* cause = components::RepeatedCause(base::Lines(base::Trim(facts.log)));
  return cause != nullptr && cause->passing == components::Passing::kNever;
}

base::Error NotRestarted(const ServiceResult& result) {
  return base::Error("could not restart the kubelet: " + ProblemOf(result).value_or(""));
}

using TimePoint = std::chrono::system_clock::time_point;

// Returns the time from which the kubelet's log is relevant: `since`, or the last write of a file
// that the kubelet reads, if that is later. Until these files exist, the kubelet of the packages
// exits every ten seconds. They may be created long after this program has started. A file with a
// time in the future was written before the clock was set back, and is ignored.
TimePoint LifeBegan(const host::Host& host, TimePoint since) {
  for (const std::filesystem::path& input : Inputs()) {
    const std::optional<host::FileInfo> file = host.files.Stat(input);
    if (file && file->modified <= host.clock.Now()) {
      since = std::max(since, file->modified);
    }
  }
  return since;
}

KubeletFacts Collect(host::Host& host, TimePoint since) {
  constexpr std::int64_t kMicros = 1'000'000;
  const std::int64_t micros =
      std::chrono::floor<std::chrono::microseconds>(LifeBegan(host, since).time_since_epoch())
          .count();
  const host::RunOptions ask{.timeout = std::chrono::seconds(5), .effect = host::Effect::kAsks};
  KubeletFacts facts;
  const host::RunResult shown =
      host.processes.Run({"systemctl", "show", kService, "--property=ActiveState"}, ask);
  for (const std::string& line : base::Lines(shown.out)) {
    if (line.starts_with("ActiveState=")) {
      facts.active_state = line.substr(line.find('=') + 1);
    }
  }
  if ((facts.active_state == "failed" || facts.active_state == "activating") &&
      host.processes.FindExecutable("journalctl")) {
    facts.log =
        host.processes
            .Run({"journalctl", "--no-pager", "--output=cat", "--lines=200", "--unit", kService,
                  fmt::format("--since=@{}.{:06}", micros / kMicros, micros % kMicros)},
                 ask)
            .out;
  }
  return facts;
}

// The log files in OpenRC scripts: Alpine's package, and the plain name.
constexpr const char* kLogs[] = {"/var/log/kubelet/kubelet.log", "/var/log/kubelet.log"};

// Two exits are stronger evidence than one, whose cause may be transient.
constexpr int kEndsThatProve = 2;

// rc-status lists a supervised service as "kubelet [ started 00:00:08 (2) ]", with the number of
// restarts. If the supervisor has given up, the service is "crashed". Neither shows whether the
// kubelet runs at this moment, so the process is checked.
KubeletFacts CollectFromOpenRc(host::Host& host) {
  const host::RunOptions ask{.timeout = std::chrono::seconds(5), .effect = host::Effect::kAsks};
  KubeletFacts facts;
  int restarts = 0;
  for (const std::string& line :
       base::Lines(host.processes.Run({"rc-status", "--all", "--nocolor"}, ask).out)) {
    const std::vector<std::string> words = base::Fields(line);
    if (words.empty() || words.front() != kService) {
      continue;
    }
    const auto has = [&](const char* word) {
      return std::ranges::find(words, word) != words.end();
    };
    facts.active_state = has("started") ? "active" : "inactive";
    if (has("crashed")) {
      facts.active_state = "failed";
    }
    // The last parenthesis counts: older versions print "started 3 day(s) 02:03:04 (2)".
    if (const std::size_t count = line.rfind('('); count != std::string::npos) {
      restarts = base::ParseNumber(line.substr(count + 1, line.rfind(')') - count - 1)).value_or(0);
    }
    break;
  }
  if (facts.active_state == "active" && restarts >= kEndsThatProve) {
    const std::unique_ptr<host::InitSystem> init_system = host::DetectInitSystem(host);
    const std::optional<int> pid = init_system ? init_system->FindProcess(kService) : std::nullopt;
    if (pid && !CommandLineOf(*pid, host.files)) {
      facts.active_state = "activating";
    }
  }
  for (const char* log : kLogs) {
    if ((facts.active_state == "failed" || facts.active_state == "activating") &&
        host.files.Exists(log)) {
      facts.log = host.processes.Run({"tail", "-n", "200", log}, ask).out;
      break;
    }
  }
  return facts;
}

}  // namespace

ServiceResult StopKubelet(host::Host& host) { return Act(host, &host::InitSystem::Stop); }
ServiceResult StartKubelet(host::Host& host) { return Act(host, &host::InitSystem::Restart); }

std::optional<std::string> ProblemOf(const ServiceResult& result) {
  switch (result.outcome) {
    case ServiceResult::Outcome::kNoInitSystem:
      return "this machine has no init system that kubeadm knows";
    case ServiceResult::Outcome::kNoService:
      return "the init system has no service named kubelet";
    case ServiceResult::Outcome::kFailed:
      return result.problem;
    case ServiceResult::Outcome::kDone:
      break;
  }
  return std::nullopt;
}

bool RestartIfService(host::Host& host) {
  const ServiceResult result = RestartKubelet(host);
  if (result.outcome == ServiceResult::Outcome::kFailed) {
    throw NotRestarted(result);
  }
  return result.outcome == ServiceResult::Outcome::kDone;
}

void RequireRestart(host::Host& host) {
  const ServiceResult result = RestartKubelet(host);
  if (result.outcome != ServiceResult::Outcome::kDone) {
    throw NotRestarted(result);
  }
}

std::optional<std::vector<std::string>> FindCommandLine(host::Host& host) {
  const std::unique_ptr<host::InitSystem> init_system = host::DetectInitSystem(host);
  const std::optional<int> pid = init_system ? init_system->FindProcess(kService) : std::nullopt;
  return pid ? CommandLineOf(*pid, host.files) : std::nullopt;
}

std::optional<base::Error> JudgeKubelet(const KubeletFacts& facts) {
  std::string text;
  if (facts.active_state == "failed") {
    text = "the kubelet service has failed";
  } else if (facts.active_state == "activating" && EndsForGood(facts)) {
    text = "the kubelet ends again and again, for the same reason";
  } else {
    return std::nullopt;
  }
  const std::vector<std::string> lines = base::Lines(base::Trim(facts.log));
  if (!lines.empty()) {
    text += fmt::format("; its last words:\n{}", components::TellingLines(lines));
  }
  return base::Error(text);
}

std::function<std::optional<base::Error>()> KubeletCulprit(
    host::Host& host, std::chrono::system_clock::time_point since) {
  return [&host, since]() -> std::optional<base::Error> {
    try {
      if (host.processes.FindExecutable("systemctl")) {
        return JudgeKubelet(Collect(host, since));
      }
      return host.processes.FindExecutable("rc-status") ? JudgeKubelet(CollectFromOpenRc(host))
                                                        : std::nullopt;
    } catch (const base::Error&) {
      return std::nullopt;  // a failed query is not a reason to give up
    }
  };
}

std::string LastWords(host::Host& host, std::chrono::system_clock::time_point since) {
  try {
    const KubeletFacts facts =
        host.processes.FindExecutable("systemctl") ? Collect(host, since) : CollectFromOpenRc(host);
    const std::vector<std::string> lines = base::Lines(base::Trim(facts.log));
    return lines.empty() ? "" : components::TellingLines(lines);
  } catch (const base::Error&) {
    return "";  // the caller's error is enough
  }
}

}  // namespace kubelet
