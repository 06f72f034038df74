// SPDX-License-Identifier: Apache-2.0
// FakeClient: an etcd cluster in memory, for tests.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "etcd/client.h"
#include "etcd/waiting.h"

namespace etcd {

class FakeClient : public Client {
 public:
  // The state of the cluster. Calls of the client read and change this state. A test may change it
  // before a call or in `on_call`.
  std::vector<Member> members;
  std::map<std::string, MemberStatus> statuses;  // by client URL; others do not answer
  std::map<std::string, milliseconds> slow;      // by client URL: the delay of its status
  std::string database = "database";
  std::map<std::string, std::string> refusals;  // by client URL: why its status fails
  // Runs before each call ("Members", "AddLearner URL", "Promote 3", "Remove 3"). May be empty; may
  // throw. If its result is kNone, the fake performs the call; otherwise the call returns this
  // refusal.
  std::function<Refusal(const std::string& call)> on_call;

  // Adds a running voter (or learner) with a healthy status; the first one is the leader.
  Member& Start(std::uint64_t id, const std::string& name, bool learner = false);

  // Returns the calls so far, without Status.
  const std::vector<std::string>& calls() const { return calls_; }

  std::vector<Member> Members(Reach reach) override;
  Refusal AddLearner(const std::string& peer_url) override;
  Refusal Promote(std::uint64_t id) override;
  Refusal Remove(std::uint64_t id) override;
  Refusal UpdatePeerUrl(std::uint64_t id, const std::string& peer_url) override;
  MemberStatus StatusWithin(std::optional<milliseconds> timeout,
                            const std::string& client_url) override;
  // Passes `database` to `take` if the member has a status. Is recorded as the call "Snapshot URL".
  void Snapshot(const std::string& client_url, const base::TakeBytes& take,
                const std::function<void(std::uint64_t size)>& on_size) override;
  void Compact(std::int64_t revision) override { Enter("Compact " + std::to_string(revision)); }
  // Sets db_size of the member to db_size_in_use.
  void Defragment(const std::string& client_url) override;
  // Removes the member's NOSPACE from the errors of all statuses.
  void ClearSpaceAlarm(std::uint64_t member_id) override;
  void CheckWrite() override { Enter("CheckWrite"); }

 private:
  Refusal Enter(const std::string& call);

  std::mutex mutex_;
  std::vector<std::string> calls_;
};

// A clock that advances only by pauses. Each pause calls `on_pause` (may be empty), which may
// interrupt the pause.
struct FakeTime {
  std::chrono::steady_clock::time_point now;
  std::vector<milliseconds> pauses;
  std::function<bool()> on_pause;
  Waiting Wait(milliseconds limit = milliseconds(10'000));
};

}  // namespace etcd
