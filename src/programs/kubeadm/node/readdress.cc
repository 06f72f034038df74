// SPDX-License-Identifier: Apache-2.0
// Commands `kubeadm node readdress` and `kubeadm node undo`.
#include <fmt/core.h>

#include "base/error.h"
#include "base/strings.h"
#include "cri/runtime.h"
#include "kubeadm/commands.h"
#include "kubeadm/documented.h"
#include "kubeadm/operation_command.h"
#include "readdress/operation.h"
#include "readdress/plan.h"

namespace kubeadm {
namespace {

using base::Error;
using engine::State;

net::IpAddress AddressOf(const std::string& text, const char* flag) {
  const auto address = net::IpAddress::Parse(text);
  if (!address) {
    throw Error(Error::Kind::kUsage, fmt::format("{}: {} is not an IP address such as 10.0.0.20",
                                                 flag, base::Quoted(text)));
  }
  return *address;
}

readdress::Deps DepsFor(const readdress::Node& node, host::Host& host) {
  return {
      .host = host,
      .connect_runtime =
          [socket = node.config.init.node_registration.cri_socket] { return cri::Connect(socket); },
      .start = host.clock.NowSeconds(),
      .stop = host.signals.Interrupt()};
}

// The journal of an interrupted move; a complete one is not resumed.
std::optional<engine::Journal> LoadInterrupted(host::Host& host) {
  std::optional<engine::Journal> journal = readdress::LoadJournal(host.files);
  if (journal && journal->state == State::kRollingBack) {
    throw Error(
        "the rollback of a change of this node's address was interrupted: finish it first, by "
        "'kubeadm node undo'");
  }
  return journal && journal->state == State::kApplying ? journal : std::nullopt;
}

// Reads the flags. Throws base::Error(kUsage) for a malformed address.
readdress::Request RequestBy(const cli::Parsed& flags) {
  const std::string& from = flags.Text("from");
  return {.to = AddressOf(flags.Text("to"), "--to"),
          .from = from.empty() ? std::nullopt : std::optional(AddressOf(from, "--from"))};
}

PlannedRun PlanMove(const readdress::Request& request, host::Host& host,
                    const base::ShowLine& say) {
  const std::optional<engine::Journal> interrupted = LoadInterrupted(host);
  const readdress::Node node = readdress::LookAtNode(host);
  const readdress::Move move =
      readdress::ChooseMove(request, node, interrupted.transform(readdress::MoveOf));
  const readdress::Deps deps = DepsFor(node, host);
  const readdress::CollectedObjects collected =
      node.control_plane ? CollectObjects(node, move, deps) : readdress::CollectedObjects();
  const readdress::Plan plan = MakePlan({.files = readdress::SearchFiles(host.files),
                                         .objects = collected.objects,
                                         .certificates_dir = node.config.cluster.certificates_dir,
                                         .node = node.config.init.node_registration.name},
                                        move);
  PlannedRun run{.operation = PlanOperation(node, plan, move, deps, interrupted),
                 .journal = interrupted,
                 .plan = ToString(plan, move) + collected.note,
                 .require = [=] { RequireMovable(node, plan, move, deps, say); },
                 .end = {fmt::format("This node has the address {}", move.to.Text())}};
  if (run.operation.can_roll_back) {
    run.undo = "kubeadm node undo";
    run.end.push_back(fmt::format("'{}' moves it back", run.undo));
  }
  if (const auto next = FindNextStep(node, plan, move)) {
    run.end.push_back(*next);
  }
  return run;
}

PlannedRun PlanUndo(host::Host& host) {
  const std::optional<engine::Journal> journal = readdress::LoadJournal(host.files);
  if (!journal) {
    throw Error(
        Error::Kind::kNotFound,
        "no 'kubeadm node readdress' is recorded on this node, so there is nothing to undo");
  }
  const readdress::Move move = readdress::MoveOf(*journal);
  const readdress::Node node = readdress::LookAtNode(host);
  const readdress::Deps deps = DepsFor(node, host);
  PlannedRun run{.operation = PlanOperation(node, {}, move, deps, journal),
                 .journal = journal,
                 .plan = fmt::format("Back from {} to {}\n", move.to.Text(), move.from.Text()),
                 .require =
                     [=, &host] {
                       RequireReversible(node, move, deps);
                       if (journal->state == State::kDone) {
                         engine::RequireUnchanged(*journal, host.files);
                       }
                     },
                 .end = {fmt::format("This node has the address {} again", move.from.Text())}};
  for (const engine::FileBackup& file : journal->files) {
    run.plan += fmt::format("  {}: {}\n", file.path, file.copy.empty() ? "removed" : "restored");
  }
  return run;
}

}  // namespace

cli::Command NodeReaddressCommand(host::Host& host) {
  return Made({.name = "readdress",
               .summary = "Give this node another IP address",
               .text = "node-readdress",
               .flags = Joined(OperationFlags(),
                               {{.name = "from",
                                 .help = "The old address, if it is not the one that this node's "
                                         "API server or kubelet is given"},
                                {.name = "to", .help = "The new address", .required = true}}),
               .run =
                   [](cli::Invocation& invocation, host::Host& machine) {
                     RunOperation(
                         "readdress",
                         [&, request = RequestBy(invocation.flags)](const base::ShowLine& say) {
                           return PlanMove(request, machine, say);
                         },
                         invocation, machine);
                   }},
              host);
}

cli::Command NodeUndoCommand(host::Host& host) {
  return Made({.name = "undo",
               .summary = "Undo the last readdress of this node",
               .text = "node-undo",
               .flags = OperationFlags(),
               .run =
                   [](cli::Invocation& invocation, host::Host& machine) {
                     RollbackOperation(
                         "node", [&](const base::ShowLine&) { return PlanUndo(machine); },
                         invocation, machine);
                   }},
              host);
}

}  // namespace kubeadm
