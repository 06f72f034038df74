// SPDX-License-Identifier: Apache-2.0
// Commands `kubeadm fleet apply`, `status`, `pause`, `resume` and `abort`: the objects of the
// operator.
#include "fleet/objects.h"

#include <fmt/core.h>

#include <ostream>

#include "base/error.h"
#include "json/value.h"
#include "kubeadm/backup/keys.h"
#include "kubeadm/commands.h"
#include "kubeadm/documented.h"
#include "kubeadm/fleet/shared.h"
#include "kubeadm/terminal.h"
#include "kubeadm/token/cluster.h"
#include "kubeconfigs/connect.h"
#include "print/text_table.h"
#include "yaml/yaml.h"

namespace kubeadm {
namespace {

using base::Error;

constexpr std::chrono::seconds kPatience{10};

kube::Client ClientOf(const cli::Invocation& invocation, const host::Host& host) {
  return kubeconfigs::ClientBy(host, TokenKubeconfigPath(invocation.flags, host), kPatience);
}

const std::string& RequireName(const cli::Invocation& invocation) {
  if (invocation.flags.args().empty()) {
    throw Error(Error::Kind::kUsage,
                fmt::format("{} needs the name of a ClusterOperation", invocation.path));
  }
  return invocation.flags.args().front();
}

void Apply(cli::Invocation& invocation, host::Host& host) {
  const std::string& path = RequireOneFile(invocation);
  const json::Value object = yaml::Parse(host.files.Read(path)).value;
  kube::Client client = ClientOf(invocation, host);
  const bool created = base::WithContext(path, [&] { return fleet::ApplyObject(client, object); });
  SayAs("fleet",
        invocation)(fmt::format("Operation {} {}", json::TextAt(object, {"metadata", "name"}),
                                created ? "created" : "configured"));
}

void Status(cli::Invocation& invocation, host::Host& host) {
  kube::Client client = ClientOf(invocation, host);
  invocation.streams.out << print::TextTable(fleet::CollectStates(client)) << std::flush;
}

void SetPaused(cli::Invocation& invocation, host::Host& host, bool paused) {
  const std::string& name = RequireName(invocation);
  kube::Client client = ClientOf(invocation, host);
  fleet::PauseObject(client, name, paused);
  SayAs("fleet", invocation)(fmt::format(
      "Operation {}: {}", name, paused ? "paused; nodes in change are completed" : "resumed"));
}

void Abort(cli::Invocation& invocation, host::Host& host) {
  const std::string& name = RequireName(invocation);
  kube::Client client = ClientOf(invocation, host);
  fleet::DeleteObject(client, name);
  SayAs("fleet", invocation)(fmt::format(
      "Operation {}: no further node is begun; it disappears when its last Job has ended", name));
}

}  // namespace

cli::Flag FleetKubeconfigFlag() {
  return {.name = "kubeconfig",
          .help =
              "The kubeconfig file of an administrator; without the flag that of KUBECONFIG or "
              "~/.kube/config, else admin.conf"};
}

std::vector<cli::Command> FleetObjectCommands(host::Host& host) {
  const auto leaf = [&host](std::string name, std::string summary, std::string args,
                            std::function<void(cli::Invocation&, host::Host&)> run) {
    const std::string text = "fleet-" + name;
    const int most = args.empty() ? 0 : 1;
    return Made({.name = std::move(name),
                 .summary = std::move(summary),
                 .text = text,
                 .flags = {FleetKubeconfigFlag()},
                 .usage_args = std::move(args),
                 .max_args = most,
                 .run = std::move(run)},
                host);
  };
  const auto pausing = [](bool paused) {
    return [paused](cli::Invocation& invocation, host::Host& machine) {
      SetPaused(invocation, machine, paused);
    };
  };
  return {leaf("abort", "End an operation after the nodes that it is changing", "NAME", Abort),
          leaf("apply", "Give an operation to the operator", "FILE", Apply),
          leaf("pause", "Begin no further node of an operation", "NAME", pausing(true)),
          leaf("resume", "Go on with a paused operation", "NAME", pausing(false)),
          leaf("status", "Show the operations and the state of their nodes", "", Status)};
}

}  // namespace kubeadm
