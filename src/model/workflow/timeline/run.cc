// SPDX-License-Identifier: Apache-2.0
#include "workflow/timeline/run.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "workflow/time_text.h"

namespace timeline {
namespace {

namespace event = workflow::event;

// Processes the events of one run.
class Reader {
 public:
  RunRecord Read(std::span<const workflow::Event> events) {
    for (const workflow::Event& event : events) {
      Advance(event.time);
      std::visit([this](const auto& what) { Take(what); }, event.what);
    }
    for (Bar& bar : run_.bars) {
      if (bar.state == Bar::State::kUnfinished) {
        End(bar, Bar::State::kUnfinished);
      }
    }
    run_.length = now_;
    run_.critical_path = CriticalPath(run_.bars);
    for (const std::size_t index : run_.critical_path) {
      run_.bars[index].critical = true;
    }
    return std::move(run_);
  }

 private:
  void Advance(std::chrono::system_clock::time_point time) {
    if (!start_) {
      start_ = time;
      run_.started = workflow::TimeText(time);
    }
    now_ = std::max(
        now_, std::chrono::floor<Milliseconds>(time) - std::chrono::floor<Milliseconds>(*start_));
  }

  // Returns the newest bar of the phase that is still running; nullptr without one.
  Bar* BarOf(const std::string& phase) {
    const auto found = std::ranges::find_if(run_.bars.rbegin(), run_.bars.rend(), [&](Bar& bar) {
      return bar.phase == phase && bar.state == Bar::State::kUnfinished;
    });
    return found == run_.bars.rend() ? nullptr : &*found;
  }

  void End(Bar& bar, Bar::State state) {
    bar.state = state;
    bar.end = now_;
    EndWait(bar);
  }

  void EndWait(Bar& bar) {
    if (!bar.waits.empty() && bar.waits.back().end < bar.waits.back().begin) {
      bar.waits.back().end = now_;
    }
  }

  void AddMark(const std::string& phase, Mark::Kind kind, const std::string& text) {
    if (Bar* bar = BarOf(phase)) {
      bar->marks.push_back({.kind = kind, .at = now_, .text = text});
    }
  }

  void Take(const event::RunStarted& started) { run_.command = started.command; }
  void Take(const event::PhaseStarted& started) {
    run_.bars.push_back({.phase = started.phase, .begin = now_, .after = started.after});
  }
  void Take(const event::PhaseFinished& finished) {
    if (Bar* bar = BarOf(finished.phase)) {
      End(*bar, Bar::State::kDone);
    }
  }
  void Take(const event::PhaseFailed& failed) {
    if (Bar* bar = BarOf(failed.phase)) {
      bar->error = failed.error;
      End(*bar, failed.cancelled ? Bar::State::kCancelled : Bar::State::kFailed);
    }
  }
  void Take(const event::PhaseSkipped& skipped) {
    run_.skipped.push_back({.phase = skipped.phase, .reason = skipped.reason});
  }
  void Take(const event::Progress& progress) {
    Bar* bar = BarOf(progress.phase);
    if (bar == nullptr) {
      return;
    }
    EndWait(*bar);
    if (progress.text) {
      bar->waits.push_back({.begin = now_, .end = Milliseconds(-1), .text = *progress.text});
    }
  }
  void Take(const event::Retry& retry) { AddMark(retry.phase, Mark::Kind::kRetry, retry.text); }
  void Take(const event::Warning& warning) {
    AddMark(warning.phase.value_or(""), Mark::Kind::kWarning, warning.text);
  }
  void Take(const event::Remark& remark) {
    AddMark(remark.phase, Mark::Kind::kWarning, remark.text);
  }
  void Take(const event::RunFinished& finished) {
    run_.finished = true;
    run_.error = finished.error;
  }
  // Other events are not drawn.
  template <typename What>
  void Take(const What& /*other*/) {}

  RunRecord run_;
  std::optional<std::chrono::system_clock::time_point> start_;
  Milliseconds now_{0};
};

}  // namespace

RunRecord ReadRun(std::span<const workflow::Event> events) {
  const auto is_start = [](const workflow::Event& event) {
    return std::holds_alternative<event::RunStarted>(event.what);
  };
  const auto last = std::ranges::find_if(events.rbegin(), events.rend(), is_start);
  if (last != events.rend()) {
    events = events.subspan(static_cast<std::size_t>(events.rend() - last) - 1);
  }
  return Reader().Read(events);
}

std::string DurationText(Milliseconds duration) {
  const auto count = duration.count();
  if (count < 1'000) {
    return fmt::format("{} ms", count);
  }
  if (count < 59'950) {
    return fmt::format("{:.1f} s", static_cast<double>(count) / 1'000);
  }
  const auto seconds = (count + 500) / 1'000;
  return fmt::format("{} m {:02} s", seconds / 60, seconds % 60);
}

}  // namespace timeline
