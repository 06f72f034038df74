// SPDX-License-Identifier: Apache-2.0
// A client for a collector of traces: OTLP over HTTP, in JSON. Debian's opentelemetry-cpp has
// shared libraries only, and needs grpc++ and the full protobuf, so a static program cannot use it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/environment.h"
#include "host/host.h"
#include "otlp/span.h"

namespace otlp {

inline constexpr std::string_view kTraceparentVariable = "TRACEPARENT";
inline constexpr std::string_view kEndpointVariable = "OTEL_EXPORTER_OTLP_ENDPOINT";
inline constexpr std::string_view kTracesEndpointVariable = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";

// The address of a collector.
struct Collector {
  std::string url;  // of the POST requests
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string certificate_file = {};  // PEM, the only trusted CAs; "": the system's
};

// Returns the collector that the environment names. Reads OTEL_EXPORTER_OTLP_ENDPOINT,
// OTEL_EXPORTER_OTLP_HEADERS, OTEL_EXPORTER_OTLP_CERTIFICATE, and their variants with TRACES.
// Returns std::nullopt without an endpoint, and with OTEL_SDK_DISABLED=true or
// OTEL_TRACES_EXPORTER=none. Source: opentelemetry.io/docs/specs/otel/protocol/exporter.
std::optional<Collector> FindCollector(const host::Environment& environment);

// Sends the spans of a program, such as "kubeadm", to the collector that the host's environment
// names. Takes at most two seconds. A failure becomes a warning in the log: a collector never
// decides the result of a run. Does nothing without spans or without a collector.
void Export(const std::vector<Span>& spans, std::string_view program,
            const host::Host& host) noexcept;

}  // namespace otlp
