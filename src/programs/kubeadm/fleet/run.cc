// SPDX-License-Identifier: Apache-2.0
// Command `kubeadm fleet run`.
#include "fleet/run.h"

#include <fmt/core.h>

#include <ostream>

#include "base/error.h"
#include "base/strings.h"
#include "json/value.h"
#include "kube/in_cluster.h"
#include "kubeadm/backup/keys.h"
#include "kubeadm/command_line.h"
#include "kubeadm/commands.h"
#include "kubeadm/documented.h"
#include "kubeadm/fleet/shared.h"
#include "kubeadm/terminal.h"
#include "kubeadm/token/cluster.h"
#include "kubeadm/trace.h"
#include "kubeconfigs/connect.h"
#include "otlp/collector.h"
#include "yaml/yaml.h"

namespace kubeadm {
namespace {

using base::Error;

constexpr std::size_t kSeedBytes = 16;
constexpr const char* kImage = "image";
constexpr const char* kNamespace = "namespace";
constexpr const char* kRollback = "rollback";
// The longest outage of the API server during an upgrade of the only control-plane node.
constexpr std::chrono::minutes kServerOutage{10};

// Loads the object in the file. --rollback replaces its spec.rollback. If the object has no trace
// annotation, its trace continues TRACEPARENT.
fleet::ClusterOperation LoadOperation(const cli::Invocation& invocation, const host::Host& host) {
  const std::string& path = RequireOneFile(invocation);
  return base::WithContext(path, [&] {
    json::Value object = yaml::Parse(host.files.Read(path)).value;
    if (invocation.flags.Changed(kRollback) && json::At(object, {"spec"}).is_object()) {
      object["spec"]["rollback"] = invocation.flags.Text(kRollback);
    }
    fleet::ClusterOperation operation = fleet::ParseOperation(object);
    if (operation.traceparent.empty()) {
      operation.traceparent = host.environment.Get(otlp::kTraceparentVariable);
    }
    return operation;
  });
}

fleet::JobSettings SettingsBy(const cli::Parsed& flags, const host::Host& host) {
  const std::string& image = flags.Text(kImage);
  if (image.empty()) {
    throw Error(Error::Kind::kUsage,
                fmt::format("--{} is required: the image whose kubeadm runs on the nodes", kImage));
  }
  return {.name_space = flags.Text(kNamespace),
          .image = image,
          .traces = fleet::TraceSettingsFrom(host.environment,
                                             base::HexEncode(host.random.Bytes(kSeedBytes)))};
}

// Returns a client that reads the kubeconfig again after a failure. The operation may replace the
// CA of the kubeconfig's certificates.
kube::Client FreshClient(const host::Host& host, const host::fs::path& kubeconfig) {
  return {kube::MakeFreshTransport(
              [&host, kubeconfig] { return kubeconfigs::ConnectBy(host, kubeconfig); }, host.clock),
          host.clock,
          {.limit = kServerOutage, .grace = std::chrono::milliseconds(0)},
          host.signals.Interrupt()};
}

void Run(cli::Invocation& invocation, host::Host& host) {
  const cli::Parsed& flags = invocation.flags;
  const fleet::ClusterOperation operation = LoadOperation(invocation, host);
  const fleet::JobSettings settings = SettingsBy(flags, host);
  const base::ShowLine say = SayAs("fleet", invocation);
  kube::Client client = FreshClient(host, TokenKubeconfigPath(flags, host));
  const fleet::FleetFacts facts =
      fleet::CollectFacts(operation, client, host.clock, settings.name_space);
  say(fmt::format("Operation {}: {}", operation.name, operation.Title()));
  invocation.streams.out << fleet::TextOf(fleet::PlanFleet(operation, facts.nodes, facts.from))
                         << std::flush;
  if (flags.Bool("dry-run")) {
    say("This was a dry run: nothing was changed");
    return;
  }
  RequireYes(invocation, host);
  fleet::RunOperation(operation,
                      {.client = client,
                       .clock = host.clock,
                       .random = host.random,
                       .settings = settings,
                       .identity = fmt::format("{}_{}", host.machine.Hostname(),
                                               base::HexEncode(host.random.Bytes(8))),
                       .say = say,
                       .on_end = [&host](const auto& spans) { ExportSpans(spans, host); }},
                      host.signals.Interrupt());
  say(fmt::format("Done: {}", operation.Title()));
}

}  // namespace

cli::Command FleetRunCommand(host::Host& host) {
  return Made({.name = "run",
               .summary = "Run an operation on the nodes of the cluster, from this terminal",
               .text = "fleet-run",
               .flags = Joined(
                   CommonFlags({"dry-run", "yes"}),
                   {{.name = kImage, .help = "The image that has this kubeadm as /usr/bin/kubeadm"},
                    FleetKubeconfigFlag(),
                    {.name = kNamespace,
                     .default_text = std::string(fleet::kDefaultNamespace),
                     .help = "The namespace of the Jobs; made if it does not exist"},
                    {.name = kRollback,
                     .help = "Instead of spec.rollback: \"node\" rolls a node back on which an "
                             "upgrade fails, \"none\" does not"}}),
               .usage_args = "FILE",
               .max_args = 1,
               .traced = false,
               .run = Run},
              host);
}

}  // namespace kubeadm
