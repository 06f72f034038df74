// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/trace.h"

#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "otlp/collector.h"
#include "workflow/timeline/run.h"

namespace kubeadm {
namespace {

constexpr std::size_t kSpanBytes = 8;
constexpr std::size_t kSeedBytes = 16;

// Returns the parent span of this process, from TRACEPARENT.
std::optional<otlp::Context> ParentIn(const host::Host& host) {
  return otlp::ParseTraceparent(host.environment.Get(otlp::kTraceparentVariable));
}

// Returns a new span as a child of TRACEPARENT. Without TRACEPARENT, the span begins a new trace.
otlp::Span NewSpan(host::Host& host, std::string name) {
  const auto parent = ParentIn(host);
  return {.context = {.trace_id = parent ? parent->trace_id
                                         : otlp::TraceIdOf(host.random.Bytes(kSeedBytes)),
                      .span_id = base::HexEncode(host.random.Bytes(kSpanBytes))},
          .parent_id = parent ? parent->span_id : "",
          .name = std::move(name)};
}

std::vector<otlp::Span> SpansOf(const std::vector<workflow::Event>& events, otlp::Span root) {
  const timeline::RunRecord run = timeline::ReadRun(events);
  root.name = "kubeadm " + run.command;
  root.begin = events.front().time;
  root.end = root.begin + run.length;
  root.failed = run.error.has_value();
  std::vector<otlp::Span> spans = {root};
  for (const timeline::Bar& bar : run.bars) {
    const std::string name = root.context.span_id + "\n" + bar.phase;
    spans.push_back({.context = {.trace_id = root.context.trace_id,
                                 .span_id = otlp::SpanIdOf(root.context.trace_id, name)},
                     .parent_id = root.context.span_id,
                     .name = bar.phase,
                     .begin = root.begin + bar.begin,
                     .end = root.begin + bar.end,
                     .failed = !bar.error.empty()});
  }
  return spans;
}

}  // namespace

std::optional<workflow::Listener> TraceListener(host::Host& host) {
  if (!otlp::FindCollector(host.environment)) {
    return std::nullopt;
  }
  return [&host,
          events = std::make_shared<std::vector<workflow::Event>>()](const workflow::Event& event) {
    events->push_back(event);
    if (std::holds_alternative<workflow::event::RunFinished>(event.what)) {
      ExportSpans(SpansOf(*events, NewSpan(host, "")), host);
    }
  };
}

void TraceCommand(const cli::Invocation& invocation, host::Host& host,
                  const std::function<void()>& body) {
  if (invocation.flags.Offers("timeline") || !ParentIn(host) ||
      !otlp::FindCollector(host.environment)) {
    body();
    return;
  }
  otlp::Span span = NewSpan(host, invocation.path);
  span.begin = host.clock.Now();
  const auto end = [&](bool failed) {
    span.end = host.clock.Now();
    span.failed = failed;
    ExportSpans({span}, host);
  };
  try {
    body();
  } catch (const std::exception&) {
    end(true);
    throw;
  }
  end(false);
}

void ExportSpans(const std::vector<otlp::Span>& spans, host::Host& host) {
  otlp::Export(spans, "kubeadm", host);
}

}  // namespace kubeadm
