// SPDX-License-Identifier: Apache-2.0
#include "checks/check.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <future>
#include <utility>

#include "base/error.h"
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
  } catch (const std::exception& error) {  // the caller needs a result of each check
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

}  // namespace

std::vector<Check> Select(std::vector<Check> checks, When when) {
  std::erase_if(checks, [&](const Check& check) { return (check.when & when) == 0; });
  return checks;
}

Findings RunChecks(std::span<const Check> checks, const RunOptions& options) {
  std::vector<std::promise<Findings>> results(checks.size());
  std::atomic<std::size_t> next = 0;
  base::Threads threads;
  for (std::size_t thread = 0; thread < std::min<std::size_t>(options.threads, checks.size());
       ++thread) {
    threads.Add([&] {
      for (std::size_t i = next++; i < checks.size(); i = next++) {
        try {
          if (options.stop.stop_requested()) {
            throw base::Interrupted("interrupted before all checks had run");
          }
          results[i].set_value(RunOne(checks[i], options));
        } catch (...) {
          results[i].set_exception(std::current_exception());
        }
      }
    });
  }
  Findings all;
  for (std::promise<Findings>& result : results) {
    Findings findings = result.get_future().get();
    if (options.on_check) {
      options.on_check(findings);
    }
    Append(all, std::move(findings));
  }
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
