// SPDX-License-Identifier: Apache-2.0
#include "kubeconfigs/connect.h"

#include <fmt/core.h>

#include "base/duration.h"
#include "base/error.h"
#include "base/strings.h"
#include "kubeconfigs/load.h"

namespace kubeconfigs {
namespace {

using base::Error;

constexpr std::chrono::minutes kAnswer{1};
constexpr std::chrono::minutes kConversation{5};

// Adds the kubeconfig author's hint for the installation of the program.
std::string WithHint(std::string text, const kube::PluginCall& call) {
  return call.install_hint.empty() ? text : fmt::format("{}\n\n{}", text, call.install_hint);
}

std::string Run(const host::Host& host, const kube::PluginCall& call, std::stop_token stop) {
  const std::string& program = call.argv.front();
  if (!host.processes.FindExecutable(program)) {
    throw Error(WithHint(fmt::format("the kubeconfig's user logs in by the program {}, which "
                                     "cannot be run",
                                     base::Quoted(program)),
                         call));
  }
  const std::chrono::minutes timeout = call.interactive ? kConversation : kAnswer;
  const host::RunResult result = host.processes.Run(
      call.argv, {.environment = call.environment,
                  .talk = call.interactive ? host::Talk::kAtTerminal : host::Talk::kErrorsToUser,
                  .timeout = timeout,
                  .effect = host::Effect::kAsks,
                  .stop = std::move(stop)});
  if (result.timed_out) {
    throw Error(fmt::format("{} has not answered within {}, and was stopped", base::Quoted(program),
                            base::FormatDuration(timeout)));
  }
  if (result.exit_code != 0) {
    throw Error(WithHint(
        fmt::format("{} failed with exit code {}", base::Quoted(program), result.exit_code), call));
  }
  return result.out;
}

}  // namespace

kube::PluginHost PluginsOn(const host::Host& host) {
  return {.has_terminal = [&host] { return host.environment.HasTerminal(); },
          .now = [&host] { return host.clock.Now(); },
          .run = [&host](const kube::PluginCall& call,
                         std::stop_token stop) { return Run(host, call, std::move(stop)); }};
}

std::unique_ptr<kube::Transport> ConnectBy(const host::Host& host, const kube::Kubeconfig& config,
                                           kube::ConnectOptions options) {
  options.read_file = [&host](const std::string& file) { return host.files.Find(file); };
  return kube::MakeHttpTransport(config, options, PluginsOn(host));
}

std::unique_ptr<kube::Transport> ConnectBy(const host::Host& host, const host::fs::path& kubeconfig,
                                           const kube::ConnectOptions& options) {
  const kube::Kubeconfig config = LoadKubeconfig(host.files, kubeconfig);
  return base::WithContext(kubeconfig.string(), [&] { return ConnectBy(host, config, options); });
}

kube::Client ClientBy(const host::Host& host, const host::fs::path& kubeconfig,
                      std::chrono::milliseconds limit) {
  return {ConnectBy(host, kubeconfig),
          host.clock,
          {.limit = limit, .grace = std::chrono::milliseconds(0)},
          host.signals.Interrupt()};
}

}  // namespace kubeconfigs
