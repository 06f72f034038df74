// SPDX-License-Identifier: Apache-2.0
#include "etcd/serving.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "etcd/answers.h"

namespace etcd {
namespace {

using base::Error;

// The timeout of the first kHastyQuestions queries of a learner. A member that does not serve yet
// accepts connections and stays silent. Later queries have the connection's timeout: the learner
// may be busy.
constexpr milliseconds kSilence{300};
constexpr int kHastyQuestions = 8;
constexpr milliseconds kPause{200};
// The number of consecutive timeouts after which a member is restarted if it has applied its own
// name. Such a member should serve.
constexpr int kMissed = 2;

// Returns the highest index that answering voters have applied; std::nullopt without an answer.
std::optional<std::uint64_t> AppliedByVoters(Client& client, const std::vector<Member>& members) {
  std::optional<std::uint64_t> applied;
  for (const Member& member : members) {
    if (member.learner || member.client_urls.empty()) {
      continue;
    }
    try {
      const MemberStatus status = client.Status(member.client_urls.front());
      applied = std::max(applied.value_or(0), status.applied_index);
    } catch (const Error&) {
      continue;  // another voter may answer
    }
  }
  return applied;
}

// Polls whether a learner serves, and restarts a learner that would not serve by itself.
class Starter {
 public:
  Starter(Client& client, const Restart& restart) : client_(client), restart_(restart) {}

  // Polls a learner whose name is in `members`. Throws if it does not serve.
  void Ask(const Member& learner, const std::vector<Member>& members) {
    if (!named_) {
      named_ = AppliedByVoters(client_, members);
    }
    const bool hasty = questions_++ < kHastyQuestions && !restarted_;
    try {
      client_.StatusWithin(hasty ? std::optional(kSilence) : std::nullopt,
                           learner.client_urls.front());
    } catch (const Error&) {
      if (!restarted_) {
        RestartIfMissed();
      }
      throw;
    }
  }

 private:
  void RestartIfMissed() {
    const std::optional<std::uint64_t> applied = restart_.applied();
    const bool has_its_name = applied && named_ && *applied >= *named_;
    missed_ = has_its_name ? missed_ + 1 : 0;
    if (missed_ == kMissed) {
      restarted_ = true;
      restart_.run();
    }
  }

  Client& client_;
  const Restart& restart_;
  std::optional<std::uint64_t> named_;  // the voters' index when the learner's name became known
  int questions_ = 0;
  int missed_ = 0;
  bool restarted_ = false;
};

}  // namespace

void WaitUntilServing(Client& client, std::uint64_t id, const Waiting& waiting,
                      const Restart& restart) {
  Starter starter(client, restart);
  const auto attempt = [&]() -> std::optional<std::string> {
    const std::vector<Member> members = client.Members();
    const auto member = std::ranges::find(members, id, &Member::id);
    if (member == members.end() || !member->started() || member->client_urls.empty()) {
      return "it has not started";
    }
    if (member->learner && restart.run) {
      starter.Ask(*member, members);
    } else {
      client.Status(member->client_urls.front());
    }
    return std::nullopt;
  };
  Waiting often = waiting;
  often.most = std::min(waiting.most, kPause);
  WaitFor(fmt::format("etcd member {} does not serve", HexId(id)), often, attempt);
}

}  // namespace etcd
