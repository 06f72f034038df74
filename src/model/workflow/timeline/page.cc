// SPDX-License-Identifier: Apache-2.0
#include "workflow/timeline/page.h"

#include <fmt/core.h>

#include "base/strings.h"
#include "workflow/timeline/layout.h"
#include "workflow/timeline/markup.h"

namespace timeline {
namespace {

constexpr std::string_view kDrawingStyle = R"(
:root { color-scheme: light dark; --back: #ffffff; --ink: #1f2328; --soft: #59636e; --line: #d1d9e0;
  --row: #f0f3f6; --bar: #9fb3c8; --critical: #1f6feb; --failed: #cf222e; --stopped: #b8bec6;
  --stripe: #ffffff; --retry: #bc4c00; --warning: #9a6700; }
@media (prefers-color-scheme: dark) { :root { --back: #0d1117; --ink: #e6edf3; --soft: #9198a1;
  --line: #30363d; --row: #161b22; --bar: #4a6079; --critical: #4493f8; --failed: #f85149;
  --stopped: #545d68; --stripe: #0d1117; --retry: #f0883e; --warning: #e3b341; } }
.timeline { font: 12px ui-sans-serif, system-ui, "Segoe UI", Roboto, Helvetica, Arial, sans-serif; }
.timeline text { fill: var(--ink); }
.timeline .background { fill: var(--back); }
.timeline .title { font-size: 18px; font-weight: 600; }
.timeline .subtitle, .timeline .tick, .timeline .legend { fill: var(--soft); }
.timeline .tick, .timeline .took { font-size: 11px; font-variant-numeric: tabular-nums; }
.timeline .took { fill: var(--soft); }
.timeline .strong { font-weight: 600; }
.timeline .bad { fill: var(--failed); }
.timeline .took.bad { font-weight: 600; }
.timeline .grid { stroke: var(--line); }
.timeline .row { fill: transparent; }
.timeline .phase:hover .row { fill: var(--row); }
.timeline .bar { fill: var(--bar); }
.timeline .critical { fill: var(--critical); }
.timeline .failed { fill: var(--failed); }
.timeline .cancelled, .timeline .unfinished { fill: var(--stopped); stroke: var(--soft);
  stroke-dasharray: 3 2; }
.timeline .stripe { fill: var(--stripe); fill-opacity: .55; }
.timeline .link { fill: none; stroke: var(--critical); stroke-width: 1.5; stroke-opacity: .6;
  pointer-events: none; }
.timeline .retry { fill: var(--retry); stroke: var(--back); }
.timeline .warning { fill: var(--warning); stroke: var(--back); }
)";

constexpr std::string_view kPageStyle = R"(
body { margin: 0; background: var(--back); color: var(--ink);
  font: 15px/1.5 ui-sans-serif, system-ui, "Segoe UI", Roboto, Helvetica, Arial, sans-serif; }
main { max-width: 1040px; margin: 0 auto; padding: 8px; }
svg.timeline { display: block; width: 100%; height: auto; }
svg.narrow { display: none; }
@media (max-width: 760px) { svg.wide { display: none; } svg.narrow { display: block; } }
section { padding: 0 20px; }
h2 { font-size: 16px; margin: 28px 0 6px; }
ol { margin: 0; padding-left: 24px; }
.took, td.number { color: var(--soft); font-variant-numeric: tabular-nums; }
.error { color: var(--failed); white-space: pre-wrap; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
th, td { text-align: left; padding: 4px 10px 4px 0; border-top: 1px solid var(--line);
  vertical-align: top; }
th { border-top: 0; white-space: nowrap; color: var(--soft); font-weight: 500; }
td.number { white-space: nowrap; }
td.notes { white-space: pre-line; overflow-wrap: anywhere; }
)";

std::string_view StateText(Bar::State state) {
  switch (state) {
    case Bar::State::kFailed:
      return "failed";
    case Bar::State::kCancelled:
      return "stopped because another phase failed, or by the user";
    case Bar::State::kUnfinished:
      return "not ended";
    case Bar::State::kDone:
      break;
  }
  return "";
}

// The events of a phase, a line each.
std::vector<std::string> Notes(const Bar& bar) {
  std::vector<std::string> notes;
  if (bar.state != Bar::State::kDone) {
    notes.emplace_back(StateText(bar.state));
  }
  if (!bar.error.empty()) {
    notes.push_back("error: " + bar.error);
  }
  for (const Wait& wait : bar.waits) {
    notes.push_back(fmt::format("{}: {}", wait.text, DurationText(wait.end - wait.begin)));
  }
  for (const Mark& mark : bar.marks) {
    const bool retry = mark.kind == Mark::Kind::kRetry;
    notes.push_back(fmt::format("{} at {}: {}", retry ? "a try failed" : "warning",
                                DurationText(mark.at), mark.text));
  }
  return notes;
}

void PutCriticalPath(const RunRecord& run, Markup& out) {
  if (run.critical_path.empty()) {
    return;
  }
  out.Text("h2", {}, "Critical path");
  out.Text("p", {},
           "These phases determined the end of the run: each began when the phase before it "
           "ended.");
  out.Open("ol");
  for (const std::size_t index : run.critical_path) {
    const Bar& bar = run.bars[index];
    out.Open("li");
    out.Text("b", {}, bar.phase);
    out.Text("span", {{"class", "took"}}, DurationText(bar.Took()));
    out.Close("li");
  }
  out.Close("ol");
}

void PutPhases(const RunRecord& run, Markup& out) {
  out.Text("h2", {}, "Phases");
  out.Open("div", {{"class", "scroll"}});
  out.Open("table");
  out.Open("tr");
  for (const char* head : {"phase", "began at", "took", ""}) {
    out.Text("th", {}, head);
  }
  out.Close("tr");
  for (const Bar& bar : run.bars) {
    out.Open("tr");
    out.Text("td", {}, bar.phase);
    out.Text("td", {{"class", "number"}}, DurationText(bar.begin));
    out.Text("td", {{"class", "number"}}, DurationText(bar.Took()));
    out.Text("td", {{"class", "notes"}}, base::Join(Notes(bar), "\n"));
    out.Close("tr");
  }
  out.Close("table");
  out.Close("div");
}

void PutSkipped(const RunRecord& run, Markup& out) {
  if (run.skipped.empty()) {
    return;
  }
  out.Text("h2", {}, "Phases that did not run");
  out.Open("ul");
  for (const Skipped& skipped : run.skipped) {
    const bool asked = skipped.reason == workflow::event::PhaseSkipped::Reason::kRequest;
    out.Text("li", {}, skipped.phase + (asked ? ": left out by request" : ": does not apply here"));
  }
  out.Close("ul");
}

}  // namespace

std::string_view DrawingStyle() { return kDrawingStyle; }

std::string Details(const Bar& bar) {
  std::vector<std::string> lines = Notes(bar);
  lines.insert(lines.begin(),
               fmt::format("{}: {}, from {} to {}", bar.phase, DurationText(bar.Took()),
                           DurationText(bar.begin), DurationText(bar.end)));
  return base::Join(lines, "\n");
}

std::string Page(const RunRecord& run, std::string_view drawing) {
  Markup out;
  out.Raw("<!DOCTYPE html>\n");
  out.Open("html", {{"lang", "en"}});
  out.Open("head");
  out.Raw("<meta charset=\"utf-8\">\n");
  out.Raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
  out.Text("title", {}, Title(run) + ", " + Subtitle(run));
  out.Raw(fmt::format("<style>{}{}</style>\n", kDrawingStyle, kPageStyle));
  out.Close("head");
  out.Open("body");
  out.Open("main");
  out.Raw(drawing);
  out.Open("section");
  if (run.error) {
    out.Text("p", {{"class", "error"}}, *run.error);
  }
  PutCriticalPath(run, out);
  PutPhases(run, out);
  PutSkipped(run, out);
  out.Close("section");
  out.Close("main");
  out.Close("body");
  out.Close("html");
  return out.text();
}

}  // namespace timeline
