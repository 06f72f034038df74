// SPDX-License-Identifier: Apache-2.0
#include "fleet/on_host.h"

#include <fmt/core.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
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

// Opens the container's directory of kubelets if an argument names it.
std::optional<host::SharedDirectory> ShareKubelets(const std::vector<std::string>& arguments) {
  return std::ranges::find(arguments, kKubeletsArgument) == arguments.end()
             ? std::nullopt
             : std::optional<host::SharedDirectory>(std::in_place, std::string(kKubelets));
}

std::string OnHost(const std::string& argument,
                   const std::optional<host::SharedDirectory>& kubelets) {
  return kubelets && argument == kKubeletsArgument
             ? base::ReplaceAll(argument, kKubelets, kubelets->path())
             : argument;
}

}  // namespace

int RunOnHost(host::Host& host, const std::vector<std::string>& arguments) {
  // The container's files disappear with its mount namespace.
  const std::string program = host.files.Read("/proc/self/exe");
  const auto kubelets = ShareKubelets(arguments);
  host::EnterNamespaces(kHostInit);
  if (host.files.Find(kProgram) != program) {
    host.files.Write(kProgram, program, {.mode = 0755, .keep_mode = false});
  }
  host::AttachedProgram run{.argv = {kProgram},
                            .environment = {{"PATH", kPath}, {"HOME", "/root"}}};
  PassVariables(kS3Variables, host.environment, run.environment);
  PassVariables(kTokenVariables, host.environment, run.environment);
  PassVariables(kTraceVariables, host.environment, run.environment);
  for (const std::string& argument : arguments) {
    run.argv.push_back(OnHost(argument, kubelets));
  }
  const std::stop_token stop = host.signals.Interrupt();
  const int status = host::RunAttached(run, stop);
  if (status == kNotStarted) {
    throw base::Error(
        fmt::format("{} cannot be started: is its file system mounted noexec?", kProgram));
  }
  return status != 0 && stop.stop_requested() ? kSignalled + SIGTERM : status;
}

}  // namespace fleet
