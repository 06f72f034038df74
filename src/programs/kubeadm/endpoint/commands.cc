// SPDX-License-Identifier: Apache-2.0
// Commands `kubeadm endpoint set` and `finish`.
#include "kubeadm/commands.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "endpoint/apply.h"
#include "endpoint/gather.h"
#include "endpoint/plan.h"
#include "kubeadm/command_line.h"
#include "kubeadm/documented.h"
#include "kubeadm/node_lock.h"
#include "kubeadm/terminal.h"
#include "static_pods/restart.h"
#include "upgrade/this_node.h"

namespace kubeadm {
namespace {

using base::Error;
using endpoint::Seen;

constexpr const char* kIgnore = "ignore-unreachable";
constexpr const char* kLeaveBehind = "leave-behind";

base::ShowLine Say(cli::Invocation& invocation) { return SayAs("endpoint", invocation); }

endpoint::Engine EngineFor(cli::Invocation& invocation, const endpoint::Look& look,
                           const Seen& seen) {
  host::Host& host = look.host;
  return {.host = host,
          .client = look.client,
          .connect_runtime =
              [&host, &seen] {
                return static_pods::ConnectForRestarts(
                    seen.config.init.node_registration.cri_socket, host, host.signals.Interrupt());
              },
          .start = host.clock.NowSeconds(),
          .stop = host.signals.Interrupt(),
          .say = Say(invocation)};
}

// Acts in the world that the flags choose, after a yes.
void Proceed(cli::Invocation& invocation, host::Host& host, const std::function<void()>& act) {
  WorldBy(invocation.flags, host)->Do({.on_machine = [&] {
    RequireYes(invocation, host);
    act();
  }});
}

// A worker whose previous endpoint is gone asks at the new one.
std::optional<net::HostPort> AskAt(const std::string& given, const host::Host& host) {
  if (given.empty() || upgrade::RoleOf(host.files) == upgrade::Role::kControlPlane) {
    return std::nullopt;
  }
  const auto read = net::HostPort::Parse(given);
  return read ? std::optional(*read) : std::nullopt;
}

void Set(cli::Invocation& invocation, host::Host& host) {
  const base::ShowLine say = Say(invocation);
  const NodeLock lock = LockToAct(invocation, host, {.say = say});
  const std::string given = invocation.flags.args().empty() ? "" : invocation.flags.args().front();
  kube::Client client = endpoint::ClientHere(host, AskAt(given, host));
  const endpoint::Look look{.host = host, .client = client, .stop = host.signals.Interrupt()};
  Seen seen = endpoint::Gather(look);
  const net::HostPort to = endpoint::Target(given, seen);
  const bool ignore = invocation.flags.Bool(kIgnore);
  if (seen.control_plane && !ignore) {
    seen.unprepared = Unprepared(look, seen, to.host);
  }
  const endpoint::Plan plan = endpoint::MakePlan(seen, to);
  invocation.streams.out << TextOf(plan) << std::flush;
  if (endpoint::IsEmpty(plan)) {
    return;
  }
  Proceed(invocation, host, [&] {
    if (!ignore) {
      RequireReachable(look, seen, to);
    }
    endpoint::Engine engine = EngineFor(invocation, look, seen);
    engine.wait_for_endpoint = !ignore;
    if (plan.names) {
      CheckKeys(seen, engine);
    }
    endpoint::Apply(plan, seen, engine);
    for (const std::string& line : NextSteps(plan, seen)) {
      say(line);
    }
  });
}

void Finish(cli::Invocation& invocation, host::Host& host) {
  const base::ShowLine say = Say(invocation);
  const NodeLock lock = LockToAct(invocation, host, {.say = say});
  kube::Client client = endpoint::ClientHere(host, {});
  const endpoint::Look look{.host = host, .client = client, .stop = host.signals.Interrupt()};
  const Seen seen = endpoint::Gather(look);
  const std::vector<std::string>& left = invocation.flags.List(kLeaveBehind);
  const std::optional<endpoint::Record> found = RecordToFinish(seen);
  if (!found) {
    say("Nothing is left to finish: no change of the endpoint is in progress");
    return;
  }
  const endpoint::Record& record = *found;
  const endpoint::FinishPlan plan =
      endpoint::MakeFinishPlan(seen, record, endpoint::NodeStates(client), left);
  invocation.streams.out << TextOf(plan) << std::flush;
  const bool force = invocation.flags.Bool("force");
  Proceed(invocation, host, [&] {
    if (!plan.behind.empty() && !force) {
      throw Error(
          fmt::format("nodes that may still use {}: {}; run 'kubeadm endpoint set' on each "
                      "of them first, or leave a node behind with --leave-behind NODE, all of "
                      "them with --force; nothing was changed",
                      record.previous, fmt::join(plan.behind, ", ")));
    }
    const endpoint::Engine engine = EngineFor(invocation, look, seen);
    if (plan.names) {
      CheckKeys(seen, engine);
    }
    endpoint::Finish(plan, seen, engine);
    say(Close(look, seen, record, {.force = force, .left = left}));
  });
}

std::vector<Leaf> Leaves() {
  const cli::Flag yes = CommonFlags({"yes"}).front();
  return {{.name = "set",
           .summary = "Give the cluster a control-plane endpoint, or take it over on this node",
           .text = "endpoint-set",
           .flags = {Switch("dry-run", "Show the plan, and change nothing"),
                     Switch(kIgnore,
                            "Go on though the endpoint, or another control plane, does not answer"),
                     LockTimeoutFlag(kRunPatience), yes},
           .usage_args = "[HOST:PORT]",
           .max_args = 1,
           .run = Set},
          {.name = "finish",
           .summary = "Give the previous endpoint up",
           .text = "endpoint-finish",
           .flags = {Switch("dry-run", "Show the plan, and change nothing"),
                     Switch("force", "Go on though nodes may still use the previous endpoint"),
                     {.name = kLeaveBehind,
                      .type = cli::FlagType::kList,
                      .help = "A node that is not waited for, and whose kubelet loses the cluster "
                              "with the previous endpoint; may be repeated",
                      .value_name = "node"},
                     LockTimeoutFlag(kRunPatience),
                     yes},
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
