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

// --timeline, of the whole command: documented by its help's text, not by its table.
cli::Flag TimelineFlag();

// Returns all phases except those of --skip-phases, or of the configuration without that flag.
workflow::Selection WithoutSkipped(const cli::Parsed& flags,
                                   const std::vector<std::string>& configured);

// Runs `body` and reports it as the flags require: --output text or json (by default text), and
// --timeline FILE, which is an SVG or an HTML page. The timeline is written before `body` begins,
// as unfinished, and again when `body` has returned or thrown. If the first write fails, throws
// base::Error with the system error's kind, and does not run `body`. Throws the errors of `body`.
void ReportRun(cli::Invocation& invocation, host::Host& machine,
               const std::function<void(workflow::Reporter& reporter)>& body);

// Does the same for a command whose --output formats its result (printed.h). The result is an
// interface, so that no event is printed among its objects: the lines of the run appear with
// --output text only. --timeline records all events.
void ReportRunTo(const Output& output, cli::Invocation& invocation, host::Host& machine,
                 const std::function<void(workflow::Reporter& reporter)>& body);

}  // namespace kubeadm
