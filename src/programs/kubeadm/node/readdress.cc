// SPDX-License-Identifier: Apache-2.0
// Command `kubeadm node readdress`, and its rollback.
#include "kubeadm/node/readdress.h"

#include <fmt/core.h>

#include "base/error.h"
#include "base/strings.h"
#include "cri/runtime.h"
#include "kubeadm/commands.h"
#include "kubeadm/documented.h"
#include "kubeadm/operation_command.h"
#include "node_identity/readdress/operation.h"
#include "node_identity/readdress/plan.h"

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

readdress::MoveDeps DepsFor(const readdress::NodeFacts& node, host::Host& host) {
  return {
      .host = host,
      .connect_runtime =
          [socket = node.config.init.node_registration.cri_socket] { return cri::Connect(socket); },
      .start = host.clock.NowSeconds(),
      .stop = host.signals.Interrupt()};
}

// Returns the journal of an interrupted move; std::nullopt if no move was interrupted. Throws
// base::Error if a rollback was interrupted, because it must be finished first.
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

PlannedRun PlanMove(const readdress::Request& request, const cli::Parsed& flags, host::Host& host,
                    const base::ShowLine& say) {
  const std::optional<engine::Journal> interrupted = LoadInterrupted(host);
  const readdress::NodeFacts node = readdress::CollectNode(host);
  const readdress::Move move =
      readdress::ChooseMove(request, node, interrupted.transform(readdress::MoveOf));
  const readdress::MoveDeps deps = DepsFor(node, host);
  const std::chrono::seconds trial = TrialBy(flags);
  const readdress::CollectedObjects collected =
      node.control_plane ? CollectObjects(node, move, deps) : readdress::CollectedObjects();
  const readdress::MovePlan plan =
      MakePlan({.files = readdress::SearchFiles(host.files),
                .objects = collected.objects,
                .certificates_dir = node.config.cluster.certificates_dir,
                .node = node.config.init.node_registration.name},
               move);
  PlannedRun run{.operation = PlanOperation(node, plan, move, deps, interrupted),
                 .journal = interrupted,
                 .plan = ToString(plan, move) + collected.note,
                 .require =
                     [=, resumes = interrupted.has_value(), &files = host.files] {
                       if (!resumes) {
                         engine::RequireSettled(readdress::Timer(), files);
                       }
                       RequireMovable(node, plan, move, deps, say);
                       if (trial.count() > 0) {
                         RequireReversible(node, move, deps, interrupted);
                       }
                     },
                 .trial = trial,
                 .end = {fmt::format("This node has the address {}", move.to.Text())}};
  if (run.operation.can_roll_back) {
    run.undo = "kubeadm node undo";
    run.end.push_back(EndOfRun(readdress::Timer(), flags));
  }
  if (const auto next = FindNextStep(node, plan, move)) {
    run.end.push_back(*next);
  }
  return run;
}

PlannedRun PlanUndo(host::Host& host) {
  const engine::Journal journal = readdress::LoadJournal(host.files).value();
  const readdress::Move move = readdress::MoveOf(journal);
  const readdress::NodeFacts node = readdress::CollectNode(host);
  const readdress::MoveDeps deps = DepsFor(node, host);
  PlannedRun run{.operation = PlanOperation(node, {}, move, deps, journal),
                 .journal = journal,
                 .plan = fmt::format("Back from {} to {}\n", move.to.Text(), move.from.Text()),
                 .require =
                     [=, &host] {
                       RequireReversible(node, move, deps, journal);
                       if (journal.state == State::kDone) {
                         engine::RequireUnchanged(journal, host.files);
                       }
                     },
                 .end = {fmt::format("This node has the address {} again", move.from.Text())}};
  for (const engine::FileBackup& file : journal.files) {
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
                                {.name = "to", .help = "The new address", .required = true},
                                TryFlag(readdress::Timer())}),
               .run =
                   [](cli::Invocation& invocation, host::Host& machine) {
                     RunOperation(
                         "readdress",
                         [&, request = RequestBy(invocation.flags)](const base::ShowLine& say) {
                           return PlanMove(request, invocation.flags, machine, say);
                         },
                         invocation, machine);
                   }},
              host);
}

TrialVerb ReaddressTrial() {
  return {.timer = readdress::Timer(),
          .tag = "readdress",
          .rollback = [](cli::Invocation&, host::Host& host,
                         const base::ShowLine&) { return PlanUndo(host); },
          .undo_summary = "Undo the last readdress of this node"};
}

}  // namespace kubeadm
