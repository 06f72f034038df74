// SPDX-License-Identifier: Apache-2.0
// A comparison of the shadow mode's verdicts with the decisions of the other approver.
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "judgement/reason.h"

namespace reports {

// The outcome of a request: approved, denied, or removed without a decision.
enum class Outcome { kApproved, kDenied, kUndecided };
// Returns "approved", "denied" or "undecided".
std::string_view NameOf(Outcome outcome);

// A verdict of the shadow mode, and the outcome of the same request.
struct Comparison {
  bool would_approve = false;
  judgement::Reason reason = judgement::Reason::kNone;
  Outcome outcome = Outcome::kUndecided;
  // The approver never denies, so leaving a request pending agrees with a denial.
  bool Agrees() const { return would_approve == (outcome == Outcome::kApproved); }
};

// Compares each request once. Thread-safe.
class ShadowBook {
 public:
  // The maximum number of remembered requests. Further requests are not compared until older ones
  // are removed from the cluster.
  static constexpr std::size_t kMost = 20'000;

  // Identifies a request. The UID distinguishes it from an earlier request of the same name.
  struct Request {
    std::string name, uid;
  };
  struct Verdict {
    bool would_approve = false;
    judgement::Reason reason = judgement::Reason::kNone;
    bool final = false;  // no other evidence can change it
    bool operator==(const Verdict&) const = default;
  };
  struct Answer {
    std::optional<Comparison> comparison = {};  // made by this call
    // Set by PutVerdict: the verdict differs from the last verdict of the request.
    bool changed = false;
    // Set by PutVerdict: the request was compared already, or will not be compared.
    bool over = false;
    // The comparison needs another verdict: at once after PutOutcome, later after PutVerdict.
    bool judge = false;
  };

  // The time after an approval in which the evidence may still arrive. An approver that decides
  // would wait for it, too.
  static constexpr std::chrono::seconds kPatience{60};

  // Records a verdict. After the outcome is known, only an approving verdict replaces an earlier
  // verdict, because the decision itself may have changed the evidence. A verdict that disagrees
  // is compared only if it is final, or `now` is kPatience after the decision.
  Answer PutVerdict(const Request& request, const Verdict& verdict, std::chrono::sys_seconds now);
  // Records the outcome of a request, and the time of the decision. The comparison needs another
  // verdict in two cases: the request has no verdict, or its last verdict leaves it pending. In the
  // second case the evidence may have changed since. With `may_judge`, each call asks for another
  // verdict until one is recorded. Asking once may not suffice: an update of the decided request,
  // such as the signer's, removes it from the queue. Without `may_judge`, a request without a
  // verdict is not compared.
  struct Decided {
    Outcome outcome = Outcome::kUndecided;
    std::chrono::sys_seconds at;
    bool may_judge = false;
  };
  Answer PutOutcome(const Request& request, const Decided& decided);
  // Forgets a request that was removed from the cluster. Returns the request's comparison if it was
  // judged but not compared yet; std::nullopt otherwise.
  std::optional<Comparison> Remove(const std::string& name);

 private:
  struct Entry {
    std::string uid;
    std::optional<Verdict> verdict = {};
    std::optional<Decided> decided = {};
    bool over = false;
  };
  Entry* FindLocked(const Request& request);
  static Comparison FinishLocked(Entry& entry, Outcome outcome);

  std::mutex mutex_;
  std::unordered_map<std::string, Entry> entries_;  // guarded by mutex_; by name
};

}  // namespace reports
