// SPDX-License-Identifier: Apache-2.0
// The reports of every command that runs phases.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "host/host.h"
#include "kubeadm/printed.h"
#include "workflow/plan.h"
#include "workflow/reporter.h"

namespace kubeadm {

// Returns the flag --timeline of a whole command. It is documented in the command's help text, and
// not in its table of flags.
cli::Flag TimelineFlag();

// Returns all phases except those of --skip-phases. Without that flag, leaves out the phases that
// the configuration skips.
workflow::Selection WithoutSkipped(const cli::Parsed& flags,
                                   const std::vector<std::string>& configured);

// Runs `body` and reports it as the flags require: --output text or json (by default text), and
// --timeline FILE, which is an SVG or an HTML page. The timeline is written before `body` begins,
// as unfinished, and again when `body` has returned or thrown. If the first write fails, throws the
// error of host::Files and does not run `body`. Throws the errors of `body`.
void ReportRun(cli::Invocation& invocation, host::Host& machine,
               const std::function<void(workflow::Reporter& reporter)>& body);

// Like ReportRun, for a command whose --output formats its result (printed.h). Programs read this
// result, so no event may be printed among its objects: the lines of the run appear only with
// --output text. --timeline records all events.
void ReportRunTo(const Output& output, cli::Invocation& invocation, host::Host& machine,
                 const std::function<void(workflow::Reporter& reporter)>& body);

}  // namespace kubeadm
