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

// Returns a function that prints lines immediately, with the command's prefix: "[readdress] …". The
// second and further lines of a text are indented. The invocation must outlive the function.
base::ShowLine SayAs(std::string_view command, cli::Invocation& invocation);

// Prints a question, reads a line, and returns whether the line is "y" or "yes". An interrupt ends
// the process immediately; nothing must be in progress when Confirm is called.
bool Confirm(cli::Streams& streams, host::Signals& signals, const std::string& question);

// Returns whether stdout contains events (--output json), among which a question would be
// unreadable.
bool PrintsEvents(const cli::Parsed& flags);

// Called by a command before it asks a question. Throws base::Error(kUsage) with --output json.
// `remedy` names the flags to add: "confirm with --yes".
void RequireQuestionsAllowed(const cli::Parsed& flags, std::string_view remedy);

// Asks for consent, unless --yes was given. Throws base::Error(kOther) for any answer but yes.
void RequireYes(cli::Invocation& invocation, host::Host& host);

// Returns Confirm as a function for the phases of a run. `invocation` and `machine` must outlive
// it.
std::function<bool(const std::string& question)> Asking(cli::Invocation& invocation,
                                                        host::Host& machine);

}  // namespace kubeadm
