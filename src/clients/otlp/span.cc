// SPDX-License-Identifier: Apache-2.0
#include "otlp/span.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/strings.h"
#include "json/value.h"
#include "pki/crypto.h"

namespace otlp {
namespace {

constexpr std::size_t kTraceDigits = 32;
constexpr std::size_t kSpanDigits = 16;
constexpr std::size_t kVersionDigits = 2;
constexpr std::string_view kUnknownVersion = "ff";
constexpr int kInternal = 1;  // SpanKind
constexpr int kOk = 1;        // StatusCode
constexpr int kError = 2;

bool IsHex(std::string_view text, std::size_t digits) {
  return text.size() == digits && std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

bool IsId(std::string_view text, std::size_t digits) {
  return IsHex(text, digits) && text.find_first_not_of('0') != std::string_view::npos;
}

std::string IdOf(std::string_view seed, std::size_t digits) {
  return base::HexEncode(pki::Sha256(seed)).substr(0, digits);
}

json::Value Attribute(std::string_view name, const std::string& value) {
  return {{"key", name}, {"value", {{"stringValue", json::WithValidUtf8(value)}}}};
}

std::string Nanoseconds(std::chrono::system_clock::time_point time) {
  return std::to_string(
      std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count());
}

json::Value ToJson(const Span& span) {
  json::Value attributes = json::Value::array();
  for (const auto& [name, value] : span.attributes) {
    attributes.push_back(Attribute(name, value));
  }
  json::Value object = {{"traceId", span.context.trace_id},
                        {"spanId", span.context.span_id},
                        {"name", span.name},
                        {"kind", kInternal},
                        {"startTimeUnixNano", Nanoseconds(span.begin)},
                        {"endTimeUnixNano", Nanoseconds(std::max(span.begin, span.end))},
                        {"attributes", std::move(attributes)},
                        {"status", {{"code", span.failed ? kError : kOk}}}};
  if (!span.parent_id.empty()) {
    object["parentSpanId"] = span.parent_id;
  }
  return object;
}

}  // namespace

std::optional<Context> ParseTraceparent(std::string_view text) {
  const std::vector<std::string> parts = base::Split(text, '-');
  if (parts.size() < 4 || !IsHex(parts[0], kVersionDigits) || parts[0] == kUnknownVersion ||
      (parts[0] == "00" && parts.size() != 4) || !IsId(parts[1], kTraceDigits) ||
      !IsId(parts[2], kSpanDigits) || !IsHex(parts[3], kVersionDigits)) {
    return std::nullopt;
  }
  return Context{.trace_id = parts[1], .span_id = parts[2]};
}

std::string ToTraceparent(const Context& context) {
  return fmt::format("00-{}-{}-01", context.trace_id, context.span_id);
}

std::string TraceIdOf(std::string_view seed) { return IdOf(seed, kTraceDigits); }

std::string SpanIdOf(std::string_view trace_id, std::string_view name) {
  return IdOf(fmt::format("{}\n{}", trace_id, name), kSpanDigits);
}

json::Value ToRequest(const std::vector<Span>& spans, const Service& service) {
  json::Value list = json::Value::array();
  for (const Span& span : spans) {
    list.push_back(ToJson(span));
  }
  const json::Value resource = {
      {"attributes", json::Value::array({Attribute("service.name", service.name),
                                         Attribute("service.version", service.version),
                                         Attribute("host.name", service.host)})}};
  const json::Value scope = {{"scope", {{"name", "slipway"}, {"version", service.version}}},
                             {"spans", std::move(list)}};
  return {{"resourceSpans", json::Value::array({{{"resource", resource},
                                                 {"scopeSpans", json::Value::array({scope})}}})}};
}

}  // namespace otlp
