// SPDX-License-Identifier: Apache-2.0
#include "host/init_system.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "base/number.h"
#include "base/strings.h"

namespace host {
namespace {

using Argv = std::vector<std::string>;

std::string Ask(Processes& processes, const Argv& argv) {
  return processes.Run(argv, {.effect = Effect::kAsks}).Combined();
}

// Runs a command that must succeed.
void Change(Processes& processes, const Argv& argv) {
  // A start waits for the unit's own start-up, which systemd limits to 90 s by default.
  const RunResult result = processes.Run(argv, {.timeout = std::chrono::minutes(5)});
  if (result.Succeeded()) {
    return;
  }
  const std::string output = result.Combined();
  const std::string_view said = base::Trim(output);
  throw base::Error(fmt::format("{} {}{}{}", base::Quoted(base::Join(argv, " ")),
                                result.timed_out ? std::string("did not end in time")
                                                 : fmt::format("failed with {}", result.exit_code),
                                said.empty() ? "" : ": ", said));
}

// Parses a pid. Returns std::nullopt for any other string, and for 0, which means that the service
// does not run.
std::optional<int> ParsePid(std::string_view text) {
  const std::optional<int> pid = base::ParseNumber(base::Trim(text));
  return pid && *pid > 0 ? pid : std::nullopt;
}

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

class Systemd : public InitSystem {
 public:
  explicit Systemd(Processes& processes) : processes_(processes) {}

  std::string_view Name() const override { return "systemd"; }

  bool Exists(const std::string& service) override {
    const std::string text = Ask(processes_, {"systemctl", "status", service});
    return !Contains(text, "Loaded: not-found") && !Contains(text, "could not be found");
  }

  bool IsEnabled(const std::string& service) override {
    return processes_.Run({"systemctl", "is-enabled", service}, {.effect = Effect::kAsks})
        .Succeeded();
  }

  bool IsActive(const std::string& service) override {
    // The exit code of a unit that is still starting is not 0, so only the printed state is used.
    const RunResult result =
        processes_.Run({"systemctl", "is-active", service}, {.effect = Effect::kAsks});
    const std::string_view word = base::Trim(result.out);
    return word == "active" || word == "activating";
  }

  std::optional<int> FindProcess(const std::string& service) override {
    constexpr std::string_view kProperty = "MainPID=";
    const RunResult result = processes_.Run({"systemctl", "show", service, "--property=MainPID"},
                                            {.effect = Effect::kAsks});
    return result.out.starts_with(kProperty) ? ParsePid(result.out.substr(kProperty.size()))
                                             : std::nullopt;
  }

  void Start(const std::string& service) override { Reloaded("start", service); }
  void Restart(const std::string& service) override { Reloaded("restart", service); }
  void Stop(const std::string& service) override {
    Change(processes_, {"systemctl", "stop", service});
  }

  std::string EnableCommand(const std::string& service) const override {
    return fmt::format("systemctl enable {}.service", service);
  }

 private:
  // A unit file or drop-in may be newer than systemd's copy.
  void Reloaded(const std::string& verb, const std::string& service) {
    Change(processes_, {"systemctl", "daemon-reload"});
    Change(processes_, {"systemctl", verb, service});
  }

  Processes& processes_;
};

// Parses a line of `rc-update show`: "  sshd | boot default".
bool IsInDefaultRunlevel(std::string_view line, std::string_view service) {
  const std::size_t bar = line.rfind('|');
  return bar != std::string_view::npos && base::Trim(line.substr(0, bar)) == service &&
         std::ranges::contains(base::Fields(line.substr(bar + 1)), "default");
}

class OpenRc : public InitSystem {
 public:
  explicit OpenRc(Host& host) : processes_(host.processes), files_(host.files) {}

  std::string_view Name() const override { return "openrc"; }

  bool Exists(const std::string& service) override {
    return !Contains(Status(service), "does not exist");
  }

  bool IsEnabled(const std::string& service) override {
    return std::ranges::any_of(
        base::Lines(Ask(processes_, {"rc-update", "show", "default"})),
        [&](const std::string& line) { return IsInDefaultRunlevel(line, service); });
  }

  bool IsActive(const std::string& service) override {
    const std::string status = Status(service);
    return !Contains(status, "stopped") && !Contains(status, "does not exist");
  }

  // Supports both process supervisors of OpenRC: supervise-daemon(8) records the pid of its child,
  // and start-stop-daemon(8) records the path of the pid file. rc-service(8) prints neither.
  std::optional<int> FindProcess(const std::string& service) override {
    const fs::path state("/run/openrc");
    if (const auto pid = files_.Find(state / "options" / service / "child_pid")) {
      return ParsePid(*pid);
    }
    constexpr std::string_view kPidFile = "pidfile=";
    for (const std::string& line :
         base::Lines(files_.Find(state / "daemons" / service / "001").value_or(""))) {
      if (line.starts_with(kPidFile) && line.size() > kPidFile.size()) {
        return ParsePid(files_.Find(line.substr(kPidFile.size())).value_or(""));
      }
    }
    return std::nullopt;
  }

  void Start(const std::string& service) override { Act(service, "start"); }
  void Restart(const std::string& service) override { Act(service, "restart"); }
  void Stop(const std::string& service) override { Act(service, "stop"); }

  std::string EnableCommand(const std::string& service) const override {
    return fmt::format("rc-update add {} default", service);
  }

 private:
  std::string Status(const std::string& service) {
    return Ask(processes_, {"rc-service", service, "status"});
  }
  void Act(const std::string& service, const std::string& verb) {
    Change(processes_, {"rc-service", service, verb});
  }

  Processes& processes_;
  const Files& files_;
};

}  // namespace

std::unique_ptr<InitSystem> DetectInitSystem(Host& host) {
  Processes& processes = host.processes;
  if (processes.FindExecutable("systemctl")) {
    return std::make_unique<Systemd>(processes);
  }
  if (!processes.FindExecutable("openrc")) {
    return nullptr;
  }
  for (const char* tool : {"rc-service", "rc-update"}) {
    if (!processes.FindExecutable(tool)) {
      throw base::Error(base::Error::Kind::kNotFound,
                        fmt::format("openrc is installed but {} is not in PATH", tool));
    }
  }
  return std::make_unique<OpenRc>(host);
}

}  // namespace host
