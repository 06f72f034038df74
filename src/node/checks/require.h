// SPDX-License-Identifier: Apache-2.0
// Runs checks, prints their findings, and ends the command after an error.
#pragma once

#include <set>
#include <span>
#include <stop_token>
#include <string>

#include "base/show_line.h"
#include "checks/check.h"
#include "workflow/context.h"

namespace checks {

// Runs a batch of checks. Prints each warning immediately, and all errors together after the last
// check. Throws base::Error(kInvalid) "preflight checks failed" if any check reported an error.
// `ignored` is RunOptions::ignored.
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

}  // namespace checks
