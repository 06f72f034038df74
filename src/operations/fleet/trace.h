// SPDX-License-Identifier: Apache-2.0
// The trace of an operation. It has a span for the operation, with a child for each node and step.
// The spans of kubeadm on the node are children of the node's span.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/cluster_operation.h"
#include "host/environment.h"
#include "json/fwd.h"
#include "otlp/span.h"

namespace fleet {

// The settings of traces. Without `environment`, Jobs send no spans.
struct TraceSettings {
  std::string seed = {};  // of the trace, for an operation without a UID
  // Variables that tell kubeadm on the nodes the endpoint of the collector, but no credentials.
  std::map<std::string, std::string> environment = {};
};

// Returns the settings for this environment. `seed` must be random.
TraceSettings TraceSettingsFrom(const host::Environment& environment, const std::string& seed);

// Returns the trace context of the operation, or of a node and step. It continues the trace in the
// operation's traceparent; without a traceparent, it begins a new trace. The result depends only on
// the traceparent, and on the UID or the seed. Therefore the successor of a killed driver continues
// the trace.
otlp::Context ContextOf(const ClusterOperation& operation, const TraceSettings& settings);
otlp::Context ContextOf(const otlp::Context& operation, std::string_view node,
                        std::string_view step);

// Returns the spans of an operation that has ended, from its object's status. Nodes that have not
// begun have no span.
std::vector<otlp::Span> SpansOf(const json::Value& object, const ClusterOperation& operation,
                                const TraceSettings& settings);

}  // namespace fleet
