// SPDX-License-Identifier: Apache-2.0
// An inventory that is queried at intervals, and once more before an approval.
#pragma once

#include <chrono>
#include <mutex>
#include <stop_token>
#include <vector>

#include "host/clock.h"
#include "inventories/entry_list.h"
#include "inventories/query.h"
#include "inventories/sink.h"

namespace inventories {

// Keeps the entries of the inventory's last answer in the sink. Without a valid answer it reports a
// problem, and no request is approved, because an entry also protects its host's names from other
// inventories. If a query fails, the previous answer stays valid until its max_age has passed.
// Thread-safe.
class QueriedList {
 public:
  struct Options {
    judgement::Source source;
    Query query;
    std::chrono::milliseconds refresh{0};  // the pause after a query
  };
  // `sink` and `clock` must outlive it.
  QueriedList(Sink& sink, host::Clock& clock, Options options);
  QueriedList(const QueriedList&) = delete;
  QueriedList& operator=(const QueriedList&) = delete;

  // Queries at intervals until a stop request. Without a valid answer the pause is at most
  // kAfterFailure.
  void Run(const std::stop_token& stop);

  // Returns whether the inventory still contains an equal entry (SameEntry). Uses the last answer
  // while it may be cached; otherwise queries again. Waits for at most the time limits of two
  // queries.
  bool Confirms(const judgement::Machine& entry, const std::stop_token& stop);

  judgement::Source source() const { return options_.source; }

  static constexpr std::chrono::seconds kAfterFailure{5};

 private:
  // Queries once. Returns whether a valid answer exists: the new answer, or after a failure the
  // previous answer until it expires. The caller holds mutex_.
  bool Refresh(const std::stop_token& stop);
  bool Expired() const { return clock_.Steady() >= expires_; }

  host::Clock& clock_;
  const Options options_;
  std::mutex mutex_;
  EntryList list_;                                 // guarded by mutex_
  std::vector<judgement::Machine> entries_;        // guarded by mutex_, sorted by name
  bool counts_ = false;                            // guarded by mutex_: entries_ are in the sink
  std::chrono::steady_clock::time_point expires_;  // guarded by mutex_
};

}  // namespace inventories
