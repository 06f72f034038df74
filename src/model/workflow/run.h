// SPDX-License-Identifier: Apache-2.0
// Run: carries out a plan, phases side by side as far as their needs allow.
#pragma once

#include <stop_token>

#include "workflow/journal.h"
#include "workflow/phase.h"
#include "workflow/plan.h"
#include "workflow/reporter.h"

namespace workflow {

// RunOptions: one thread runs the phases strictly one after the other, in the list's order, on the
// caller's thread.
struct RunOptions {
  Reporter& reporter;
  const host::Clock& clock;    // outlives the run
  Journal* journal = nullptr;  // none: nothing is recorded
  unsigned threads = 4;
  std::stop_token stop;  // the user's interrupt
};

// RunPhases returns when no phase runs any more. The first failure stops the others: those that run
// are asked to, those that do not never start. Throws the failure of the phase that stands first in
// the list as "error execution phase <path>: <cause>"; phases that ended with kCancelled because of
// another's failure do not count. Throws Error(kCancelled) when `stop` kept phases from running.
void RunPhases(const Plan& plan, AnyData data, const RunOptions& options);

// RunPhases throws std::logic_error when the plan was made of phases for another type.
template <typename Data>
void RunPhases(const Plan& plan, Data& data, const RunOptions& options) {
  RunPhases(plan, AnyData{.pointer = &data, .type = &typeid(Data)}, options);
}

}  // namespace workflow
