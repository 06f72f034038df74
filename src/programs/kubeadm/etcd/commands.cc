// SPDX-License-Identifier: Apache-2.0
// Commands `kubeadm etcd status`, `members`, `snapshot`, `compact` and `remove`.
#include "kubeadm/commands.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "base/number.h"
#include "base/strings.h"
#include "etcd/answers.h"
#include "etcd/health.h"
#include "etcd_maintenance/access.h"
#include "etcd_maintenance/remove.h"
#include "etcd_maintenance/snapshot.h"
#include "etcd_maintenance/space.h"
#include "etcd_maintenance/status.h"
#include "kubeadm/backup/keys.h"
#include "kubeadm/command_line.h"
#include "kubeadm/documented.h"
#include "kubeadm/etcd/access.h"
#include "kubeadm/node_lock.h"
#include "kubeadm/operation_command.h"
#include "kubeadm/printed.h"

namespace kubeadm {
namespace {

using base::Error;

constexpr const char* kRevision = "revision";
constexpr const char* kMember = "member";

void Status(cli::Invocation& invocation, host::Host& host) {
  const Output output(invocation, host);
  const etcd_maintenance::Access access = AccessBy(invocation, host);
  output.Show(WithAdvice([&] { return etcd_maintenance::CollectState(*access.client); }));
}

void Members(cli::Invocation& invocation, host::Host& host) {
  const Output output(invocation, host);
  const etcd_maintenance::Access access = AccessBy(invocation, host);
  output.Show(WithAdvice([&] { return etcd_maintenance::CollectMembers(*access.client); }));
}

void Snapshot(cli::Invocation& invocation, host::Host& host) {
  const Output output(invocation, host);
  const etcd_maintenance::SnapshotRequest request{.path = RequireOneFile(invocation),
                                                  .member = invocation.flags.Text(kMember),
                                                  .progress = ProgressOf(invocation, host, "etcd")};
  const etcd_maintenance::Access access = AccessBy(invocation, host);
  output.Show(WithAdvice(
      [&] { return etcd_maintenance::SaveSnapshot(*access.client, host.files, request); }));
}

std::optional<std::int64_t> RevisionBy(const cli::Parsed& flags) {
  const std::string& text = flags.Text(kRevision);
  if (text.empty()) {
    return std::nullopt;
  }
  const auto revision = base::ParseNumber<std::int64_t>(text);
  if (!revision) {
    throw Error(Error::Kind::kUsage,
                fmt::format("--{}: {} is not a number", kRevision, base::Quoted(text)));
  }
  return revision;
}

void Compact(cli::Invocation& invocation, host::Host& host) {
  const Output output(invocation, host);
  const std::optional<std::int64_t> revision = RevisionBy(invocation.flags);
  const auto say = [&](const std::string& line) { output.Line("[etcd] " + line); };
  const NodeLock lock = LockNode(invocation, host, {.directories = {}, .say = say});
  etcd_maintenance::RequireNoUpgrade(host.files);
  const etcd_maintenance::Access access = AccessBy(invocation, host);
  output.Show(WithAdvice([&] {
    return etcd_maintenance::Compact(
        {.client = *access.client, .waiting = access.waiting, .say = say}, revision);
  }));
}

PlannedRun PlanRemove(const cli::Invocation& invocation, host::Host& host) {
  const std::string& name = invocation.flags.args().front();
  const auto access = std::make_shared<etcd_maintenance::Access>(AccessBy(invocation, host));
  std::optional<engine::Journal> interrupted =
      etcd_maintenance::FindInterruptedRemoval(host.files, name);
  const etcd_maintenance::RemovalPlan plan = etcd_maintenance::PlanRemoval(
      WithAdvice([&] { return etcd::ClusterHealth(*access->client); }), name,
      access->local ? access->local->peer_url : "", interrupted.has_value());
  // The member still exists, so the removal begins again.
  if (plan.member) {
    interrupted.reset();
  }
  return {.operation = etcd_maintenance::RemoveOperation(plan, name, access),
          .journal = std::move(interrupted),
          .plan = TextOf(plan),
          .require = [plan] { etcd_maintenance::RequireAllowed(plan); },
          .end = etcd_maintenance::StepsAfterRemoval(plan)};
}

void Remove(cli::Invocation& invocation, host::Host& host) {
  if (invocation.flags.args().empty()) {
    throw Error(Error::Kind::kUsage,
                "kubeadm etcd remove needs the name or the id of a member: 'kubeadm etcd members' "
                "lists them");
  }
  RunOperation(
      "etcd", [&](const base::ShowLine&) { return PlanRemove(invocation, host); }, invocation,
      host);
}

std::vector<Leaf> Leaves() {
  return {{.name = "compact",
           .summary = "Discard the old versions of etcd's keys",
           .text = "etcd-compact",
           .flags = WithPrinter(
               Joined(EndpointFlags(),
                      {{.name = kRevision,
                        .help = "The oldest revision that is kept; by default the present one",
                        .value_name = "number"},
                       LockTimeoutFlag(kStepPatience)})),
           .run = Compact},
          {.name = "members",
           .summary = "List the members of etcd",
           .text = "etcd-members",
           .flags = WithPrinter(EndpointFlags()),
           .run = Members},
          {.name = "remove",
           .summary = "Remove a lost member from etcd",
           .text = "etcd-remove",
           .flags = Joined(OperationFlags(), EndpointFlags()),
           .usage_args = "NAME|ID",
           .max_args = 1,
           .run = Remove},
          {.name = "snapshot",
           .summary = "Save a snapshot of etcd's data to a new file",
           .text = "etcd-snapshot",
           .flags = WithPrinter(Joined(
               EndpointFlags(), {{.name = kMember,
                                  .help = "The name or the id of the member to copy; by default "
                                          "the leader"}})),
           .usage_args = "FILE",
           .max_args = 1,
           .run = Snapshot},
          {.name = "status",
           .summary = "Show the members of etcd and their state",
           .text = "etcd-status",
           .flags = WithPrinter(EndpointFlags()),
           .run = Status}};
}

}  // namespace

cli::Command EtcdCommand(host::Host& host) {
  cli::Command command = Group("etcd", "Look after the cluster's etcd", "etcd", [&host] {
    std::vector<cli::Command> commands = Made(Leaves(), host);
    commands.push_back(EtcdDefragCommand(host));
    commands.push_back(EtcdRecoverCommand(host));
    std::ranges::sort(commands, {}, &cli::Command::name);
    return commands;
  });
  command.beyond_upstream = true;
  return command;
}

}  // namespace kubeadm
