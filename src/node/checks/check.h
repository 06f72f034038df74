// SPDX-License-Identifier: Apache-2.0
// Check: a rule and the occasions on which it is checked. Preflight, doctor and upgrade paths
// select their checks from lists of this kind (docs/adr/0009-checks.md; reference: preflight.md
// §1).
#pragma once

#include <functional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "checks/finding.h"

namespace checks {

// The occasions on which checks run: a set of bits.
enum When : unsigned {
  kBeforeInit = 1U << 0U,
  kBeforeJoin = 1U << 1U,
  kBeforeControlPlaneJoin = 1U << 2U,  // once the cluster's configuration is known
  kBeforeUpgrade = 1U << 3U,           // before one hop
  kBeforePath = 1U << 4U,              // before the first hop of an upgrade path
  kOnNode = 1U << 5U,                  // doctor
  kOnMachine = 1U << 6U,               // doctor, on a machine that is not a node yet
};

// One rule. `judge` checks facts that it collects itself, or that its caller has collected. It
// returns an empty list if it found no defect. It may be called from another thread.
struct Check {
  std::string id;      // "Swap": for its findings and for --ignore-preflight-errors
  unsigned when = 0;   // bits of When
  std::string remedy;  // for findings that have no remedy
  std::function<Findings(std::stop_token stop)> judge;
};

// Returns the checks of an occasion, in their order.
std::vector<Check> Select(std::vector<Check> checks, When when);

// Options of RunChecks.
struct RunOptions {
  // Ids of checks whose errors are warnings; lower case, or "all" (config::IgnoredPreflightErrors).
  std::set<std::string> ignored;
  // Receives the findings of each check, in the order of the checks, as soon as they are known.
  std::function<void(const Findings& of_one_check)> on_check;
  std::stop_token stop;
  unsigned threads = 8;
};

// Runs all checks, several concurrently. Returns the findings in the order of the checks; within
// one check, warnings come before errors. An exception of a check becomes an error finding. Only an
// exception that is not a std::exception, such as base::Interrupted, is rethrown. Throws
// base::Interrupted if a stop request kept a check from running.
Findings RunChecks(std::span<const Check> checks, const RunOptions& options = {});

// Runs checks of collected facts one after the other. Rethrows their exceptions.
Findings Judge(std::span<const Check> checks);

// Returns whether the user ignores the check. `ignored` is RunOptions::ignored.
bool IsIgnored(std::string_view id, const std::set<std::string>& ignored);

}  // namespace checks
