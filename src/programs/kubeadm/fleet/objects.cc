// SPDX-License-Identifier: Apache-2.0
// Commands `kubeadm fleet apply`, `status`, `pause`, `resume` and `abort`: the objects of the
// operator.
#include "fleet/objects.h"

#include <fmt/core.h>

#include <ostream>
#include <utility>

#include "base/error.h"
#include "json/value.h"
#include "kubeadm/backup/keys.h"
#include "kubeadm/commands.h"
#include "kubeadm/documented.h"
#include "kubeadm/fleet/shared.h"
#include "kubeadm/printed.h"
#include "kubeadm/terminal.h"
#include "kubeadm/token/cluster.h"
#include "kubeconfigs/connect.h"
#include "print/text_table.h"
#include "yaml/yaml.h"

namespace kubeadm {
namespace {

using base::Error;

constexpr std::chrono::seconds kPatience{10};

void Apply(cli::Invocation& invocation, host::Host& host) {
  const std::string& path = RequireOneFile(invocation);
  const json::Value object = yaml::Parse(host.files.Read(path)).value;
  kube::Client client = FleetClient(invocation, host, kPatience);
  const bool created = base::WithContext(path, [&] { return fleet::ApplyObject(client, object); });
  SayAs("fleet",
        invocation)(fmt::format("Operation {} {}", json::TextAt(object, {"metadata", "name"}),
                                created ? "created" : "configured"));
}

void Status(cli::Invocation& invocation, host::Host& host) {
  const print::Printer printer = PrinterOf(invocation.flags, host);
  kube::Client client = FleetClient(invocation, host, kPatience);
  const std::vector<json::Value> objects = fleet::CollectOperations(client);
  if (printer.IsText()) {
    invocation.streams.out << print::TextTable(fleet::StatesOf(objects)) << std::flush;
  } else {
    invocation.streams.out << cli::Exact{printer.Print(fleet::ListOf(objects))} << std::flush;
  }
}

void SetPaused(cli::Invocation& invocation, host::Host& host, bool paused) {
  const std::string& name = RequireOperationName(invocation);
  kube::Client client = FleetClient(invocation, host, kPatience);
  fleet::PauseObject(client, name, paused);
  SayAs("fleet", invocation)(fmt::format(
      "Operation {}: {}", name, paused ? "paused; nodes in change are completed" : "resumed"));
}

void Abort(cli::Invocation& invocation, host::Host& host) {
  const std::string& name = RequireOperationName(invocation);
  kube::Client client = FleetClient(invocation, host, kPatience);
  fleet::DeleteObject(client, name);
  SayAs("fleet", invocation)(fmt::format(
      "Operation {}: no further node is begun; it disappears when its last Job has ended", name));
}

}  // namespace

kube::Client FleetClient(const cli::Invocation& invocation, const host::Host& host,
                         std::chrono::milliseconds patience) {
  return kubeconfigs::ClientBy(host, TokenKubeconfigPath(invocation.flags, host), patience);
}

const std::string& RequireOperationName(const cli::Invocation& invocation) {
  if (invocation.flags.args().empty()) {
    throw Error(Error::Kind::kUsage,
                fmt::format("{} needs the name of a ClusterOperation", invocation.path));
  }
  return invocation.flags.args().front();
}

cli::Flag FleetKubeconfigFlag() {
  return {.name = "kubeconfig",
          .help =
              "The kubeconfig file of an administrator; by default that of KUBECONFIG or "
              "~/.kube/config, else admin.conf"};
}

std::vector<cli::Command> FleetObjectCommands(host::Host& host) {
  const auto leaf = [&host](std::string name, std::string summary, std::string args,
                            std::function<void(cli::Invocation&, host::Host&)> run) {
    const std::string text = "fleet-" + name;
    const int most = args.empty() ? 0 : 1;
    std::vector<cli::Flag> flags = {FleetKubeconfigFlag()};
    if (name == "status") {
      flags = WithPrinter(std::move(flags));
    }
    return Made({.name = std::move(name),
                 .summary = std::move(summary),
                 .text = text,
                 .flags = std::move(flags),
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
          leaf("resume", "Resume a paused operation", "NAME", pausing(false)),
          leaf("status", "Show the operations and the state of their nodes", "", Status)};
}

}  // namespace kubeadm
