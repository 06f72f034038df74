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
  // What the calls answer and change; the test changes it too, in `on_call` or before.
  std::vector<Member> members;
  std::map<std::string, MemberStatus> statuses;  // by client URL; others do not answer
  std::map<std::string, milliseconds> slow;      // by client URL: how long its status takes
  std::string database = "database";
  std::map<std::string, std::string> refusals;  // by client URL: why it does not give its status
  // Runs before each call ("Members", "AddLearner URL", "Promote 3", "Remove 3"); may throw, and
  // what it returns is the refusal; kNone goes on. May be empty.
  std::function<Refusal(const std::string& call)> on_call;

  // Start adds a running voter (or learner) with a healthy status; leads when it is the first.
  Member& Start(std::uint64_t id, const std::string& name, bool learner = false);

  // calls lists what was called, but Status.
  const std::vector<std::string>& calls() const { return calls_; }

  std::vector<Member> Members(Reach reach) override;
  Refusal AddLearner(const std::string& peer_url) override;
  Refusal Promote(std::uint64_t id) override;
  Refusal Remove(std::uint64_t id) override;
  Refusal UpdatePeerUrl(std::uint64_t id, const std::string& peer_url) override;
  MemberStatus StatusWithin(std::optional<milliseconds> timeout,
                            const std::string& client_url) override;
  // Snapshot is `database`, of a member that has a status; its call is "Snapshot URL".
  void Snapshot(const std::string& client_url, const base::TakeBytes& take) override;

 private:
  Refusal Enter(const std::string& call);

  std::mutex mutex_;
  std::vector<std::string> calls_;
};

// FakeTime is a clock that only pauses move; `on_pause` (may be empty) sees each and may end it.
struct FakeTime {
  std::chrono::steady_clock::time_point now;
  std::vector<milliseconds> pauses;
  std::function<bool()> on_pause;
  Waiting Wait(milliseconds limit = milliseconds(10'000));
};

}  // namespace etcd
