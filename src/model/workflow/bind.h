// SPDX-License-Identifier: Apache-2.0
// Binding phases to the command line: `init phase …`, and the list of phases in `init --help`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "workflow/phase.h"

namespace workflow {

// PhaseCommands says how the phases of one command become commands.
struct PhaseCommands {
  std::function<std::vector<AnyPhase>()> phases;  // called only when somebody asks for them
  // All flags that any phase names. A phase's command offers those it names; of the others a run
  // sees the default.
  std::function<std::vector<cli::Flag>()> flags;
  std::vector<std::string> flags_of_changes;  // of them, offered by all phases that change the node
  int max_args = 0;                           // of a phase's command that has no rule of its own
  // Runs one phase with all below it; `path` is for Selection::only.
  std::function<void(cli::Invocation& invocation, const std::string& path)> run;
};

// BindPhases gives `command` the sub-command `phase`, with a command for every phase that is not
// hidden and `all` for the groups that have it, and adds the list of phases to its help.
void BindPhases(cli::Command& command, const PhaseCommands& binding);

// PhaseTree is that list: a line for each phase, its children indented with a slash.
std::string PhaseTree(const std::vector<AnyPhase>& phases);

}  // namespace workflow
