// SPDX-License-Identifier: Apache-2.0
// The output of preflight checks, and the end of the command if they fail.
#pragma once

#include <set>
#include <span>
#include <stop_token>
#include <string>

#include "base/show_line.h"
#include "preflight/report.h"
#include "workflow/context.h"

namespace preflight {

// Runs a batch of checks: warnings are shown immediately, errors together at its end, and then
// base::Error("preflight checks failed") is thrown. `ignored` is RunOptions::ignored.
void Require(std::span<const Check> checks, const std::set<std::string>& ignored,
             workflow::Context& context);

// The output of a command without phases: whole lines, without the last line end.
struct Display {
  base::ShowLine print;   // to stdout
  base::ShowLine remark;  // to stderr
  std::stop_token stop;
};
void Require(std::span<const Check> checks, const std::set<std::string>& ignored,
             const Display& display);

}  // namespace preflight
