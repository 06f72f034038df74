// SPDX-License-Identifier: Apache-2.0
// Traces of commands, for a collector that the environment names (docs/fleet.md).
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "cli/command.h"
#include "host/host.h"
#include "otlp/span.h"
#include "workflow/reporter.h"

namespace kubeadm {

// Returns a receiver of a run's events that sends a span for the run, and one for each phase, when
// the run ends. Returns std::nullopt without a collector.
std::optional<workflow::Listener> TraceListener(host::Host& host);

// Runs the body of a command. If the environment has a collector and TRACEPARENT, sends a span for
// the command. Sends none for a command that TraceListener reports. Propagates the exceptions of
// `body`.
void TraceCommand(const cli::Invocation& invocation, host::Host& host,
                  const std::function<void()>& body);

// Sends spans of this program, if the environment names a collector.
void ExportSpans(const std::vector<otlp::Span>& spans, host::Host& host);

}  // namespace kubeadm
