// SPDX-License-Identifier: Apache-2.0
// Preflight checks and their report: the defects of a machine before any change (reference:
// preflight.md §1).
#pragma once

#include <functional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace preflight {

// One line of a check's own log ("CONFIG_NET_NS: enabled"). Relevant only if the check fails.
struct Detail {
  enum class Quality { kGood, kWarning, kBad } quality = Quality::kGood;
  std::string name;
  std::string value;
  bool operator==(const Detail&) const = default;
};

// The result of one check. An empty one means success.
struct Verdict {
  std::vector<std::string> warnings;
  std::vector<std::string> errors;
  std::vector<Detail> details;

  static Verdict Warning(std::string text) { return {.warnings = {std::move(text)}}; }
  static Verdict Error(std::string text) { return {.errors = {std::move(text)}}; }
  // Appends another verdict's messages.
  void Append(Verdict more);
};

// A name and a query. `run` collects facts and judges them; its exceptions count as errors of the
// check. It may be called from another thread.
struct Check {
  std::string name;
  std::function<Verdict(std::stop_token stop)> run;
};

// An error ends the command unless the user ignores the check.
enum class Severity { kWarning, kError };

// One complaint in the report. An ignored error is a warning.
struct Finding {
  Severity severity = Severity::kWarning;
  std::string check;
  std::string text;
  bool operator==(const Finding&) const = default;
};

// The findings in the order of the checks; a check's warnings come before its errors.
struct Report {
  std::vector<Finding> findings;
  std::vector<Detail> details;  // of the checks with errors, ignored or not

  // Returns whether there is an error that is not ignored.
  bool Failed() const;
  std::vector<Finding> Of(Severity severity) const;
};

// RunOptions of RunChecks.
struct RunOptions {
  // Names of checks whose errors are warnings; lower case, or "all"
  // (config::IgnoredPreflightErrors).
  std::set<std::string> ignored;
  // Called with each check's findings and details as soon as all earlier checks are reported.
  std::function<void(const Report& of_one_check)> on_check;
  std::stop_token stop;
  unsigned threads = 8;
};

// Runs all checks to the end, several at once, and reports them in their order. A check's exception
// is its error; RunChecks throws only exceptions that are not a std::exception.
Report RunChecks(std::span<const Check> checks, const RunOptions& options = {});

}  // namespace preflight
