// SPDX-License-Identifier: Apache-2.0
// Plan: which phases run, and which of them wait for which.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <typeinfo>
#include <vector>

#include "workflow/phase.h"

namespace workflow {

// Selection chooses by path: "certs" or "certs/ca".
struct Selection {
  std::string only;               // this phase with all below it; "": every phase
  std::vector<std::string> skip;  // each with all below it; wins over `only`
  bool comes_up = true;           // false: a dry run, in which there is nothing to await
};

// Step is a selected phase that has something to run.
struct Step {
  std::string path;
  std::string name;  // for people and --skip-phases: its group's where that is one to its user
  std::vector<std::size_t> waits_for;                     // indexes of earlier steps
  std::vector<std::function<bool(const AnyData&)>> when;  // its own and its groups'; all must hold
  std::function<void(AnyData&, Context&)> run;
};

// Plan is the steps in the list's order, a group before its children, but for those that await what
// a later one makes: they come behind it.
struct Plan {
  std::vector<Step> steps;
  std::vector<std::string> skipped;  // paths left out by Selection::skip, in the same order
  const std::type_info* data_type = nullptr;
};

// MakePlan throws base::Error(kUsage): "invalid phase name: x" for a name that no phase has (the
// `all` of a group is a name, too; the parts of a phase that is one have none), or "unresolved
// dependencies: …".
Plan MakePlan(const std::vector<AnyPhase>& phases, const Selection& selection);

template <typename Data>
Plan MakePlan(const std::vector<Phase<Data>>& phases, const Selection& selection) {
  Plan plan = MakePlan(Erase(phases), selection);
  plan.data_type = &typeid(Data);
  return plan;
}

// Flaws lists mistakes in a list of phases: a name or alias given twice, a need that no earlier
// phase makes, something awaited that none makes or by a group, an unknown dependency, a phase that
// does nothing. For a test of each list.
std::vector<std::string> Flaws(const std::vector<AnyPhase>& phases);

}  // namespace workflow
