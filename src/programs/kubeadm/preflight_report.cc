#include "kubeadm/preflight_report.h"

#include <fmt/core.h>

#include "base/error.h"

namespace kubeadm {
namespace {

std::string Line(const preflight::Finding& finding) {
  const char* severity = finding.severity == preflight::Severity::kError ? "ERROR" : "WARNING";
  return fmt::format("\t[{} {}]: {}", severity, finding.check, finding.text);
}

// A failed check's own protocol, for those who want to know what it looked at.
void ShowDetails(const preflight::Report& report, const PreflightOutput& output) {
  if (report.details.empty()) {
    return;
  }
  output.print("[preflight] The system verification failed. What it found:");
  for (const preflight::Detail& detail : report.details) {
    output.print(fmt::format("{}: {}", detail.name, detail.value));
  }
}

}  // namespace

void RunPreflight(std::span<const preflight::Check> checks, const PreflightRun& run,
                  workflow::Context& context) {
  RunPreflight(checks, run,
               PreflightOutput{.print = [&](std::string_view line) { context.Print(line); },
                               .remark = [&](std::string_view text) { context.Remark(text); },
                               .stop = context.Stop()});
}

void RunPreflight(std::span<const preflight::Check> checks, const PreflightRun& run,
                  const PreflightOutput& output) {
  const preflight::Report report = preflight::RunChecks(
      checks, {.ignored = run.ignored,
               .on_check =
                   [&](const preflight::Report& of_one_check) {
                     for (const auto& finding : of_one_check.Of(preflight::Severity::kWarning)) {
                       output.remark(Line(finding));
                     }
                   },
               .stop = output.stop});
  ShowDetails(report, output);
  if (!report.Failed()) {
    return;
  }
  std::string text = "[preflight] These errors must be fixed first:\n";
  for (const preflight::Finding& finding : report.Of(preflight::Severity::kError)) {
    text += Line(finding) + "\n";
  }
  output.remark(text +
                "[preflight] A check that you know better about becomes a warning with "
                "`--ignore-preflight-errors=...`");
  throw base::Error(base::Error::Kind::kInvalid, "preflight checks failed");
}

}  // namespace kubeadm
