// SPDX-License-Identifier: Apache-2.0
// Binding phases to the command line: `init phase …`, and the list of phases in `init --help`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "workflow/phase.h"

namespace workflow {

// The binding of one command's phases to commands.
struct PhaseCommands {
  std::function<std::vector<AnyPhase>()> phases;  // called only when needed
  // All flags that any phase names. A phase's command has only the flags that the phase names; the
  // others have their default in its run.
  std::function<std::vector<cli::Flag>()> flags;
  std::vector<std::string> flags_of_changes;  // flags of all phases that change the node
  int max_args = 0;                           // of a phase's command without a rule of its own
  // Runs one phase with all its children; `path` is for Selection::only.
  std::function<void(cli::Invocation& invocation, const std::string& path)> run;
};

// Adds the sub-command `phase` to `command`, with a command for every phase that is not hidden.
// Groups that have `all` get this command, too. Adds the list of phases to the help of `command`.
void BindPhases(cli::Command& command, const PhaseCommands& binding);

// Returns the list of phases in the help: a line for each phase, its children indented with a
// slash.
std::string PhaseTree(const std::vector<AnyPhase>& phases);

}  // namespace workflow
