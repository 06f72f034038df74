// SPDX-License-Identifier: Apache-2.0
#include "fleet/host_reboot.h"

#include <fmt/core.h>

#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "json/value.h"

namespace fleet {
namespace {

using base::Error;

constexpr const char* kRecord = "/var/lib/slipway/fleet/reboot.json";
constexpr const char* kBootId = "/proc/sys/kernel/random/boot_id";
// Packages of Debian and Ubuntu create this file when they need a restart.
constexpr const char* kRequired = "/var/run/reboot-required";
constexpr std::chrono::minutes kShutdownLimit{10};

std::vector<std::string> RebootCommand(host::Host& host) {
  return host.processes.FindExecutable("systemctl")
             ? std::vector<std::string>{"systemctl", "reboot"}
             : std::vector<std::string>{"reboot"};
}

void RequestReboot(host::Host& host) {
  const std::vector<std::string> command = RebootCommand(host);
  const host::RunResult result = host.processes.Run(command);
  if (!result.Succeeded()) {
    throw Error(
        fmt::format("{} failed: {}", base::Join(command, " "), base::Trim(result.Combined())));
  }
}

}  // namespace

void RebootOnce(host::Host& host, const RebootRequest& request, const base::ShowLine& say) {
  const std::stop_token stop = host.signals.Interrupt();
  const std::string boot(base::Trim(host.files.Read(kBootId)));
  const json::Value record = json::TryParse(host.files.Find(kRecord).value_or(""));
  const bool requested = json::TextAt(record, {"id"}) == request.id;
  if (requested && json::TextAt(record, {"boot"}) != boot) {
    host.files.Remove(kRecord);
    say("The host has been restarted");
    return;
  }
  if (!requested && request.if_required && !host.files.Exists(kRequired)) {
    say(fmt::format("{} does not exist: the host needs no restart", kRequired));
    return;
  }
  host.files.Write(kRecord, json::Compact(json::Value{{"id", request.id}, {"boot", boot}}));
  say("Restarting the host");
  RequestReboot(host);
  if (!host.clock.Sleep(kShutdownLimit, stop)) {
    throw base::Interrupted("the host is shutting down");
  }
  throw Error(Error::Kind::kTimeout,
              fmt::format("the host still runs {} minutes after the request to restart",
                          kShutdownLimit.count()));
}

}  // namespace fleet
