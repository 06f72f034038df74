// SPDX-License-Identifier: Apache-2.0
#include "preflight/report.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "base/threads.h"

namespace preflight {
namespace {

Verdict RunOne(const Check& check, std::stop_token stop) {
  try {
    return check.run(std::move(stop));
  } catch (const std::exception& error) {  // any exception: a verdict is waited for
    return Verdict::Error(error.what());
  }
}

Report ReportOf(const Check& check, Verdict verdict, const std::set<std::string>& ignored) {
  const bool is_ignored = ignored.contains("all") || ignored.contains(base::ToLower(check.name));
  Report report;
  for (std::string& text : verdict.warnings) {
    report.findings.push_back({Severity::kWarning, check.name, std::move(text)});
  }
  for (std::string& text : verdict.errors) {
    report.findings.push_back(
        {is_ignored ? Severity::kWarning : Severity::kError, check.name, std::move(text)});
  }
  if (!verdict.errors.empty()) {
    report.details = std::move(verdict.details);
  }
  return report;
}

// Passes results from the threads to the reporter, in order.
class Verdicts {
 public:
  explicit Verdicts(std::size_t count) : verdicts_(count) {}

  void Put(std::size_t i, Verdict verdict) {
    const std::lock_guard lock(mutex_);
    verdicts_[i] = std::move(verdict);
    changed_.notify_all();
  }
  // Signals that no more verdicts will come.
  void Abandon() {
    const std::lock_guard lock(mutex_);
    abandoned_ = true;
    changed_.notify_all();
  }
  // Waits for a verdict; returns std::nullopt if it will never come.
  std::optional<Verdict> Take(std::size_t i) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return abandoned_ || verdicts_[i].has_value(); });
    return std::exchange(verdicts_[i], std::nullopt);
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::optional<Verdict>> verdicts_;  // guarded by mutex_
  bool abandoned_ = false;                        // guarded by mutex_
};

}  // namespace

void Verdict::Append(Verdict more) {
  std::ranges::move(more.warnings, std::back_inserter(warnings));
  std::ranges::move(more.errors, std::back_inserter(errors));
  std::ranges::move(more.details, std::back_inserter(details));
}

bool Report::Failed() const {
  return std::ranges::any_of(findings,
                             [](const Finding& f) { return f.severity == Severity::kError; });
}

std::vector<Finding> Report::Of(Severity severity) const {
  std::vector<Finding> of;
  std::ranges::copy_if(findings, std::back_inserter(of),
                       [&](const Finding& f) { return f.severity == severity; });
  return of;
}

Report RunChecks(std::span<const Check> checks, const RunOptions& options) {
  Verdicts verdicts(checks.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    try {
      for (std::size_t i = next++; i < checks.size(); i = next++) {
        verdicts.Put(i, RunOne(checks[i], options.stop));
      }
    } catch (...) {
      verdicts.Abandon();
      throw;
    }
  };
  base::Threads threads;
  for (std::size_t i = 0; i < std::min<std::size_t>(options.threads, checks.size()); ++i) {
    threads.Add(work);
  }
  Report report;
  for (std::size_t i = 0; i < checks.size(); ++i) {
    std::optional<Verdict> verdict = verdicts.Take(i);
    if (!verdict) {
      break;
    }
    Report one = ReportOf(checks[i], *std::move(verdict), options.ignored);
    if (options.on_check) {
      options.on_check(one);
    }
    std::ranges::move(one.findings, std::back_inserter(report.findings));
    std::ranges::move(one.details, std::back_inserter(report.details));
  }
  threads.Join();
  return report;
}

}  // namespace preflight
