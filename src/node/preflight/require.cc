// SPDX-License-Identifier: Apache-2.0
#include "preflight/require.h"

#include <fmt/core.h>

#include "base/error.h"
#include "base/wrap.h"

namespace preflight {
namespace {

std::string Line(const Finding& finding) {
  const char* severity = finding.severity == Severity::kError ? "ERROR" : "WARNING";
  return fmt::format("\t[{} {}]: {}", severity, finding.check, base::HangingIndent(finding.text));
}

// Prints a failed check's own log at a higher verbosity.
void ShowDetails(const Report& report, const Display& display) {
  if (report.details.empty()) {
    return;
  }
  display.print("[preflight] The system verification failed. What it found:");
  for (const Detail& detail : report.details) {
    display.print(fmt::format("{}: {}", detail.name, detail.value));
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
  const Report report =
      RunChecks(checks, {.ignored = ignored,
                         .on_check =
                             [&](const Report& of_one_check) {
                               for (const auto& finding : of_one_check.Of(Severity::kWarning)) {
                                 display.remark(Line(finding));
                               }
                             },
                         .stop = display.stop});
  ShowDetails(report, display);
  if (!report.Failed()) {
    return;
  }
  std::string text = "[preflight] Some fatal errors occurred:\n";
  for (const Finding& finding : report.Of(Severity::kError)) {
    text += Line(finding) + "\n";
  }
  display.remark(text +
                 "[preflight] A check that you know better about becomes a warning with "
                 "`--ignore-preflight-errors=...`");
  throw base::Error(base::Error::Kind::kInvalid, "preflight checks failed");
}

}  // namespace preflight
