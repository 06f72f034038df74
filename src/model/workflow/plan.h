// SPDX-License-Identifier: Apache-2.0
// Plan: the phases that run, and the waits between them.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <typeinfo>
#include <vector>

#include "workflow/phase.h"

namespace workflow {

// Selects by path: "certs" or "certs/ca".
struct Selection {
  std::string only;               // this phase with its children; "": every phase
  std::vector<std::string> skip;  // each with its children; takes precedence over `only`
  bool comes_up = true;           // false for a dry run, which ignores Phase::awaits
};

// A selected phase that has something to run.
struct Step {
  std::string path;
  // The name in messages and for --skip-phases: that of its group if the group looks like one
  // phase. If empty, errors do not name the step.
  std::string name;
  std::vector<std::size_t> waits_for;  // indexes of earlier steps
  // The conditions of the step and of its groups, which must all be true.
  std::vector<std::function<bool(const AnyData&)>> when;
  std::function<void(AnyData&, Context&)> run;
};

// The steps in the order of the phase list, a group before its children. One exception: a step that
// awaits an artifact of a later step follows that later step.
struct Plan {
  std::vector<Step> steps;
  std::vector<std::string> skipped;  // paths left out by Selection::skip, in the same order
  const std::type_info* data_type = nullptr;
};

// Plans the selected phases. Throws base::Error(kUsage): "invalid phase name: x" for an unknown
// name, or "unresolved dependencies: …". The `all` of a group also counts as a name. Hidden parts
// of a phase have no name.
Plan MakePlan(const std::vector<AnyPhase>& phases, const Selection& selection);

template <typename Data>
Plan MakePlan(const std::vector<Phase<Data>>& phases, const Selection& selection) {
  Plan plan = MakePlan(Erase(phases), selection);
  plan.data_type = &typeid(Data);
  return plan;
}

// Lists mistakes in a list of phases, for its test. Mistakes are a duplicate name or alias, a need
// that no earlier phase makes, an unknown dependency, and a phase without an action. An awaited
// artifact that no phase makes, or that a group awaits, is also a mistake.
std::vector<std::string> Flaws(const std::vector<AnyPhase>& phases);

}  // namespace workflow
