// SPDX-License-Identifier: Apache-2.0
// Commands for operations on trial (engine/trial.h): their common code.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/show_line.h"
#include "cli/command.h"
#include "engine/trial.h"
#include "host/host.h"
#include "kubeadm/operation_command.h"

namespace kubeadm {

// A group of commands with trials, such as `config`. timer.command is the name of the group.
// texts/GROUP-confirm.md, -undo.md and -keep.md contain the texts of the commands `confirm`, `undo`
// and `keep`.
struct TrialVerb {
  const engine::RollbackTimer& timer;
  std::string_view tag;  // before each line
  // Plans the rollback of the last operation, whose journal exists.
  std::function<PlannedRun(cli::Invocation& invocation, host::Host& host,
                           const base::ShowLine& say)>
      rollback;
  std::string undo_summary;
  // The flags of `undo` and `keep` that control the collection of facts.
  std::vector<cli::Flag> facts_flags = {};
};

// Returns the flag that puts an operation on trial. Setting a negative time throws
// base::Error(kUsage).
cli::Flag TryFlag(const engine::RollbackTimer& timer);

// Returns the length of the trial that the flag sets; 0 s without the flag.
std::chrono::seconds TrialBy(const cli::Parsed& flags);

// Returns the last line of a run with these flags.
std::string EndOfRun(const engine::RollbackTimer& timer, const cli::Parsed& flags);

// Returns the command `confirm`, which ends the trial and keeps the change. It throws the errors of
// engine::Confirm.
cli::Command ConfirmCommand(const TrialVerb& verb, host::Host& host);

// Returns the command `undo`, which rolls the last operation back. The command throws
// base::Error(kNotFound) if no operation can be rolled back, unless the timer has just rolled the
// last operation back.
cli::Command UndoCommand(const TrialVerb& verb, host::Host& host);

// Returns the hidden command `keep`, which is the timer's process. Its flag --change names an
// operation by its id. It waits until the trial ends, and rolls the operation back unless the
// operation is confirmed. It retries at least every minute. It returns when the rollback is
// complete or not needed, or after an interrupt. It rolls an interrupted operation back as soon as
// no process holds the node's lock.
cli::Command KeepCommand(const TrialVerb& verb, host::Host& host);

}  // namespace kubeadm
