// SPDX-License-Identifier: Apache-2.0
#include "etcd/fake_client.h"

#include <fmt/core.h>

#include <algorithm>

namespace etcd {

Member& FakeClient::Start(std::uint64_t id, const std::string& name, bool learner) {
  const std::string client_url = "https://" + name + ":2379";
  members.push_back({.id = id,
                     .name = name,
                     .peer_urls = {"https://" + name + ":2380"},
                     .client_urls = {client_url},
                     .learner = learner});
  statuses[client_url] = {.member_id = id,
                          .leader_id = members.front().id,
                          .version = "3.6.8",
                          .raft_index = 100,
                          .applied_index = 100,
                          .learner = learner};
  return members.back();
}

Refusal FakeClient::Enter(const std::string& call) {
  const std::scoped_lock lock(mutex_);
  calls_.push_back(call);
  return on_call ? on_call(call) : Refusal::kNone;
}

std::vector<Member> FakeClient::Members(Reach reach) {
  Enter(reach == Reach::kCluster ? "Members" : "Members of one");
  return members;
}

Refusal FakeClient::AddLearner(const std::string& peer_url) {
  const Refusal refusal = Enter("AddLearner " + peer_url);
  if (refusal == Refusal::kNone) {
    members.push_back({.id = 0xadd + members.size(), .peer_urls = {peer_url}, .learner = true});
  }
  return refusal;
}

Refusal FakeClient::Promote(std::uint64_t id) {
  const Refusal refusal = Enter(fmt::format("Promote {}", id));
  if (refusal == Refusal::kNone) {
    std::ranges::find(members, id, &Member::id)->learner = false;
  }
  return refusal;
}

Refusal FakeClient::Remove(std::uint64_t id) {
  const Refusal refusal = Enter(fmt::format("Remove {}", id));
  if (refusal == Refusal::kNone) {
    std::erase_if(members, [&](const Member& each) { return each.id == id; });
  }
  return refusal;
}

Refusal FakeClient::UpdatePeerUrl(std::uint64_t id, const std::string& peer_url) {
  const Refusal refusal = Enter(fmt::format("UpdatePeerUrl {} {}", id, peer_url));
  if (refusal == Refusal::kNone) {
    std::ranges::find(members, id, &Member::id)->peer_urls = {peer_url};
  }
  return refusal;
}

MemberStatus FakeClient::StatusWithin(std::optional<milliseconds> timeout,
                                      const std::string& client_url) {
  const std::scoped_lock lock(mutex_);
  const auto status = statuses.find(client_url);
  const auto refusal = refusals.find(client_url);
  if (status == statuses.end() || refusal != refusals.end()) {
    throw base::Error(base::Error::Kind::kUnavailable,
                      fmt::format("etcd at {} is not available: {}", client_url,
                                  refusal == refusals.end() ? "gone" : refusal->second));
  }
  const auto takes = slow.find(client_url);
  if (takes != slow.end() && takes->second > timeout.value_or(Connection{}.timeout)) {
    throw base::Error(base::Error::Kind::kTimeout,
                      fmt::format("etcd at {} does not answer in time", client_url));
  }
  return status->second;
}

void FakeClient::Snapshot(const std::string& client_url, const base::TakeBytes& take,
                          const std::function<void(std::uint64_t size)>& on_size) {
  Enter("Snapshot " + client_url);
  StatusWithin({}, client_url);
  if (on_size) {
    on_size(database.size());
  }
  take(database);
}

void FakeClient::Defragment(const std::string& client_url) {
  Enter("Defragment " + client_url);
  StatusWithin({}, client_url);
  const std::scoped_lock lock(mutex_);
  MemberStatus& status = statuses.at(client_url);
  status.db_size = status.db_size_in_use;
}

void FakeClient::ClearSpaceAlarm(std::uint64_t member_id) {
  Enter(fmt::format("ClearSpaceAlarm {}", member_id));
  const std::scoped_lock lock(mutex_);
  for (auto& [url, status] : statuses) {
    std::erase(status.errors, fmt::format("memberID:{} alarm:NOSPACE ", member_id));
  }
}

Waiting FakeTime::Wait(milliseconds limit) {
  return {.now = [this] { return now; },
          .pause =
              [this](milliseconds duration) {
                pauses.push_back(duration);
                now += duration;
                return !on_pause || on_pause();
              },
          .limit = limit};
}

}  // namespace etcd
