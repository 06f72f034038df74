// SPDX-License-Identifier: Apache-2.0
#include "etcd_maintenance/space.h"

#include <fmt/core.h>

#include <algorithm>

#include "backup/create.h"
#include "base/error.h"
#include "base/strings.h"
#include "control_plane/record.h"
#include "etcd/alarms.h"
#include "etcd/answers.h"
#include "etcd/health.h"
#include "etcd/quorum.h"
#include "etcd_maintenance/status.h"

namespace etcd_maintenance {
namespace {

using base::Error;

constexpr const char* kVersion = "output.slipway/v1alpha1";

// The user must raise the quota in the manifests first, because the stored configuration cannot be
// changed while etcd takes no writes.
constexpr const char* kRaiseQuota =
    "raise it by --quota-backend-bytes in etcd's manifest on each control plane, and afterwards in "
    "the extraArgs of etcd.local";

std::string SizeText(std::int64_t bytes) {
  return backup::SizeText(static_cast<std::uint64_t>(std::max<std::int64_t>(bytes, 0)));
}

// Collects the health of etcd. A member that raised NOSPACE counts as healthy, because it serves
// reads and counts towards the majority.
etcd::Health Collect(etcd::Client& client) {
  return etcd::IgnoringSpaceAlarms(etcd::ClusterHealth(client));
}

const etcd::MemberHealth* Find(const etcd::Health& health, std::uint64_t id) {
  const auto found = std::ranges::find_if(
      health.members, [&](const etcd::MemberHealth& each) { return each.member.id == id; });
  return found == health.members.end() ? nullptr : &*found;
}

const etcd::MemberStatus& RequireAnswer(const etcd::Health& health, const etcd::Member& member) {
  const etcd::MemberHealth* found = Find(health, member.id);
  if (found == nullptr || !found->status) {
    throw Error(Error::Kind::kUnavailable,
                fmt::format("etcd member {} cannot be defragmented: {}", etcd::NameOf(member),
                            found == nullptr ? "it was removed" : found->problem.value_or("")));
  }
  return *found->status;
}

// Waits until the other members have a majority, because the previously defragmented member may
// still be catching up.
etcd::Health AwaitTurn(const SpaceDeps& deps, const etcd::Member& member) {
  etcd::Health health;
  std::optional<std::string> problem;
  try {
    etcd::WaitFor(
        fmt::format("etcd member {} was not defragmented", etcd::NameOf(member)), deps.waiting,
        [&]() -> std::optional<std::string> {
          health = Collect(deps.client);
          problem = etcd::QuorumProblem(health, etcd::Step::kRestart, member.id);
          return problem;
        },
        deps.say);
  } catch (const Error& error) {
    if (error.kind() == Error::Kind::kTimeout && problem) {
      throw Error(Error::Kind::kConflict, error.message());
    }
    throw;
  }
  return health;
}

std::int64_t AwaitServing(const SpaceDeps& deps, const etcd::Member& member) {
  std::int64_t size = 0;
  etcd::WaitFor(
      fmt::format("etcd member {} does not serve after its defragmentation", etcd::NameOf(member)),
      deps.waiting, [&]() -> std::optional<std::string> {
        const etcd::Health health = Collect(deps.client);
        const etcd::MemberHealth* found = Find(health, member.id);
        if (found == nullptr || !found->healthy()) {
          return found == nullptr ? "it is not a member" : found->problem;
        }
        size = found->status->db_size;
        return std::nullopt;
      });
  return size;
}

Defragmented DefragmentOne(const SpaceDeps& deps, const etcd::Member& member) {
  const std::int64_t before = RequireAnswer(AwaitTurn(deps, member), member).db_size;
  deps.say(fmt::format("Defragmenting member {} ({})", etcd::NameOf(member), SizeText(before)));
  deps.client.Defragment(member.client_urls.front());
  return {.name = etcd::NameOf(member), .before = before, .after = AwaitServing(deps, member)};
}

// Throws base::Error(kConflict) unless every member answers. A member that does not answer would
// raise its alarm again when it returns.
void RequireAll(const etcd::Health& health) {
  for (const etcd::MemberHealth& each : health.members) {
    if (!each.status) {
      throw Error(Error::Kind::kConflict,
                  fmt::format("etcd member {} does not answer, so its space cannot be freed: {}; "
                              "start it, or remove it with 'kubeadm etcd remove {}'; nothing was "
                              "changed",
                              etcd::NameOf(each.member), each.problem.value_or(""),
                              etcd::NameOf(each.member)));
    }
  }
}

// Throws base::Error(kConflict) if a database still fills its quota, because etcd would raise the
// alarm again immediately.
void RequireSpace(const etcd::Health& health) {
  for (const etcd::MemberHealth& each : health.members) {
    if (each.status && each.status->db_quota > 0 && each.status->db_size >= each.status->db_quota) {
      throw Error(
          Error::Kind::kConflict,
          fmt::format("etcd member {} still fills {} of its quota of {} after the "
                      "defragmentation, so the alarm stays: {}, then run the same command again",
                      etcd::NameOf(each.member), SizeText(each.status->db_size),
                      SizeText(each.status->db_quota), kRaiseQuota));
    }
  }
}

// Returns the members that have less than a tenth of their quota free.
std::vector<std::string> NearlyFull(const etcd::Health& health) {
  std::vector<std::string> names;
  for (const etcd::MemberHealth& each : health.members) {
    if (each.status && each.status->db_size > each.status->db_quota / 10 * 9 &&
        each.status->db_quota > 0) {
      names.push_back(etcd::NameOf(each.member));
    }
  }
  return names;
}

std::vector<etcd::Alarm> SpaceAlarms(const etcd::Health& health) {
  std::vector<etcd::Alarm> alarms = etcd::AlarmsIn(health);
  std::erase_if(alarms, [](const etcd::Alarm& alarm) { return alarm.kind != etcd::kNoSpace; });
  return alarms;
}

// Returns the name of the member that raised the alarm.
std::string HolderOf(const etcd::Alarm& alarm, const etcd::Health& health) {
  const etcd::MemberHealth* member = Find(health, alarm.member_id);
  return member == nullptr ? etcd::HexId(alarm.member_id) : etcd::NameOf(member->member);
}

void ClearAlarms(const SpaceDeps& deps, Freed& freed) {
  const etcd::Health health = Collect(deps.client);
  RequireSpace(health);
  for (const etcd::Alarm& alarm : SpaceAlarms(health)) {
    deps.client.ClearSpaceAlarm(alarm.member_id);
    freed.cleared.push_back(HolderOf(alarm, health));
  }
  freed.nearly_full = NearlyFull(health);
}

// Throws unless etcd accepts a write without raising an alarm. An alarm that is reported here may
// still be the old one, because members clear an alarm one after the other.
void RequireWrites(const SpaceDeps& deps) {
  try {
    deps.client.CheckWrite();
    etcd::WaitFor("the NOSPACE alarm was not cleared", deps.waiting,
                  [&]() -> std::optional<std::string> {
                    return SpaceAlarms(etcd::ClusterHealth(deps.client)).empty()
                               ? std::nullopt
                               : std::optional<std::string>("etcd has raised it again");
                  });
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::kTimeout && error.kind() != Error::Kind::kOther) {
      throw;
    }
    throw Error(Error::Kind::kConflict,
                fmt::format("etcd still takes no writes: {}; its databases fill the quota: {}, "
                            "then run the same command again",
                            error.message(), kRaiseQuota));
  }
}

std::vector<etcd::Member> DefragmentationOrder(etcd::Client& client,
                                               const std::vector<std::string>& names) {
  const etcd::Health health = Collect(client);
  std::vector<etcd::Member> all;
  for (const etcd::MemberHealth& each : health.members) {
    all.push_back(each.member);
  }
  std::vector<etcd::Member> chosen = names.empty() ? all : std::vector<etcd::Member>();
  for (const std::string& name : names) {
    const etcd::Member& member = RequireMember(all, name);
    if (!std::ranges::contains(chosen, member.id, &etcd::Member::id)) {
      chosen.push_back(member);
    }
  }
  const etcd::MemberHealth* leader = health.Leader();
  std::ranges::stable_partition(chosen, [&](const etcd::Member& member) {
    return leader == nullptr || member.id != leader->member.id;
  });
  return chosen;
}

}  // namespace

Compaction Compact(const SpaceDeps& deps, std::optional<std::int64_t> revision) {
  const std::int64_t present = StateOf(Collect(deps.client)).revision;
  const std::int64_t target = revision.value_or(present);
  if (target <= 0 || target > present) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("etcd cannot be compacted to revision {}: it is not between 1 and "
                            "etcd's present revision {}",
                            target, present));
  }
  deps.say(fmt::format("Compacting to revision {}", target));
  deps.client.Compact(target);
  return {.revision = target};
}

SpacePlan PlanDefragmentation(etcd::Client& client, const std::vector<std::string>& names) {
  SpacePlan plan{.order = DefragmentationOrder(client, names),
                 .expected = {.members = {}, .planned = true}};
  const etcd::Health health = Collect(client);
  for (const etcd::Member& member : plan.order) {
    plan.expected.members.push_back(
        {.name = etcd::NameOf(member), .before = RequireAnswer(health, member).db_size});
  }
  return plan;
}

SpacePlan PlanReclaim(etcd::Client& client) {
  const etcd::Health health = Collect(client);
  const std::vector<etcd::Alarm> alarms = SpaceAlarms(health);
  if (alarms.empty()) {
    throw Error(Error::Kind::kNotFound,
                "no member of etcd has raised a NOSPACE alarm: there is none to clear");
  }
  RequireAll(health);
  SpacePlan plan = PlanDefragmentation(client, {});
  plan.clears_alarm = true;
  plan.expected.compacted = StateOf(health).revision;
  for (const etcd::Alarm& alarm : alarms) {
    plan.expected.cleared.push_back(HolderOf(alarm, health));
  }
  return plan;
}

engine::Operation SpaceOperation(const SpacePlan& plan, const SpaceDeps& deps, Freed& freed) {
  engine::Operation operation{.name = "etcd-defrag",
                              .tag = "etcd",
                              .intent = {{"clearAlarm", plan.clears_alarm}},
                              .facts = json::Value::object(),
                              .steps = {},
                              .keeps_journal = false};
  const auto add = [&](std::string id, std::string line,
                       std::function<void(const SpaceDeps& deps)> act) {
    operation.steps.push_back(
        {.id = std::move(id),
         .line = std::move(line),
         .where = engine::Where::kCluster,
         .apply = [&deps, act = std::move(act)](engine::StepContext& context) {
           act({.client = deps.client,
                .waiting = deps.waiting,
                .say = [&context](const std::string& text) { context.Say(text); }});
         }});
  };
  if (plan.clears_alarm) {
    add("compact", "compact to the present revision",
        [&freed](const SpaceDeps& with) { freed.compacted = Compact(with, {}).revision; });
  }
  for (std::size_t i = 0; i < plan.order.size(); ++i) {
    const Defragmented& expected = plan.expected.members.at(i);
    add("defragment/" + expected.name,
        fmt::format("defragment member {} ({})", expected.name, SizeText(expected.before)),
        [&freed, member = plan.order.at(i)](const SpaceDeps& with) {
          freed.members.push_back(DefragmentOne(with, member));
        });
  }
  if (plan.clears_alarm) {
    add("alarm",
        fmt::format("clear the NOSPACE alarm of {}", base::Join(plan.expected.cleared, ", ")),
        [&freed](const SpaceDeps& with) { ClearAlarms(with, freed); });
    add("writes", "verify that etcd takes writes", RequireWrites);
  }
  return operation;
}

void RequireNoUpgrade(const host::Files& files) {
  const std::optional<control_plane::UpgradeRecord> record = control_plane::LoadRecord(files);
  if (record && control_plane::IsUnderWay(*record)) {
    throw Error(Error::Kind::kConflict,
                fmt::format("the upgrade of this node from {} to {} was interrupted: finish it "
                            "with the same 'kubeadm upgrade {}', or undo it with 'kubeadm upgrade "
                            "rollback'; nothing was changed",
                            record->from, record->to, record->command));
  }
}

std::string TextOf(const Compaction& compaction) {
  return fmt::format(
      "[etcd] The versions before revision {} are discarded. 'kubeadm etcd defrag' gives their "
      "space back to the disk\n",
      compaction.revision);
}

json::Value ObjectOf(const Compaction& compaction) {
  return {{"kind", "EtcdCompaction"}, {"apiVersion", kVersion}, {"revision", compaction.revision}};
}

std::string TextOf(const SpacePlan& plan) {
  return plan.clears_alarm
             ? fmt::format("etcd's space is freed, and the NOSPACE alarm of {} is cleared\n",
                           base::Join(plan.expected.cleared, ", "))
             : "etcd's free space is returned to the disk\n";
}

std::string TextOf(const Freed& freed) {
  std::string text;
  for (const Defragmented& member : freed.members) {
    text += fmt::format("[etcd] Member {}: {} before, {} after\n", member.name,
                        SizeText(member.before), SizeText(member.after));
  }
  if (!freed.cleared.empty()) {
    text += fmt::format("[etcd] The NOSPACE alarm of {} is cleared, and etcd takes writes again\n",
                        base::Join(freed.cleared, ", "));
  }
  if (!freed.nearly_full.empty()) {
    text += fmt::format("[etcd] Less than a tenth of the quota is free on {}: {}\n",
                        base::Join(freed.nearly_full, ", "), kRaiseQuota);
  }
  return text;
}

json::Value ObjectOf(const Freed& freed) {
  json::Value members = json::Value::array();
  for (const Defragmented& member : freed.members) {
    members.push_back({{"name", member.name},
                       {"sizeBefore", member.before},
                       {"sizeAfter", freed.planned ? json::Value() : json::Value(member.after)}});
  }
  return {{"kind", "EtcdDefragmentation"},
          {"apiVersion", kVersion},
          {"dryRun", freed.planned},
          {"members", std::move(members)},
          {"compactedRevision", freed.compacted ? json::Value(*freed.compacted) : json::Value()},
          {"alarmsCleared", freed.cleared},
          {"nearlyFull", freed.nearly_full}};
}

}  // namespace etcd_maintenance
