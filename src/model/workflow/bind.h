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
  // The flags of all phases. A phase's command offers only the flags that the phase names. The
  // other flags have their default in that command.
  std::function<std::vector<cli::Flag>()> flags;
  std::vector<std::string> flags_of_changes;  // flags of every phase that changes the node
  int max_args = 0;  // limit of a phase's command, unless the phase sets another one
  // Runs one phase with all its children; `path` is for Selection::only.
  std::function<void(cli::Invocation& invocation, const std::string& path)> run;
};

// Adds the sub-command `phase` to `command`, with a command for every phase that is not hidden. A
// group with `all` also gets the command `all`. Adds the list of phases to the help of `command`.
void BindPhases(cli::Command& command, const PhaseCommands& binding);

// Returns the list of phases for the help: one line per phase. Children of a phase are indented and
// begin with a slash.
std::string PhaseTree(const std::vector<AnyPhase>& phases);

}  // namespace workflow
