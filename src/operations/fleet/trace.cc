// SPDX-License-Identifier: Apache-2.0
#include "fleet/trace.h"

#include <fmt/core.h>

#include "fleet/progress.h"
#include "fleet/status.h"
#include "json/rfc3339.h"
#include "json/value.h"
#include "otlp/collector.h"

namespace fleet {
namespace {

// Sets the times of the span from an object, or from a row of its status. A part that has not ended
// ends with `limit`. Returns false if the part has not begun.
bool SetTimes(const json::Value& part, std::chrono::system_clock::time_point limit,
              otlp::Span& span) {
  const auto begin = json::ParseRfc3339(json::TextAt(part, {"startTime"}));
  const auto end = json::ParseRfc3339(json::TextAt(part, {"completionTime"}));
  if (begin) {
    span.begin = *begin;
    span.end = end ? *end : limit;
  }
  return begin.has_value();
}

}  // namespace

TraceSettings TraceSettingsFrom(const host::Environment& environment, const std::string& seed) {
  TraceSettings settings{.seed = seed};
  if (!otlp::FindCollector(environment)) {
    return settings;
  }
  for (const std::string_view name : {otlp::kEndpointVariable, otlp::kTracesEndpointVariable}) {
    if (const std::string value = environment.Get(name); !value.empty()) {
      settings.environment[std::string(name)] = value;
    }
  }
  return settings;
}

otlp::Context ContextOf(const ClusterOperation& operation, const TraceSettings& settings) {
  const auto parent = otlp::ParseTraceparent(operation.traceparent);
  const std::string& seed = operation.uid.empty() ? settings.seed : operation.uid;
  const std::string trace = parent ? parent->trace_id : otlp::TraceIdOf("operation\n" + seed);
  return {.trace_id = trace, .span_id = otlp::SpanIdOf(trace, "operation\n" + seed)};
}

otlp::Context ContextOf(const otlp::Context& operation, std::string_view node,
                        std::string_view step) {
  return {.trace_id = operation.trace_id,
          .span_id = otlp::SpanIdOf(operation.trace_id,
                                    fmt::format("{}\n{}\n{}", operation.span_id, node, step))};
}

std::vector<otlp::Span> SpansOf(const json::Value& object, const ClusterOperation& operation,
                                const TraceSettings& settings) {
  const json::Value& status = json::At(object, {"status"});
  const auto parent = otlp::ParseTraceparent(operation.traceparent);
  const otlp::Context context = ContextOf(operation, settings);
  otlp::Span root{.context = context,
                  .parent_id = parent ? parent->span_id : "",
                  .name = std::string(operation.Action()),
                  .attributes = {{"slipway.operation", operation.name}},
                  .failed = json::TextAt(status, {"phase"}) == ToString(Phase::kFailed)};
  if (!SetTimes(status, {}, root)) {
    return {};
  }
  std::vector<otlp::Span> spans = {root};
  for (const json::Value& row : json::At(status, {"nodes"})) {
    const std::string node = json::TextAt(row, {"name"});
    const std::string step = json::TextAt(row, {"step"});
    otlp::Span span{.context = ContextOf(context, node, step),
                    .parent_id = context.span_id,
                    .name = step.empty() ? node : fmt::format("{} ({})", node, step),
                    .attributes = {{"k8s.node.name", node}},
                    .failed = json::TextAt(row, {"stage"}) == ToString(Stage::kFailed)};
    if (SetTimes(row, root.end, span)) {
      spans.push_back(std::move(span));
    }
  }
  return spans;
}

}  // namespace fleet
