// SPDX-License-Identifier: Apache-2.0
#include "reports/shadow_book.h"

namespace reports {

std::string_view NameOf(Outcome outcome) {
  switch (outcome) {
    case Outcome::kApproved:
      return "approved";
    case Outcome::kDenied:
      return "denied";
    case Outcome::kUndecided:
      break;
  }
  return "undecided";
}

// Returns the request's entry, which may be new. Returns null for a new request if kMost requests
// are remembered.
ShadowBook::Entry* ShadowBook::FindLocked(const Request& request) {
  const auto found = entries_.find(request.name);
  if (found == entries_.end()) {
    return entries_.size() >= kMost
               ? nullptr
               : &entries_.emplace(request.name, Entry{.uid = request.uid}).first->second;
  }
  if (found->second.uid != request.uid) {
    found->second = Entry{.uid = request.uid};
  }
  return &found->second;
}

Comparison ShadowBook::FinishLocked(Entry& entry, Outcome outcome) {
  entry.over = true;
  return {.would_approve = entry.verdict->would_approve,
          .reason = entry.verdict->reason,
          .outcome = outcome};
}

ShadowBook::Answer ShadowBook::PutVerdict(const Request& request, const Verdict& verdict,
                                          std::chrono::sys_seconds now) {
  const std::lock_guard lock(mutex_);
  Entry* entry = FindLocked(request);
  if (entry == nullptr || entry->over) {
    return {.over = true};
  }
  Answer answer{.changed = entry->verdict != verdict};
  if (!entry->decided) {
    entry->verdict = verdict;
    return answer;
  }
  if (verdict.would_approve || !entry->verdict) {
    entry->verdict = verdict;
  }
  const Decided& decided = *entry->decided;
  const bool disagrees = !entry->verdict->would_approve && decided.outcome == Outcome::kApproved;
  if (disagrees && !verdict.final && now < decided.at + kPatience) {
    answer.judge = true;
    return answer;
  }
  answer.comparison = FinishLocked(*entry, decided.outcome);
  answer.over = true;
  return answer;
}

ShadowBook::Answer ShadowBook::PutOutcome(const Request& request, const Decided& decided) {
  const std::lock_guard lock(mutex_);
  Entry* entry = FindLocked(request);
  if (entry == nullptr || entry->over) {
    return {.over = true};
  }
  entry->decided = decided;
  const bool approves = entry->verdict && entry->verdict->would_approve;
  if (approves || (entry->verdict && !decided.may_judge)) {
    return {.comparison = FinishLocked(*entry, decided.outcome), .over = true};
  }
  entry->over = !decided.may_judge;
  return {.over = entry->over, .judge = decided.may_judge};
}

std::optional<Comparison> ShadowBook::Remove(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(name);
  if (found == entries_.end()) {
    return {};
  }
  Entry entry = std::move(found->second);
  entries_.erase(found);
  if (entry.over || !entry.verdict) {
    return {};
  }
  return FinishLocked(entry, entry.decided ? entry.decided->outcome : Outcome::kUndecided);
}

}  // namespace reports
