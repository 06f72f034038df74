// SPDX-License-Identifier: Apache-2.0
// The audit log: a line of JSON for each new verdict.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "judgement/facts.h"
#include "judgement/judge.h"
#include "reports/metrics.h"

namespace reports {

// The effect of a verdict on its request.
enum class Effect { kApproved, kLeftPending, kWouldApprove, kWouldLeavePending };
// Returns "approved", "left-pending", "would-approve" or "would-leave-pending".
std::string_view NameOf(Effect effect);

// Returns the line without its line end: time, request, uid, user, signer, effect, decision, reason
// and message. Escapes characters that could forge another line or change the text direction.
std::string AuditLine(const judgement::Csr& csr, const judgement::Verdict& verdict, Effect effect,
                      std::chrono::sys_seconds now);

// Writes each line once. If a request is judged again with the same result, no further line is
// written. Thread-safe.
class AuditLog {
 public:
  // The maximum number of requests whose last line is remembered. Beyond this number all lines are
  // forgotten, so lines may be repeated.
  static constexpr std::size_t kMostRequests = 5'000;
  // Appends a line. Throws base::Error, with the kind of the system error, if the write fails.
  using Sink = std::function<void(std::string_view line)>;

  // `metrics` must outlive it.
  AuditLog(Sink sink, Metrics& metrics) : sink_(std::move(sink)), metrics_(metrics) {}

  // Records a verdict. A failure of the sink is logged and counted as a failed write of the kind
  // "audit". It does not delay requests.
  void Record(const judgement::Csr& csr, const judgement::Verdict& verdict, Effect effect,
              std::chrono::sys_seconds now);

 private:
  const Sink sink_;
  Metrics& metrics_;
  std::mutex mutex_;
  // The effect and reason of the last line of each request, by UID. Guarded by mutex_.
  std::unordered_map<std::string, std::pair<Effect, judgement::Reason>> last_;
};

}  // namespace reports
