// SPDX-License-Identifier: Apache-2.0
#include "checks/require.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "base/error.h"
#include "base/strings.h"
#include "base/wrap.h"

namespace checks {
namespace {

std::string Line(const Finding& finding) {
  const char* severity = finding.severity == Severity::kError ? "ERROR" : "WARNING";
  return fmt::format("\t[{} {}]: {}", severity, finding.id, base::HangingIndent(finding.what));
}

// Prints the evidence of all errors, ignored ones included: all values that their checks have read.
void PrintEvidence(const Findings& findings, const Display& display) {
  std::vector<std::string> lines;
  for (const Finding& finding : findings) {
    if (finding.severity == Severity::kError || finding.ignorable) {
      std::ranges::move(base::Lines(finding.evidence), std::back_inserter(lines));
    }
  }
  if (!lines.empty()) {
    display.print("[preflight] The system verification failed. What it found:");
    std::ranges::for_each(lines, display.print);
  }
}

}  // namespace

void Require(std::span<const Check> checks, const std::set<std::string>& ignored,
             workflow::Context& context) {
  Require(checks, ignored,
          Display{.print = [&](const std::string& line) { context.Print(line); },
                  .remark = [&](const std::string& text) { context.Remark(text); },
                  .stop = context.Stop()});
}

void Require(std::span<const Check> checks, const std::set<std::string>& ignored,
             const Display& display) {
  const Findings findings = RunChecks(checks, {.ignored = ignored,
                                               .on_check =
                                                   [&](const Findings& of_one_check) {
                                                     for (const Finding& finding : of_one_check) {
                                                       if (finding.severity == Severity::kWarning) {
                                                         display.remark(Line(finding));
                                                       }
                                                     }
                                                   },
                                               .stop = display.stop});
  PrintEvidence(findings, display);
  if (!HasErrors(findings)) {
    return;
  }
  std::string text = "[preflight] Some fatal errors occurred:\n";
  for (const Finding& finding : findings) {
    text += finding.severity == Severity::kError ? Line(finding) + "\n" : "";
  }
  display.remark(text +
                 "[preflight] A check that you know better about becomes a warning with "
                 "`--ignore-preflight-errors=...`");
  throw base::Error(base::Error::Kind::kInvalid, "preflight checks failed");
}

}  // namespace checks
