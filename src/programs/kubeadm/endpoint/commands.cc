// SPDX-License-Identifier: Apache-2.0
// Commands `kubeadm endpoint set` and `finish`.
#include "kubeadm/commands.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/strings.h"
#include "config/validation.h"
#include "endpoint/gather.h"
#include "endpoint/operation.h"
#include "endpoint/plan.h"
#include "kubeadm/command_line.h"
#include "kubeadm/documented.h"
#include "kubeadm/operation_command.h"
#include "static_pods/restart.h"
#include "stored_config/this_node.h"

namespace kubeadm {
namespace {

using base::Error;
using endpoint::EndpointFacts;

constexpr const char* kIgnore = "ignore-unreachable";
constexpr const char* kLeaveBehind = "leave-behind";

endpoint::EndpointDeps DepsFor(host::Host& host, const EndpointFacts& seen,
                               const std::shared_ptr<kube::Client>& client) {
  return {.host = host,
          .client = client,
          .connect_runtime =
              [&host, socket = seen.config.init.node_registration.cri_socket] {
                return static_pods::ConnectForRestarts(socket, host, host.signals.Interrupt());
              },
          .start = host.clock.NowSeconds()};
}

// Returns the new endpoint for a worker, whose previous endpoint may no longer exist. Returns
// std::nullopt on a control-plane node.
std::optional<net::HostPort> AskAt(const std::string& given, const host::Host& host) {
  if (given.empty() || stored_config::RoleOf(host.files) == stored_config::Role::kControlPlane) {
    return std::nullopt;
  }
  const auto read = net::HostPort::Parse(given);
  return read ? std::optional(*read) : std::nullopt;
}

PlannedRun PlanSet(cli::Invocation& invocation, host::Host& host) {
  const std::string given = invocation.flags.args().empty() ? "" : invocation.flags.args().front();
  const auto client =
      std::make_shared<kube::Client>(endpoint::ClientHere(host, AskAt(given, host)));
  const auto collect = [&host, client] {
    return endpoint::CollectDeps{.host = host, .client = *client, .stop = host.signals.Interrupt()};
  };
  EndpointFacts seen = endpoint::CollectFacts(collect());
  const net::HostPort to = endpoint::Target(given, seen);
  const bool ignore = invocation.flags.Bool(kIgnore);
  if (seen.control_plane && !ignore) {
    seen.unprepared = Unprepared(collect(), seen, to.host);
  }
  const endpoint::SetPlan plan = endpoint::MakePlan(seen, to);
  endpoint::EndpointDeps deps = DepsFor(host, seen, client);
  deps.wait_for_endpoint = !ignore;
  const engine::Operation operation = PlanSet(plan, seen, deps);
  return {.operation = operation,
          .journal = endpoint::FindInterrupted(operation, host.files),
          .plan = TextOf(plan),
          .require =
              [=] {
                if (!ignore) {
                  RequireReachable(collect(), seen, to);
                }
                if (plan.names) {
                  RequireKeys(seen, deps);
                }
                RequireKubelet(plan, deps, deps.host.signals.Interrupt());
              },
          .end = NextSteps(plan, seen)};
}

PlannedRun PlanFinish(cli::Invocation& invocation, host::Host& host) {
  const auto client = std::make_shared<kube::Client>(endpoint::ClientHere(host, {}));
  const EndpointFacts seen =
      endpoint::CollectFacts({.host = host, .client = *client, .stop = host.signals.Interrupt()});
  const std::optional<endpoint::ChangeRecord> record = RecordToFinish(seen);
  if (!record) {
    const engine::Operation none = endpoint::NothingToFinish();
    return {.operation = none,
            .journal = endpoint::FindInterrupted(none, host.files),
            .plan = "Nothing is left to finish: no change of the endpoint is in progress\n"};
  }
  const std::vector<std::string>& left = invocation.flags.List(kLeaveBehind);
  const bool force = invocation.flags.Bool("force");
  const endpoint::FinishPlan plan =
      endpoint::MakeFinishPlan(seen, *record, endpoint::NodeStates(*client), left);
  const endpoint::EndpointDeps deps = DepsFor(host, seen, client);
  const engine::Operation operation =
      PlanFinish(plan, seen, *record, {.force = force, .left = left}, deps);
  return {.operation = operation,
          .journal = endpoint::FindInterrupted(operation, host.files),
          .plan = TextOf(plan),
          .require = [=] {
            if (!plan.behind.empty() && !force) {
              throw Error(fmt::format(
                  "nodes that may still use {}: {}; run 'kubeadm endpoint set' on each of them "
                  "first, or leave a node behind with --leave-behind NODE, all of them with "
                  "--force; nothing was changed",
                  record->previous, fmt::join(plan.behind, ", ")));
            }
            if (plan.names) {
              RequireKeys(seen, deps);
            }
          }};
}

// Throws base::Error(kInvalid) for a malformed endpoint.
void CheckGiven(const std::vector<std::string>& args) {
  if (!args.empty()) {
    config::CheckControlPlaneEndpoint(base::ToLower(args.front()));
  }
}

void Set(cli::Invocation& invocation, host::Host& host) {
  CheckGiven(invocation.flags.args());
  RunOperation(
      "endpoint", [&](const base::ShowLine&) { return PlanSet(invocation, host); }, invocation,
      host);
}

void Finish(cli::Invocation& invocation, host::Host& host) {
  RunOperation(
      "endpoint", [&](const base::ShowLine&) { return PlanFinish(invocation, host); }, invocation,
      host);
}

std::vector<Leaf> Leaves() {
  return {{.name = "set",
           .summary = "Set the cluster's control-plane endpoint, or change this node to it",
           .text = "endpoint-set",
           .flags = Joined(OperationFlags(),
                           {Switch(kIgnore,
                                   "Go on though the endpoint, or another control plane, does not "
                                   "answer")}),
           .usage_args = "[HOST:PORT]",
           .max_args = 1,
           .run = Set},
          {.name = "finish",
           .summary = "Give the previous endpoint up",
           .text = "endpoint-finish",
           .flags = Joined(
               OperationFlags(),
               {Switch("force", "Go on though nodes may still use the previous endpoint"),
                {.name = kLeaveBehind,
                 .type = cli::FlagType::kList,
                 .help = "A node that is not waited for, and whose kubelet loses the cluster "
                         "with the previous endpoint; may be repeated",
                 .value_name = "node"}}),
           .run = Finish}};
}

}  // namespace

cli::Command EndpointCommand(host::Host& host) {
  cli::Command command = Group("endpoint", "Change the address by which the cluster is reached",
                               "endpoint", [&host] { return Made(Leaves(), host); });
  command.beyond_upstream = true;
  return command;
}

}  // namespace kubeadm
