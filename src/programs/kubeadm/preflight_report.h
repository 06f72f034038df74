// Preflight checks as a user sees them.
#pragma once

#include <functional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "preflight/report.h"
#include "workflow/context.h"

namespace kubeadm {

struct PreflightRun {
  std::set<std::string> ignored;  // lower case, or "all"
};

// RunPreflight runs a batch of checks: warnings are shown as they come, errors together at its
// end, and then base::Error("preflight checks failed") is thrown.
void RunPreflight(std::span<const preflight::Check> checks, const PreflightRun& run,
                  workflow::Context& context);

// PreflightOutput is where a command that has no phases shows them: whole lines, without the last
// line end.
struct PreflightOutput {
  std::function<void(std::string_view line)> print;   // to stdout
  std::function<void(std::string_view text)> remark;  // to stderr
  std::stop_token stop;
};
void RunPreflight(std::span<const preflight::Check> checks, const PreflightRun& run,
                  const PreflightOutput& output);

}  // namespace kubeadm
