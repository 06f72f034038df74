// SPDX-License-Identifier: Apache-2.0
#include "fleet/timeline.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "fleet/cluster_operation.h"
#include "fleet/status.h"
#include "json/rfc3339.h"
#include "json/value.h"

namespace fleet {
namespace {

using timeline::Bar;

// The bounds of a drawing.
struct Period {
  std::chrono::sys_seconds begin;
  std::chrono::sys_seconds now;
};

Bar::State StateOf(const std::string& stage) {
  if (stage == "Done") {
    return Bar::State::kDone;
  }
  return stage == "Failed" ? Bar::State::kFailed : Bar::State::kUnfinished;
}

Bar BarOf(const json::Value& row, std::chrono::sys_seconds begin, const Period& period) {
  const std::string step = json::TextAt(row, {"step"});
  const std::string node = json::TextAt(row, {"name"});
  const auto end = json::ParseRfc3339(json::TextAt(row, {"completionTime"})).value_or(period.now);
  Bar bar;
  bar.state = StateOf(json::TextAt(row, {"stage"}));
  bar.phase = step.empty() ? node : fmt::format("{} ({})", node, step);
  bar.begin = begin - period.begin;
  bar.end = std::max(end, begin) - period.begin;
  bar.error = bar.state == Bar::State::kFailed ? json::TextAt(row, {"message"}) : "";
  return bar;
}

}  // namespace

timeline::RunRecord RunOf(const json::Value& object, std::chrono::sys_seconds now) {
  const std::string name = json::TextAt(object, {"metadata", "name"});
  const std::string started = json::TextAt(object, {"status", "startTime"});
  const auto begin = json::ParseRfc3339(started);
  timeline::RunRecord run;
  for (const json::Value& row : json::At(object, {"status", "nodes"})) {
    const auto time = json::ParseRfc3339(json::TextAt(row, {"startTime"}));
    if (begin && time && *time >= *begin) {
      run.bars.push_back(BarOf(row, *time, {.begin = *begin, .now = now}));
      run.length = std::max(run.length, run.bars.back().end);
    }
  }
  if (run.bars.empty()) {
    throw base::Error(base::Error::Kind::kNotFound,
                      fmt::format("operation {} has not begun with a node", name));
  }
  run.command = fmt::format("fleet operation {}", name);
  run.started = started;
  run.finished = IsFinished(object);
  if (json::TextAt(object, {"status", "phase"}) == ToString(Phase::kFailed)) {
    run.error = json::TextAt(object, {"status", "message"});
  }
  std::ranges::stable_sort(run.bars, {}, &Bar::begin);
  run.critical_path = timeline::CriticalPath(run.bars);
  for (const std::size_t index : run.critical_path) {
    run.bars[index].critical = true;
  }
  return run;
}

timeline::RunRecord CollectRun(kube::Client& client, const std::string& name,
                               std::chrono::sys_seconds now) {
  return RunOf(client.Get({kClusterOperation, "", name}), now);
}

}  // namespace fleet
