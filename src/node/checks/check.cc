// SPDX-License-Identifier: Apache-2.0
#include "checks/check.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <utility>

#include "base/strings.h"
#include "base/threads.h"

namespace checks {
namespace {

// Sets the id and remedy of a check in its findings.
Findings Completed(const Check& check, Findings findings) {
  for (Finding& finding : findings) {
    finding.id = finding.id.empty() ? check.id : std::move(finding.id);
    finding.remedy = finding.remedy.empty() ? check.remedy : std::move(finding.remedy);
  }
  return findings;
}

Findings RunOne(const Check& check, const RunOptions& options) {
  Findings findings;
  try {
    findings = check.judge(options.stop);
  } catch (const std::exception& error) {  // the caller waits for the findings of each check
    findings = {Refuse(error.what())};
  }
  findings = Completed(check, std::move(findings));
  std::ranges::stable_sort(findings, {}, &Finding::severity);
  for (Finding& finding : findings) {
    if (finding.severity == Severity::kError && finding.ignorable &&
        IsIgnored(finding.id, options.ignored)) {
      finding.severity = Severity::kWarning;
    }
  }
  return findings;
}

// Passes the findings from the threads to the reporting one, in order.
class Results {
 public:
  explicit Results(std::size_t count) : results_(count) {}

  void Put(std::size_t i, Findings findings) {
    const std::lock_guard lock(mutex_);
    results_[i] = std::move(findings);
    changed_.notify_all();
  }
  // Marks that no further findings may come.
  void Abandon() {
    const std::lock_guard lock(mutex_);
    abandoned_ = true;
    changed_.notify_all();
  }
  // Waits for the findings of a check. Returns std::nullopt if they may never come.
  std::optional<Findings> Take(std::size_t i) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return abandoned_ || results_[i].has_value(); });
    return std::exchange(results_[i], std::nullopt);
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::optional<Findings>> results_;  // guarded by mutex_
  bool abandoned_ = false;                        // guarded by mutex_
};

}  // namespace

std::vector<Check> Select(std::vector<Check> checks, When when) {
  std::erase_if(checks, [&](const Check& check) { return (check.when & when) == 0; });
  return checks;
}

Findings RunChecks(std::span<const Check> checks, const RunOptions& options) {
  Results results(checks.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    try {
      for (std::size_t i = next++; i < checks.size(); i = next++) {
        results.Put(i, RunOne(checks[i], options));
      }
    } catch (...) {
      results.Abandon();
      throw;
    }
  };
  base::Threads threads;
  for (std::size_t i = 0; i < std::min<std::size_t>(options.threads, checks.size()); ++i) {
    threads.Add(work);
  }
  Findings all;
  for (std::size_t i = 0; i < checks.size(); ++i) {
    std::optional<Findings> findings = results.Take(i);
    if (!findings) {
      break;
    }
    if (options.on_check) {
      options.on_check(*findings);
    }
    Append(all, *std::move(findings));
  }
  threads.Join();
  return all;
}

Findings Judge(std::span<const Check> checks) {
  Findings all;
  for (const Check& check : checks) {
    Append(all, Completed(check, check.judge({})));
  }
  return all;
}

bool IsIgnored(std::string_view id, const std::set<std::string>& ignored) {
  return ignored.contains("all") || ignored.contains(base::ToLower(id));
}

}  // namespace checks
