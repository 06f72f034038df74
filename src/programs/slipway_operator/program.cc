// SPDX-License-Identifier: Apache-2.0
#include "slipway_operator/program.h"

#include <fmt/core.h>

#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "cli/help.h"
#include "fleet/reconciler.h"
#include "http/server.h"
#include "kube/lead_while_held.h"
#include "otlp/collector.h"
#include "slipway_operator/connect.h"
#include "slipway_operator/extension_command.h"
#include "slipway_operator/texts.h"

namespace slipway_operator {
namespace {

using base::Error;
using cli::FlagType;

constexpr const char* kHistory = "history";
constexpr const char* kImage = "image";
constexpr const char* kKubeconfig = "kubeconfig";
constexpr const char* kNamespace = "namespace";
constexpr const char* kPort = "metrics-port";
constexpr std::chrono::seconds kPause{2};
constexpr std::chrono::seconds kRetryLimit{10};

std::vector<cli::Flag> Flags() {
  return {{.name = kHistory,
           .type = FlagType::kInt,
           .default_text = "20",
           .help = "How many finished ClusterOperations are kept"},
          {.name = kImage, .help = "The image that has kubeadm as /usr/bin/kubeadm, for the Jobs"},
          {.name = kKubeconfig,
           .help = "The kubeconfig file of the cluster; without it, this Pod's ServiceAccount"},
          {.name = kPort,
           .type = FlagType::kInt,
           .default_text = "9193",
           .help = "The port of /metrics, /healthz and /readyz"},
          {.name = kNamespace,
           .default_text = std::string(fleet::kDefaultNamespace),
           .help = "The namespace of the Jobs and of the Lease"}};
}

fleet::OperatorSettings SettingsBy(const cli::Parsed& flags, const host::Host& host) {
  if (flags.Text(kImage).empty()) {
    throw Error(Error::Kind::kUsage, fmt::format("--{} is required", kImage));
  }
  if (flags.Int(kHistory) < 1) {
    throw Error(Error::Kind::kUsage, fmt::format("--{} must be at least 1", kHistory));
  }
  return {.jobs = {.name_space = flags.Text(kNamespace),
                   .image = flags.Text(kImage),
                   .traces = fleet::TraceSettingsFrom(host.environment, "")},
          .history = static_cast<std::size_t>(flags.Int(kHistory)),
          .on_end = [&host](const std::vector<otlp::Span>& spans) {
            otlp::Export(spans, "slipway-operator", host);
          }};
}

http::ServerReply Answer(const http::ServerRequest& request,
                         const fleet::OperatorMetrics& metrics) {
  if (request.path == "/metrics") {
    return {.body = metrics.Text(), .content_type = "text/plain; version=0.0.4; charset=utf-8"};
  }
  if (request.path == "/healthz" || request.path == "/readyz") {
    return {.body = "ok\n"};
  }
  return {.status = 404, .body = "there are /metrics, /healthz and /readyz\n"};
}

// Makes passes until the stop request. Logs a failed pass, and makes the next pass after the pause.
void Reconcile(fleet::Reconciler& reconciler, host::Clock& clock, const std::stop_token& stop) {
  do {
    try {
      reconciler.Pass();
    } catch (const base::Interrupted&) {
      return;  // the stop request has interrupted a request
    } catch (const Error& error) {
      reconciler.metrics().CountFailedPass();
      base::LogWarning("a pass has failed, and is repeated: {}", error.message());
    }
  } while (clock.Sleep(kPause, stop));
}

void Run(const cli::Invocation& invocation, host::Host& host) {
  const cli::Parsed& flags = invocation.flags;
  const fleet::OperatorSettings settings = SettingsBy(flags, host);
  const std::shared_ptr<kube::Transport> transport = Connect(host, flags.Text(kKubeconfig));
  const std::stop_token stop = host.signals.Interrupt();  // before any other thread starts
  kube::Client client(transport, host.clock, {.limit = kRetryLimit}, stop);
  fleet::Reconciler reconciler(client, host.clock, host.random, settings);
  const http::Server server(
      {.clock = host.clock,
       .host = {},
       .port = static_cast<int>(flags.Int(kPort)),
       .probes = {"/healthz", "/readyz"}},
      [&](const http::ServerRequest& request) { return Answer(request, reconciler.metrics()); });
  kube::LeaderElector elector(*transport, host.clock,
                              {.name_space = settings.jobs.name_space,
                               .name = std::string(fleet::kOperationsLease),
                               .identity = fmt::format("{}_{}", host.machine.Hostname(),
                                                       base::HexEncode(host.random.Bytes(8)))});
  if (!elector.Acquire(stop)) {
    return;
  }
  base::LogInfo(0, "leads");
  reconciler.metrics().SetLeads(true);
  const bool held = kube::LeadWhileHeld(
      elector, [&](const std::stop_token& lost) { Reconcile(reconciler, host.clock, lost); }, stop);
  if (!held) {
    throw Error(
        fmt::format("the lease {}/{} is lost", settings.jobs.name_space, fleet::kOperationsLease));
  }
}

}  // namespace

cli::Command Root(host::Host& host) {
  cli::Command root =
      cli::Documented("slipway-operator", "Run the ClusterOperations of a cluster", Text("root"));
  root.flags = Flags();
  root.run = [&host](cli::Invocation& invocation) { Run(invocation, host); };
  root.children = [&host] { return std::vector<cli::Command>{ExtensionCommand(host)}; };
  return root;
}

}  // namespace slipway_operator
