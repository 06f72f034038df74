// SPDX-License-Identifier: Apache-2.0
// Spans of OpenTelemetry's traces (opentelemetry.io/docs/specs/otel/trace/api).
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/fwd.h"

namespace otlp {

// The place of a span in a trace. Both ids are lower-case hex digits, and not only zeros.
struct Context {
  std::string trace_id;  // 32 digits
  std::string span_id;   // 16 digits
};

// Reads the header or variable `traceparent` (w3.org/TR/trace-context). Returns std::nullopt if it
// is malformed, as the recommendation requires.
std::optional<Context> ParseTraceparent(std::string_view text);

// Returns the value of `traceparent` for a child of the span.
std::string ToTraceparent(const Context& context);

// Returns the id of a trace that is derived from a seed: each process with the same seed gets the
// same id.
std::string TraceIdOf(std::string_view seed);
// Returns the id of a span that is derived from its name. The name must be unique in the trace.
std::string SpanIdOf(std::string_view trace_id, std::string_view name);

// A piece of work that has ended. A collector is often run by a third party: names and attributes
// must not have values that a user has passed, such as tokens.
struct Span {
  Context context;
  std::string parent_id;  // span id; "": the trace begins here
  std::string name;
  std::chrono::system_clock::time_point begin;
  std::chrono::system_clock::time_point end;
  std::map<std::string, std::string> attributes = {};
  // Does not include the reason, because the reason may quote a secret argument.
  bool failed = false;
};

// The program that reports spans: attributes service.name, service.version and host.name.
struct Service {
  std::string name;
  std::string version;
  std::string host;
};

// Returns the message ExportTraceServiceRequest as OTLP/JSON
// (opentelemetry.io/docs/specs/otlp, "JSON Protobuf encoding").
json::Value ToRequest(const std::vector<Span>& spans, const Service& service);

}  // namespace otlp
