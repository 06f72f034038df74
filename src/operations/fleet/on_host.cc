// SPDX-License-Identifier: Apache-2.0
#include "fleet/on_host.h"

#include <fmt/core.h>

#include <csignal>
#include <map>
#include <span>

#include "base/error.h"
#include "host/namespaces.h"

namespace fleet {
namespace {

constexpr int kHostInit = 1;  // process 1 of the host, whose process ids the container shares
constexpr int kNotStarted = 127;
constexpr int kSignalled = 128;
constexpr const char* kProgram = "/var/lib/slipway/fleet/kubeadm";
constexpr const char* kPath =
    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/bin";

void PassVariables(std::span<const std::string_view> names, const host::Environment& from,
                   std::map<std::string, std::string>& to) {
  for (const std::string_view name : names) {
    if (const std::string value = from.Get(name); !value.empty()) {
      to[std::string(name)] = value;
    }
  }
}

}  // namespace

int RunOnHost(host::Host& host, const std::vector<std::string>& arguments) {
  // The container's files disappear with its mount namespace.
  const std::string program = host.files.Read("/proc/self/exe");
  host::EnterNamespaces(kHostInit);
  if (host.files.Find(kProgram) != program) {
    host.files.Write(kProgram, program, {.mode = 0755, .keep_mode = false});
  }
  host::AttachedProgram run{.argv = {kProgram},
                            .environment = {{"PATH", kPath}, {"HOME", "/root"}}};
  PassVariables(kS3Variables, host.environment, run.environment);
  PassVariables(kTokenVariables, host.environment, run.environment);
  PassVariables(kTraceVariables, host.environment, run.environment);
  run.argv.insert(run.argv.end(), arguments.begin(), arguments.end());
  const std::stop_token stop = host.signals.Interrupt();
  const int status = host::RunAttached(run, stop);
  if (status == kNotStarted) {
    throw base::Error(
        fmt::format("{} cannot be started: is its file system mounted noexec?", kProgram));
  }
  return status != 0 && stop.stop_requested() ? kSignalled + SIGTERM : status;
}

}  // namespace fleet
