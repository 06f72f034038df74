// SPDX-License-Identifier: Apache-2.0
#include "etcd/health.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <future>

#include "base/error.h"
#include "etcd/answers.h"

namespace etcd {
namespace {

using Kind = base::Error::Kind;

// The timeout of the second query of a member. A member that missed the first timeout is not
// necessarily dead: the network may be slow, or the machine busy.
constexpr std::chrono::milliseconds kPatience{10'000};

MemberStatus Ask(Client& client, const std::string& url) {
  try {
    return client.Status(url);
  } catch (const base::Error& error) {
    if (error.kind() != Kind::kTimeout) {
      throw;
    }
  }
  return client.StatusWithin(kPatience, url);
}

std::vector<Member> ListMembers(Client& client) {
  try {
    return client.Members();
  } catch (const base::Error& error) {
    if (error.kind() != Kind::kUnavailable && error.kind() != Kind::kTimeout) {
      throw;
    }
    return client.Members(Reach::kMember);
  }
}

std::optional<std::string> ProblemOf(const MemberStatus& status) {
  if (!status.errors.empty()) {
    return fmt::format("reports {}", fmt::join(status.errors, ", "));
  }
  return status.leader_id == 0 ? std::optional<std::string>("knows of no leader") : std::nullopt;
}

MemberHealth Examine(Client& client, const Member& member) {
  MemberHealth health{.member = member};
  if (!member.started() || member.client_urls.empty()) {
    health.problem = "was added, but has not started yet";
    return health;
  }
  try {
    health.status = Ask(client, member.client_urls.front());
    health.problem = ProblemOf(*health.status);
  } catch (const base::Error& error) {
    health.problem = error.message();
  }
  return health;
}

bool Votes(const MemberHealth& each) { return !each.member.learner; }

// Returns true if all started voters answer, and only unstarted voters prevent a majority.
bool LacksOnlyUnstarted(const Health& health) {
  std::size_t answering = 0;
  for (const MemberHealth& each : health.members) {
    if (Votes(each) && each.member.started() && !each.status) {
      return false;
    }
    answering += Votes(each) && each.status ? 1 : 0;
  }
  return answering <= health.Voters() / 2;
}

}  // namespace

std::size_t Health::Voters() const {
  return static_cast<std::size_t>(std::ranges::count_if(members, Votes));
}

std::size_t Health::HealthyVoters() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      members, [](const MemberHealth& each) { return Votes(each) && each.healthy(); }));
}

bool Health::HasQuorum() const { return HealthyVoters() > Voters() / 2; }

const MemberHealth* Health::Named(std::string_view name) const {
  const auto found = std::ranges::find_if(
      members, [&](const MemberHealth& each) { return each.member.name == name; });
  return found == members.end() ? nullptr : &*found;
}

const MemberHealth* Health::At(const std::string& peer_url) const {
  const auto found = std::ranges::find_if(members, [&](const MemberHealth& each) {
    return std::ranges::contains(each.member.peer_urls, peer_url);
  });
  return found == members.end() ? nullptr : &*found;
}

const MemberHealth* Health::Leader() const {
  for (const MemberHealth& each : members) {
    if (each.healthy() && each.status && each.status->leader_id == each.member.id) {
      return &each;
    }
  }
  return nullptr;
}

Health ClusterHealth(Client& client) {
  std::vector<std::future<MemberHealth>> asked;
  for (const Member& member : ListMembers(client)) {
    asked.push_back(std::async(std::launch::async, Examine, std::ref(client), member));
  }
  Health health;
  for (std::future<MemberHealth>& each : asked) {
    health.members.push_back(each.get());
  }
  return health;
}

std::string NameOf(const Member& member) {
  if (member.started()) {
    return member.name;
  }
  return member.peer_urls.empty() ? HexId(member.id) : member.peer_urls.front();
}

std::string RemovalCommand(const Member& member) {
  return fmt::format("'kubeadm etcd remove {}' on another control plane", HexId(member.id));
}

std::optional<std::string> Explain(const Health& health) {
  std::vector<std::string> lines;
  for (const MemberHealth& each : health.members) {
    if (each.healthy()) {
      continue;
    }
    lines.push_back(fmt::format("etcd member {} ({}) is not healthy: {}", NameOf(each.member),
                                HexId(each.member.id), *each.problem));
    if (!each.status && health.HasQuorum()) {
      lines.push_back(
          fmt::format("if it will not come back, remove it: {}", RemovalCommand(each.member)));
    }
  }
  return lines.empty() ? std::nullopt : std::optional(fmt::format("{}", fmt::join(lines, "\n")));
}

const Member* FindUnstartedVoter(const std::vector<Member>& members) {
  const auto found = std::ranges::find_if(
      members, [](const Member& each) { return !each.learner && !each.started(); });
  return found == members.end() ? nullptr : &*found;
}

Health WaitForQuorum(Client& client, const Waiting& waiting) {
  Health health;
  std::optional<std::chrono::steady_clock::time_point> since;
  WaitFor("the etcd cluster is not healthy", waiting, [&]() -> std::optional<std::string> {
    health = ClusterHealth(client);
    const std::optional<std::string> problem = health.HasQuorum() ? std::nullopt : Explain(health);
    if (!problem || !LacksOnlyUnstarted(health)) {
      since.reset();
      return problem;
    }
    since = since.value_or(waiting.now());
    if (waiting.now() - *since >= kStartPatience) {
      throw base::Error(Kind::kConflict,
                        fmt::format("the etcd cluster has no majority without a member that was "
                                    "added to it and does not start: {}; start etcd there, or "
                                    "restore etcd from a backup",
                                    *problem));
    }
    return problem;
  });
  return health;
}

}  // namespace etcd
