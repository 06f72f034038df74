// SPDX-License-Identifier: Apache-2.0
// Checks as a user sees them, and the end of the command when they fail.
#pragma once

#include <set>
#include <span>
#include <stop_token>
#include <string>

#include "base/show_line.h"
#include "checks/check.h"
#include "workflow/context.h"

namespace checks {

// Require runs a batch of checks, prints warnings as they come and errors together at its end.
// Throws base::Error(kInvalid) "preflight checks failed" when there are errors. `ignored` is
// RunOptions::ignored.
void Require(std::span<const Check> checks, const std::set<std::string>& ignored,
             workflow::Context& context);

// Display is the output of a command that has no phases: whole lines, without the last line end.
struct Display {
  base::ShowLine print;   // to stdout
  base::ShowLine remark;  // to stderr
  std::stop_token stop;
};
void Require(std::span<const Check> checks, const std::set<std::string>& ignored,
             const Display& display);

}  // namespace checks
