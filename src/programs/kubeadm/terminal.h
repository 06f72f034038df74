// SPDX-License-Identifier: Apache-2.0
// The terminal that a command talks to.
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

// ShowAs is for `--output text` or `json`. Throws base::Error(kUsage) for other formats. `out`
// and the clock must outlive the listener.
workflow::Listener ShowAs(const std::string& format, std::ostream& out, host::Clock& clock);

// SayAs shows lines as the command's, at once: "[readdress] …"; further lines of a text are
// indented. The invocation outlives it.
base::ShowLine SayAs(std::string_view command, cli::Invocation& invocation);

// Confirm shows a question and reads a line; "y" and "yes" are a yes. An interrupt ends the
// process: nothing is under way that it would have to wait for.
bool Confirm(cli::Streams& streams, host::Signals& signals, const std::string& question);

// RequireYes asks whether to go on, but not who gave --yes. Throws base::Error unless the answer is
// a yes.
void RequireYes(cli::Invocation& invocation, host::Host& host);

// Asking is Confirm as the phases of a run ask, of which `invocation` and `machine` outlive it.
std::function<bool(const std::string& question)> Asking(cli::Invocation& invocation,
                                                        host::Host& machine);

}  // namespace kubeadm
