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
void ShowDetails(const preflight::Report& report, workflow::Context& context) {
  if (report.details.empty()) {
    return;
  }
  context.Print("[preflight] The system verification failed. What it found:");
  for (const preflight::Detail& detail : report.details) {
    context.Print(fmt::format("{}: {}", detail.name, detail.value));
  }
}

}  // namespace

void RunPreflight(std::span<const preflight::Check> checks, const PreflightRun& run,
                  workflow::Context& context) {
  const preflight::Report report = preflight::RunChecks(
      checks, {.ignored = run.ignored,
               .on_check =
                   [&](const preflight::Report& of_one_check) {
                     for (const auto& finding : of_one_check.Of(preflight::Severity::kWarning)) {
                       context.Remark(Line(finding));
                     }
                   },
               .stop = context.Stop()});
  ShowDetails(report, context);
  if (!report.Failed()) {
    return;
  }
  std::string text = "[preflight] These errors must be mended first:\n";
  for (const preflight::Finding& finding : report.Of(preflight::Severity::kError)) {
    text += Line(finding) + "\n";
  }
  context.Remark(text +
                 "[preflight] A check that you know better about becomes a warning with "
                 "`--ignore-preflight-errors=...`");
  throw base::Error(base::Error::Kind::kInvalid, "preflight checks failed");
}

}  // namespace kubeadm
