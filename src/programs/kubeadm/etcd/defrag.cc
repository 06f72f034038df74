// SPDX-License-Identifier: Apache-2.0
// Command `kubeadm etcd defrag`.
#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "etcd/answers.h"
#include "etcd_maintenance/space.h"
#include "etcd_maintenance/status.h"
#include "kubeadm/command_line.h"
#include "kubeadm/commands.h"
#include "kubeadm/documented.h"
#include "kubeadm/etcd/access.h"
#include "kubeadm/node_lock.h"
#include "kubeadm/operation_command.h"

namespace kubeadm {
namespace {

using base::Error;

constexpr const char* kAll = "all";
constexpr const char* kClearAlarm = "clear-alarm";

// Returns the id of this node's member. Throws base::Error(kUsage) if this node has no member.
std::string OwnMember(const etcd_maintenance::Access& access) {
  if (access.local) {
    for (const etcd::Member& member : etcd_maintenance::CollectMembers(*access.client).members) {
      if (std::ranges::contains(member.peer_urls, access.local->peer_url)) {
        return etcd::HexId(member.id);
      }
    }
  }
  throw Error(Error::Kind::kUsage,
              fmt::format("this node has no member of etcd: name members, or use --{}", kAll));
}

// A planned operation, its dependencies and its result. It must outlive the operation.
struct SpaceRun {
  explicit SpaceRun(etcd_maintenance::Access access)
      : access(std::move(access)),
        deps{.client = *this->access.client, .waiting = this->access.waiting, .say = {}} {}
  SpaceRun(const SpaceRun&) = delete;  // the dependencies hold references to the access
  SpaceRun& operator=(const SpaceRun&) = delete;

  etcd_maintenance::Access access;
  etcd_maintenance::SpaceDeps deps;
  etcd_maintenance::SpacePlan plan;
  etcd_maintenance::Freed freed;
};

etcd_maintenance::SpacePlan PlanSpace(const cli::Parsed& flags,
                                      const etcd_maintenance::Access& access) {
  if (flags.Bool(kClearAlarm)) {
    return etcd_maintenance::PlanReclaim(*access.client);
  }
  std::vector<std::string> names = flags.args();
  if (names.empty() && !flags.Bool(kAll)) {
    names = {OwnMember(access)};
  }
  return etcd_maintenance::PlanDefragmentation(*access.client, names);
}

void Defrag(cli::Invocation& invocation, host::Host& host) {
  const cli::Parsed& flags = invocation.flags;
  if ((flags.Bool(kAll) || flags.Bool(kClearAlarm)) && !flags.args().empty()) {
    throw Error(Error::Kind::kUsage,
                fmt::format("name members, or use --{} or --{}", kAll, kClearAlarm));
  }
  std::optional<SpaceRun> run;
  const auto plan = [&](const base::ShowLine&) -> PlannedRun {
    etcd_maintenance::RequireNoUpgrade(host.files);
    run.emplace(AccessBy(invocation, host));
    run->plan = PlanSpace(flags, run->access);
    return {.operation = SpaceOperation(run->plan, run->deps, run->freed),
            .plan = TextOf(run->plan)};
  };
  WithAdvice([&] {
    RunForResult("etcd", plan, invocation, host, [&](const Output& output) {
      output.Show(flags.Bool("dry-run") ? run->plan.expected : run->freed);
    });
  });
}

}  // namespace

cli::Command EtcdDefragCommand(host::Host& host) {
  return Made(
      {.name = "defrag",
       .summary = "Give free space of etcd back to the disk, and clear a NOSPACE alarm",
       .text = "etcd-defrag",
       .flags = Joined(Joined(EndpointFlags(), ResultFlags(kStepPatience)),
                       {Switch(kAll, "All members, one after the other, the leader last"),
                        Switch(kClearAlarm,
                               "After a NOSPACE alarm: compact, defragment all members, clear the "
                               "alarm and verify a write")}),
       .usage_args = "[MEMBER…]",
       .max_args = cli::kAnyNumber,
       .run = Defrag},
      host);
}

}  // namespace kubeadm
