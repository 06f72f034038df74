// SPDX-License-Identifier: Apache-2.0
// Metrics in Prometheus' text format (prometheus.io, "Exposition formats").
#pragma once

#include <array>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/shadow_book.h"

namespace reports {

// Metrics of one approver. Thread-safe.
class Metrics {
 public:
  // Sets mapi_current_pending_csr and mapi_max_pending_csr.
  void SetPending(std::size_t current, std::size_t most);
  // CountDecision counts a verdict. ObserveApproval records the time from a request's creation to
  // its approval.
  void CountDecision(std::string_view decision, std::string_view reason);
  void ObserveApproval(std::chrono::duration<double> since_creation);
  void ObserveJudgement(std::chrono::duration<double> took);
  void CountRequest(std::string_view what, bool succeeded);
  // Counts a verdict of the shadow mode whose request has ended.
  void CountComparison(const Comparison& comparison);
  void SetQueued(std::size_t count);
  void SetLeader(std::string_view lease, bool leads);
  // Sets machine_approver_blanket_rule: whether kube-controller-manager may approve the request of
  // any bootstrap token for any node name. The metric is absent before the first call.
  void SetBlanketRule(bool exists);

  std::string Text() const;

 private:
  // Counts the values up to each bound, as the format requires.
  struct Histogram {
    explicit Histogram(std::vector<double> upper)
        : bounds(std::move(upper)), counts(bounds.size()) {}
    void Observe(double value);
    std::vector<double> bounds;
    std::vector<std::size_t> counts;
    std::size_t count = 0;
    double sum = 0;
  };
  static void Write(std::string& out, std::string_view name, std::string_view help,
                    const Histogram& histogram);

  mutable std::mutex mutex_;
  // The members below are guarded by mutex_.
  std::size_t current_ = 0, most_ = 0, queued_ = 0;
  std::map<std::pair<std::string, std::string>, std::size_t> decisions_;
  std::map<std::pair<std::string, std::string>, std::size_t> requests_;
  // Maps verdict, outcome, agreement and reason to a count.
  std::map<std::array<std::string_view, 4>, std::size_t> comparisons_;
  std::map<std::string, bool, std::less<>> leads_;
  std::optional<bool> blanket_rule_;
  Histogram approval_{{0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800}};
  Histogram judgement_{{0.00001, 0.0001, 0.001, 0.01, 0.1, 1, 10, 30}};
};

}  // namespace reports
