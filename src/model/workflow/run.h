// SPDX-License-Identifier: Apache-2.0
// Executes a plan. Phases run concurrently as far as their needs allow.
#pragma once

#include <stop_token>

#include "workflow/journal.h"
#include "workflow/phase.h"
#include "workflow/plan.h"
#include "workflow/reporter.h"

namespace workflow {

// With one thread, the phases run one after the other in the list's order, on the caller's thread.
struct RunOptions {
  Reporter& reporter;
  const host::Clock& clock;    // must outlive the run
  Journal* journal = nullptr;  // null: nothing is recorded
  unsigned threads = 4;
  std::stop_token stop;  // the user's interrupt
};

// Runs the plan, and returns when no phase runs any more. The first failure stops the other phases:
// running phases get a stop request, and waiting phases never start. Throws the failure of the
// first failed phase in the list as "error execution phase <path>: <cause>". Ignores phases that
// ended with base::Interrupted because another phase failed. Throws base::Interrupted if `stop`
// kept phases from running.
void RunPhases(const Plan& plan, AnyData data, const RunOptions& options);

// Runs the phases with `data`, whose type is known here. Throws std::logic_error if the plan's
// phases use another type.
template <typename Data>
void RunPhases(const Plan& plan, Data& data, const RunOptions& options) {
  RunPhases(plan, AnyData{.pointer = &data, .type = &typeid(Data)}, options);
}

}  // namespace workflow
