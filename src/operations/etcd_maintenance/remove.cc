// SPDX-License-Identifier: Apache-2.0
#include "etcd_maintenance/remove.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "etcd/answers.h"
#include "etcd/membership.h"
#include "etcd/quorum.h"
#include "etcd_maintenance/status.h"

namespace etcd_maintenance {
namespace {

using base::Error;

json::Value IntentOf(const std::string& name_or_id) { return {{"member", name_or_id}}; }

std::vector<etcd::Member> MembersOf(const etcd::Health& health) {
  std::vector<etcd::Member> members;
  for (const etcd::MemberHealth& each : health.members) {
    members.push_back(each.member);
  }
  return members;
}

bool IsListed(const std::vector<etcd::Member>& members, const std::string& name_or_id) {
  return std::ranges::any_of(members, [&](const etcd::Member& member) {
    return member.name == name_or_id || etcd::HexId(member.id) == name_or_id;
  });
}

std::optional<std::string> RefusalOf(const etcd::Health& health, const etcd::Member& member,
                                     const std::string& own_peer_url) {
  if (!own_peer_url.empty() && std::ranges::contains(member.peer_urls, own_peer_url)) {
    return "it is the member of this node, whose API server needs it: 'kubeadm reset' removes it "
           "together with the node's control plane";
  }
  if (health.members.size() == 1) {
    return "it is the only member of etcd";
  }
  return etcd::QuorumProblem(health, etcd::Step::kRemove, member.id);
}

}  // namespace

RemovalPlan PlanRemoval(const etcd::Health& health, const std::string& name_or_id,
                        const std::string& own_peer_url, bool resumes) {
  const std::vector<etcd::Member> members = MembersOf(health);
  RemovalPlan plan;
  if (resumes && !IsListed(members, name_or_id)) {
    return plan;
  }
  const etcd::Member& member = RequireMember(members, name_or_id);
  std::size_t healthy = 0;
  for (const etcd::MemberHealth& each : health.members) {
    if (each.member.id == member.id) {
      plan.healthy = each.healthy();
    } else if (!each.member.learner) {
      plan.remaining.push_back(etcd::NameOf(each.member));
      healthy += each.healthy() ? 1 : 0;
    }
  }
  std::ranges::sort(plan.remaining);
  const std::size_t majority = plan.remaining.size() / 2 + 1;
  plan.tolerated = healthy > majority ? healthy - majority : 0;
  plan.refusal = RefusalOf(health, member, own_peer_url);
  plan.member = member;
  return plan;
}

std::string TextOf(const RemovalPlan& plan) {
  if (!plan.member) {
    return "The member is removed already\n";
  }
  std::string text = fmt::format(
      "etcd member {} ({}) at {} is removed\n"
      "  voting members afterwards: {}\n"
      "  further failures that etcd then survives: {}\n",
      etcd::NameOf(*plan.member), etcd::HexId(plan.member->id),
      base::Join(plan.member->peer_urls, ","),
      plan.remaining.empty() ? "none" : base::Join(plan.remaining, ", "), plan.tolerated);
  if (plan.healthy) {
    text +=
        "  it is healthy: the API server of its node loses its etcd. 'kubeadm reset' on that node "
        "is the usual way\n";
  }
  return text;
}

void RequireAllowed(const RemovalPlan& plan) {
  if (plan.refusal) {
    throw Error(Error::Kind::kConflict,
                fmt::format("etcd member {} must not be removed: {}; nothing was changed",
                            etcd::NameOf(plan.member.value()), *plan.refusal));
  }
}

engine::Operation RemoveOperation(const RemovalPlan& plan, const std::string& name_or_id,
                                  std::shared_ptr<Access> access) {
  engine::Operation operation{.name = std::string(kRemoveOperation),
                              .tag = "etcd",
                              .intent = IntentOf(name_or_id),
                              .facts = json::Value::object(),
                              .steps = {}};
  if (!plan.member) {
    return operation;
  }
  const std::string name = etcd::NameOf(*plan.member);
  operation.steps.push_back({.id = "remove",
                             .line = fmt::format("remove member {} from etcd", name),
                             .where = engine::Where::kCluster,
                             .apply = [name, url = plan.member->peer_urls.front(),
                                       access = std::move(access)](engine::StepContext& context) {
                               etcd::RemoveMember(
                                   *access->client, {.peer_url = url}, access->waiting,
                                   [&](const std::string& line) { context.Say(line); });
                               context.Say(fmt::format("Member {} is removed from etcd", name));
                             }});
  return operation;
}

std::optional<engine::Journal> FindInterruptedRemoval(const host::Files& files,
                                                      const std::string& name_or_id) {
  std::optional<engine::Journal> journal = engine::LoadJournal(files, kRemoveOperation);
  return journal && journal->intent == IntentOf(name_or_id) ? journal : std::nullopt;
}

std::vector<std::string> StepsAfterRemoval(const RemovalPlan& plan) {
  if (!plan.member || !plan.member->started()) {
    return {};
  }
  return {
      fmt::format("If node {0} is gone, too: 'kubectl delete node {0}'. To let a machine take "
                  "its place: 'kubeadm reset' there, then 'kubeadm join --control-plane'",
                  plan.member->name)};
}

}  // namespace etcd_maintenance
