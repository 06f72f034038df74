// SPDX-License-Identifier: Apache-2.0
#include "otlp/collector.h"

#include <fmt/core.h>

#include <exception>

#include "base/build.h"
#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "http/client.h"
#include "http/escape.h"
#include "json/value.h"

namespace otlp {
namespace {

constexpr std::chrono::seconds kLimit{2};
constexpr std::string_view kPath = "/v1/traces";
constexpr std::size_t kLargestAnswer = 65'536;
constexpr int kFirstError = 300;

// Returns the value of the variable for traces, or else of the variable for all signals.
std::string ValueOf(const host::Environment& environment, std::string_view name) {
  const std::string own = environment.Get(fmt::format("OTEL_EXPORTER_OTLP_TRACES_{}", name));
  return own.empty() ? environment.Get(fmt::format("OTEL_EXPORTER_OTLP_{}", name)) : own;
}

// Reads "name=value,name=value"; values are percent-encoded.
std::vector<std::pair<std::string, std::string>> HeadersIn(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> headers;
  for (const std::string& entry : base::Split(text, ',')) {
    const std::size_t end = entry.find('=');
    if (end != std::string::npos) {
      headers.emplace_back(base::Trim(entry.substr(0, end)),
                           http::Unescape(base::Trim(entry.substr(end + 1))));
    }
  }
  return headers;
}

void Send(const Collector& collector, const std::string& body, const host::Files& files) {
  http::Tls tls;
  if (!collector.certificate_file.empty()) {
    tls.ca_pem = files.Read(collector.certificate_file);
  }
  http::Client client(tls);
  http::Request request{.method = "POST",
                        .url = collector.url,
                        .headers = collector.headers,
                        .body = body,
                        .timeout = kLimit,
                        .connect_timeout = kLimit,
                        .largest_body = kLargestAnswer};
  request.headers.emplace_back("Content-Type", "application/json");
  const http::Response response = client.Do(request);
  if (response.status >= kFirstError) {
    throw base::Error(base::Error::Kind::kOther,
                      fmt::format("the collector answers with status {}", response.status));
  }
}

}  // namespace

std::optional<Collector> FindCollector(const host::Environment& environment) {
  if (environment.Get("OTEL_SDK_DISABLED") == "true" ||
      environment.Get("OTEL_TRACES_EXPORTER") == "none") {
    return std::nullopt;
  }
  std::string url = environment.Get(kTracesEndpointVariable);
  if (url.empty()) {
    url = environment.Get(kEndpointVariable);
    if (url.empty()) {
      return std::nullopt;
    }
    url = fmt::format("{}{}", url.ends_with('/') ? url.substr(0, url.size() - 1) : url, kPath);
  }
  return Collector{.url = url,
                   .headers = HeadersIn(ValueOf(environment, "HEADERS")),
                   .certificate_file = ValueOf(environment, "CERTIFICATE")};
}

void Export(const std::vector<Span>& spans, std::string_view program,
            const host::Host& host) noexcept {
  try {
    const auto collector = FindCollector(host.environment);
    if (!spans.empty() && collector) {
      const Service service{.name = std::string(program),
                            .version = std::string(base::kSlipwayVersion),
                            .host = host.machine.Hostname()};
      Send(*collector, json::Compact(ToRequest(spans, service)), host.files);
    }
  } catch (const std::exception& error) {
    base::LogWarning("traces: {} spans are lost: {}", spans.size(), error.what());
  }
}

}  // namespace otlp
