// The terminal that a command talks to, and its interrupts.
#pragma once

#include <iosfwd>
#include <stop_token>
#include <string>

#include "cli/command.h"
#include "host/host.h"
#include "workflow/reporter.h"

namespace kubeadm {

// ClocksOf are a host's, for reports.
workflow::Clocks ClocksOf(host::Host& host);

// ShowAs is for `--output text` or `json`. Throws base::Error(kUsage) for other formats. `out` must
// outlive the listener.
workflow::Listener ShowAs(const std::string& format, std::ostream& out, workflow::Clocks clocks);

// InterruptToken is asked to stop by the first SIGINT or SIGTERM from now on; the second ends the
// process as ever.
std::stop_token InterruptToken();

// Confirm shows a question and reads a line; "y" and "yes" are a yes. An interrupt ends the
// process: nothing is under way that it would have to wait for.
bool Confirm(cli::Streams& streams, const std::string& question);

}  // namespace kubeadm
