// SPDX-License-Identifier: Apache-2.0
#include "inventories/queried_list.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "base/utf8.h"
#include "inventories/entries.h"

namespace inventories {

using judgement::Machine;

QueriedList::QueriedList(Sink& sink, host::Clock& clock, Options options)
    : clock_(clock),
      options_(std::move(options)),
      list_(sink, options_.source, WhileUnread::kNoneAttests),
      expires_(clock.Steady()) {}

void QueriedList::Run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    bool done = false;
    {
      const std::lock_guard lock(mutex_);
      done = Refresh(stop);
    }
    clock_.Sleep(done ? options_.refresh
                      : std::min<std::chrono::milliseconds>(options_.refresh, kAfterFailure),
                 stop);
  }
}

bool QueriedList::Confirms(const Machine& entry, const std::stop_token& stop) {
  const std::lock_guard lock(mutex_);
  if (Expired() && !Refresh(stop)) {
    return false;
  }
  const auto found = std::ranges::lower_bound(entries_, entry.name, {}, &Machine::name);
  return found != entries_.end() && SameEntry(*found, entry);
}

bool QueriedList::Refresh(const std::stop_token& stop) {
  const auto asked = clock_.Steady();
  try {
    Answer answer = options_.query(stop);
    std::ranges::sort(answer.entries, {}, &Machine::name);
    expires_ = asked + answer.max_age;
    if (!counts_ || !std::ranges::equal(answer.entries, entries_, SameEntry)) {
      entries_ = std::move(answer.entries);
      list_.TakeEntries(entries_);
      counts_ = true;
    }
    return true;
  } catch (const base::Interrupted&) {
    return false;  // a stop request interrupted the query
  } catch (const std::exception& error) {
    if (!Expired()) {
      base::LogWarning("inventory {}: {}; the last answer is used until its max-age is over",
                       NameOf(options_.source), base::Visible(error.what()));
      return true;
    }
    entries_.clear();
    counts_ = false;
    list_.TakeProblem(error.what());
    return false;
  }
}

}  // namespace inventories
