// SPDX-License-Identifier: Apache-2.0
#include "etcd/membership.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "etcd/answers.h"
#include "etcd/comeback.h"
#include "etcd/health.h"
#include "etcd/quorum.h"

namespace etcd {
namespace {

using Kind = base::Error::Kind;

bool HasPeerUrl(const Member& member, const std::string& peer_url) {
  return std::ranges::find(member.peer_urls, peer_url) != member.peer_urls.end();
}

const Member* FindByPeerUrl(const std::vector<Member>& members, const std::string& peer_url) {
  const auto found =
      std::ranges::find_if(members, [&](const Member& each) { return HasPeerUrl(each, peer_url); });
  return found == members.end() ? nullptr : &*found;
}

const Member* FindById(const std::vector<Member>& members, std::uint64_t id) {
  const auto found = std::ranges::find(members, id, &Member::id);
  return found == members.end() ? nullptr : &*found;
}

// Explains etcd's refusal of a membership change to a waiting user.
std::string WaitReason(Refusal refusal) {
  switch (refusal) {
    case Refusal::kUnhealthy:
      return "etcd accepts no change of members until all of them have been connected for 5 "
             "seconds";
    case Refusal::kNotEnoughStarted:
      return "etcd accepts no change of members until those that were added before have started";
    default:
      return "etcd does not take this change of its members now";
  }
}

void RequireUniqueName(const std::vector<Member>& members, const NewMember& self) {
  const auto other = std::ranges::find(members, self.name, &Member::name);
  if (other == members.end()) {
    return;
  }
  throw base::Error(
      Kind::kAlreadyExists,
      fmt::format(
          "etcd has a member named {} at {}, this node would be {} at {}: if the old one is "
          "gone, remove it: {}",
          self.name, fmt::join(other->peer_urls, ","), self.name, self.peer_url,
          RemovalCommand(*other)));
}

// Explains etcd's refusal because of an added voter that has not started, which etcd counts as
// down.
std::string UnstartedReason(const Member& voter) {
  return fmt::format(
      "etcd takes no new member while {}, which was added as a voter, has not started: start etcd "
      "there, or remove that member: {}",
      NameOf(voter), RemovalCommand(voter));
}

std::string OtherLearner(const std::vector<Member>& members) {
  const auto learner = std::ranges::find_if(members, &Member::learner);
  if (learner == members.end()) {
    return "another control plane is joining: etcd takes one new member at a time";
  }
  return fmt::format(
      "another control plane is joining as {}: etcd takes one new member at a time; if it will "
      "never be ready, remove its member: {}",
      NameOf(*learner), RemovalCommand(*learner));
}

Found FoundAs(const Member& member) {
  if (!member.started()) {
    return Found::kNotStarted;
  }
  return member.learner ? Found::kLearner : Found::kVoter;
}

LearnerProgress ProgressOf(Client& client, const Member& learner) {
  LearnerProgress progress{.started = learner.started() && !learner.client_urls.empty()};
  if (!progress.started) {
    return progress;
  }
  const Health health = ClusterHealth(client);
  for (const MemberHealth& each : health.members) {
    if (each.member.id == learner.id && each.status) {
      progress.applied = each.status->applied_index;
    }
  }
  if (const MemberHealth* leader = health.Leader(); leader != nullptr) {
    progress.leader_applied = leader->status->applied_index;
  }
  return progress;
}

std::string Describe(const LearnerProgress& progress) {
  if (!progress.started) {
    return "it has not started yet";
  }
  return fmt::format("it has copied {} of {} changes", progress.applied, progress.leader_applied);
}

// Retries the removal until etcd confirms it, if a majority is left. Unhealthy members get time to
// recover.
void RemoveSafely(Client& client, const Member& member, bool forced, const Waiting& waiting,
                  const base::ShowLine& show) {
  Comeback comeback(waiting, forced);
  WaitFor(
      fmt::format("etcd member {} was not removed", HexId(member.id)), waiting,
      [&]() -> std::optional<std::string> {
        const Health health = ClusterHealth(client);
        if (const auto problem = QuorumProblem(health, Step::kRemove, member.id)) {
          if (comeback.IsPossible(health, member.id)) {
            return problem;
          }
          throw base::Error(Kind::kConflict, fmt::format("etcd member {} cannot be removed: {}",
                                                         NameOf(member), *problem));
        }
        const Refusal refusal = client.Remove(member.id);
        return refusal == Refusal::kNone || refusal == Refusal::kMemberNotFound
                   ? std::nullopt
                   : std::optional<std::string>(WaitReason(refusal));
      },
      show);
}

// Returns the members according to any member that answers.
std::vector<Member> ListedMembers(Client& client, const Waiting& waiting) {
  std::vector<Member> members;
  try {
    WaitFor("the members of etcd were not listed", waiting, [&] {
      for (const MemberHealth& each : ClusterHealth(client).members) {
        members.push_back(each.member);
      }
      return std::nullopt;
    });
  } catch (const base::Error& error) {
    if (error.kind() != Kind::kTimeout) {
      throw;
    }
    throw base::Error(Kind::kUnavailable, error.message());
  }
  return members;
}

// After a failed removal, throws unless etcd can do without the member.
void RequireMajorityWithout(Client& client, const Member& member, const base::Error& failed) {
  std::optional<std::string> problem;
  try {
    problem = QuorumProblem(ClusterHealth(client), Step::kLose, member.id);
  } catch (const base::Error& error) {
    problem =
        "it is unknown whether the other members are a majority without "
        "it: " +
        error.message();
  }
  if (problem) {
    throw base::Error(Kind::kConflict, fmt::format("{}; {}", failed.message(), *problem));
  }
}

// Returns why etcd did not add a member. `since` is the time when etcd first refused because of a
// voter that never started. Throws kConflict if this time is more than kStartPatience ago.
std::string RefusedReason(Refusal refusal, const std::vector<Member>& members,
                          const Waiting& waiting,
                          std::optional<std::chrono::steady_clock::time_point>& since) {
  const Member* unstarted = FindUnstartedVoter(members);
  if (unstarted == nullptr) {
    since.reset();
    return WaitReason(refusal);
  }
  since = since.value_or(waiting.now());
  std::string reason = UnstartedReason(*unstarted);
  if (waiting.now() - *since >= kStartPatience) {
    throw base::Error(Kind::kConflict, reason);
  }
  return reason;
}

}  // namespace

std::string InitialCluster(const std::vector<Member>& members, const NewMember& self) {
  std::vector<std::string> entries;
  for (const Member& member : members) {
    const bool is_self = HasPeerUrl(member, self.peer_url);
    const std::string name =
        is_self ? self.name : (member.started() ? member.name : HexId(member.id));
    for (const std::string& url : member.peer_urls) {
      entries.push_back(name + "=" + url);
    }
  }
  return fmt::format("{}", fmt::join(entries, ","));
}

Joined LearnerAddition::Run(const Waiting& waiting, const base::ShowLine& show) {
  Joined joined;
  std::optional<std::chrono::steady_clock::time_point> beside_unstarted;
  bool added = false;
  const auto attempt = [&]() -> std::optional<std::string> {
    std::vector<Member> members = client_.Members();
    if (FindByPeerUrl(members, self_.peer_url) == nullptr) {
      RequireUniqueName(members, self_);
      may_be_member_ = true;
      const Refusal refusal = client_.AddLearner(self_.peer_url);
      may_be_member_ = refusal == Refusal::kNone;
      if (refusal == Refusal::kTooManyLearners) {
        return OtherLearner(members);
      }
      if (refusal != Refusal::kNone && refusal != Refusal::kPeerUrlExists) {
        return RefusedReason(refusal, members, waiting, beside_unstarted);
      }
      added = added || refusal == Refusal::kNone;
      members = client_.Members();
    }
    const Member* member = FindByPeerUrl(members, self_.peer_url);
    if (member == nullptr) {
      return "the new member is not in etcd's list yet";
    }
    joined = {.found = added ? Found::kAdded : FoundAs(*member),
              .id = member->id,
              .initial_cluster = InitialCluster(members, self_)};
    return std::nullopt;
  };
  WaitFor(fmt::format("etcd member {} was not added", self_.name), waiting, attempt, show);
  may_be_member_ = true;
  return joined;
}

Joined AddLearner(Client& client, const NewMember& self, const Waiting& waiting,
                  const base::ShowLine& show) {
  return LearnerAddition(client, self).Run(waiting, show);
}

void PromoteWhenCaughtUp(Client& client, std::uint64_t id, const Waiting& waiting,
                         const std::function<void(const LearnerProgress&)>& on_progress) {
  std::optional<LearnerProgress> told;
  const auto attempt = [&]() -> std::optional<std::string> {
    const std::vector<Member> members = client.Members();
    const Member* member = FindById(members, id);
    if (member != nullptr && member->learner && member->started()) {
      if (const auto problem = QuorumProblem(ClusterHealth(client), Step::kPromote, id)) {
        return problem;
      }
    }
    const Refusal refusal = member == nullptr    ? Refusal::kMemberNotFound
                            : !member->learner   ? Refusal::kNotLearner
                            : !member->started() ? Refusal::kNotInSync
                                                 : client.Promote(id);
    if (refusal == Refusal::kNone || refusal == Refusal::kNotLearner) {
      return std::nullopt;
    }
    if (refusal == Refusal::kMemberNotFound) {
      throw base::Error(Kind::kNotFound,
                        fmt::format("etcd member {} was removed while it was joining: run the join "
                                    "again after a reset of this node",
                                    HexId(id)));
    }
    if (refusal != Refusal::kNotInSync) {
      return WaitReason(refusal);
    }
    const LearnerProgress progress = ProgressOf(client, *member);
    if (on_progress && told != progress) {
      on_progress(progress);
    }
    told = progress;
    return Describe(progress);
  };
  WaitFor(fmt::format("etcd member {} was not promoted", HexId(id)), waiting, attempt);
}

Removal RemoveMember(Client& client, const Removing& removing, const Waiting& waiting,
                     const base::ShowLine& show) {
  const std::vector<Member> members = ListedMembers(client, waiting);
  const Member* member = FindByPeerUrl(members, removing.peer_url);
  if (member == nullptr) {
    return Removal::kAbsent;
  }
  if (members.size() == 1) {
    return Removal::kOnlyMember;
  }
  try {
    RemoveSafely(client, *member, removing.forced, waiting, show);
  } catch (const base::Error& error) {
    if (error.kind() != Kind::kConflict) {
      RequireMajorityWithout(client, *member, error);
    }
    throw;
  }
  return Removal::kRemoved;
}

namespace {

std::vector<Member> Listed(Client& client, const Waiting& waiting) {
  std::vector<Member> members;
  WaitFor("the members of etcd were not listed", waiting, [&] {
    members = client.Members();
    return std::nullopt;
  });
  return members;
}

}  // namespace

bool ForgetLost(Client& client, const std::string& peer_url, const Waiting& waiting) {
  std::vector<Member> members = Listed(client, waiting);
  const Member* found = FindByPeerUrl(members, peer_url);
  if (found == nullptr || !found->started()) {
    return false;
  }
  const Member member = *found;
  if (!member.learner) {
    std::erase_if(members, [&](const Member& each) { return each.id == member.id; });
    throw base::Error(
        Kind::kConflict,
        fmt::format("etcd counts on its member {} at {}, from an earlier join of this node whose "
                    "data are gone: it voted for entries that it no longer has, and must not "
                    "return as the same member; remove it, and run the same command again: {}",
                    NameOf(member), peer_url, RemovalCommand(member)));
  }
  RemoveSafely(client, member, /*forced=*/false, waiting, {});
  return true;
}

std::optional<std::string> RemoveDead(Client& client, const NewMember& self,
                                      const Waiting& waiting) {
  const Health health = ClusterHealth(client);
  for (const MemberHealth& each : health.members) {
    const bool matches = each.member.name == self.name || HasPeerUrl(each.member, self.peer_url);
    if (!matches || !each.member.started()) {
      continue;
    }
    if (each.status) {
      throw base::Error(Kind::kConflict,
                        fmt::format("etcd member {} at {} is not dead: it answers; run 'kubeadm "
                                    "reset' on its node first, or join without replacing it",
                                    each.member.name, fmt::join(each.member.peer_urls, ",")));
    }
    RemoveSafely(client, each.member, /*forced=*/false, waiting, {});
    return each.member.peer_urls.front();
  }
  return std::nullopt;
}

Undone UndoAdd(Client& client, const std::string& peer_url, const Waiting& waiting) {
  const std::vector<Member> members = Listed(client, waiting);
  const Member* member = FindByPeerUrl(members, peer_url);
  if (member == nullptr) {
    return Undone::kAbsent;
  }
  if (member->started() && !member->learner) {
    return Undone::kVotes;
  }
  RemoveSafely(client, *member, /*forced=*/false, waiting, {});
  return Undone::kRemoved;
}

}  // namespace etcd
