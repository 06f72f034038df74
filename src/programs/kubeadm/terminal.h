// SPDX-License-Identifier: Apache-2.0
// The terminal of a command.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

#include "base/show_line.h"
#include "cli/command.h"
#include "host/clock.h"
#include "host/host.h"
#include "host/signals.h"
#include "workflow/reporter.h"

namespace kubeadm {

// Returns the listener for `--output text` or `json`. Throws base::Error(kUsage) for other formats.
// `out` and the clock must outlive the listener.
workflow::Listener ShowAs(const std::string& format, std::ostream& out, host::Clock& clock);

// Prints lines with the command's prefix, at once: "[readdress] …"; further lines of a text are
// indented. The invocation must outlive it.
base::ShowLine SayAs(std::string_view command, cli::Invocation& invocation);

// Prints a question and reads a line; "y" and "yes" are a yes. An interrupt ends the process: no
// action is in progress that it would have to wait for.
bool Confirm(cli::Streams& streams, host::Signals& signals, const std::string& question);

// Returns whether stdout is for events (--output json), which a question would make unreadable.
bool PrintsEvents(const cli::Parsed& flags);

// For a command that is going to ask. Throws base::Error(kUsage) with --output json; `remedy` names
// the flags to add: "confirm with --yes".
void RequireQuestionsAllowed(const cli::Parsed& flags, std::string_view remedy);

// Asks for consent, unless --yes was given. Throws base::Error(kOther) for any answer but yes.
void RequireYes(cli::Invocation& invocation, host::Host& host);

// Confirm for the phases of a run, which `invocation` and `machine` must outlive.
std::function<bool(const std::string& question)> Asking(cli::Invocation& invocation,
                                                        host::Host& machine);

}  // namespace kubeadm
