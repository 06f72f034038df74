// SPDX-License-Identifier: Apache-2.0
// What every command that runs phases tells, and where to.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "host/host.h"
#include "workflow/plan.h"
#include "workflow/reporter.h"

namespace kubeadm {

// TimelineFlag is --timeline, of the whole command: told by its help's text, not by its table.
cli::Flag TimelineFlag();

// WithoutSkipped is all phases but those of --skip-phases, or of the configuration where the flag
// is not given.
workflow::Selection WithoutSkipped(const cli::Parsed& flags,
                                   const std::vector<std::string>& configured);

// ReportRun runs `body` and reports it as the flags ask: --output text or json (text where there is
// no such flag), and --timeline FILE, an SVG or a page of HTML. That file is written before `body`
// begins, when it shows that nothing has ended yet, and again when it has ended, well or not.
// Throws base::Error before `body` begins when it cannot be written, and what `body` throws.
void ReportRun(cli::Invocation& invocation, host::Host& machine,
               const std::function<void(workflow::Reporter& reporter)>& body);

}  // namespace kubeadm
