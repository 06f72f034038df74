// SPDX-License-Identifier: Apache-2.0
// The trace of an operation: a span for the operation, below it one for each node and step, and
// below that one those of kubeadm on the node.
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

// The settings of traces. If the environment is empty, Jobs send no spans.
struct TraceSettings {
  std::string seed = {};  // of the trace, for an operation without a UID
  // Variables that name the collector to kubeadm on the nodes: the endpoint, and no credentials.
  std::map<std::string, std::string> environment = {};
};

// Returns the settings for this environment. `seed` must be random.
TraceSettings TraceSettingsFrom(const host::Environment& environment, const std::string& seed);

// Returns the place of the operation, and that of a node and step, in a trace: in that of the
// operation's traceparent, or else in a new trace. They depend on the traceparent and on the UID or
// the seed alone: the successor of a killed driver continues the trace.
otlp::Context ContextOf(const ClusterOperation& operation, const TraceSettings& settings);
otlp::Context ContextOf(const otlp::Context& operation, std::string_view node,
                        std::string_view step);

// Returns the spans of an operation that has ended, from its object's status. Nodes that have not
// begun have none.
std::vector<otlp::Span> SpansOf(const json::Value& object, const ClusterOperation& operation,
                                const TraceSettings& settings);

}  // namespace fleet
