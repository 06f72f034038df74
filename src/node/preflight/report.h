// SPDX-License-Identifier: Apache-2.0
// Preflight checks and their report: what is wrong with a machine before anything is done to it
// (reference: preflight.md §1).
#pragma once

#include <functional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace preflight {

// Detail is one line of a check's own protocol ("CONFIG_NET_NS: enabled"). It is of interest only
// when the check fails.
struct Detail {
  enum class Quality { kGood, kWarning, kBad } quality = Quality::kGood;
  std::string name;
  std::string value;
  bool operator==(const Detail&) const = default;
};

// Verdict is what one check has to say. Nothing to say means that all is well.
struct Verdict {
  std::vector<std::string> warnings;
  std::vector<std::string> errors;
  std::vector<Detail> details;

  static Verdict Warning(std::string text) { return {.warnings = {std::move(text)}}; }
  static Verdict Error(std::string text) { return {.errors = {std::move(text)}}; }
  // Append adds another verdict's texts.
  void Append(Verdict more);
};

// Check is a name and a question. `run` gathers facts and judges them; what it throws counts as an
// error of the check. It may be called from another thread.
struct Check {
  std::string name;
  std::function<Verdict(std::stop_token stop)> run;
};

// Severity: an error ends the command unless the user ignores the check.
enum class Severity { kWarning, kError };

// Finding is one complaint in the report. An error that the user ignores is a warning.
struct Finding {
  Severity severity = Severity::kWarning;
  std::string check;
  std::string text;
  bool operator==(const Finding&) const = default;
};

// Report holds the findings in the order of the checks; a check's warnings come before its errors.
struct Report {
  std::vector<Finding> findings;
  std::vector<Detail> details;  // of the checks with errors, ignored or not

  // Failed tells whether there is an error that is not ignored.
  bool Failed() const;
  std::vector<Finding> Of(Severity severity) const;
};

// RunOptions of RunChecks.
struct RunOptions {
  // Names of checks whose errors are warnings; lower case, or "all"
  // (config::IgnoredPreflightErrors).
  std::set<std::string> ignored;
  // Told of each check's findings and details as soon as its turn in the order has come.
  std::function<void(const Report& of_one_check)> on_check;
  std::stop_token stop;
  unsigned threads = 8;
};

// RunChecks runs all checks to the end, several at once, and reports them in their order. What a
// check throws is its error; RunChecks throws only what is not a std::exception.
Report RunChecks(std::span<const Check> checks, const RunOptions& options = {});

}  // namespace preflight
