// Preflight checks as a user sees them.
#pragma once

#include <set>
#include <span>
#include <string>

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

}  // namespace kubeadm
