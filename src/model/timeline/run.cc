#include "timeline/run.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "json/rfc3339.h"

namespace timeline {
namespace {

using json::TextAt;

// Reader goes through the events of one run.
class Reader {
 public:
  RunRecord Read(std::span<const json::Value> events) {
    for (const json::Value& event : events) {
      Take(event);
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
  using Handler = void (Reader::*)(const json::Value& event);
  struct Row {
    std::string_view type;
    Handler handler;
  };

  void Take(const json::Value& event) {
    static constexpr Row kRows[] = {{"run_started", &Reader::RunStarted},
                                    {"phase_started", &Reader::PhaseStarted},
                                    {"phase_finished", &Reader::PhaseFinished},
                                    {"phase_failed", &Reader::PhaseFailed},
                                    {"phase_skipped", &Reader::PhaseSkipped},
                                    {"progress", &Reader::Progress},
                                    {"retry", &Reader::Retry},
                                    {"warning", &Reader::Warning},
                                    {"run_finished", &Reader::RunFinished}};
    Advance(TextAt(event, {"time"}));
    const auto row = std::ranges::find(kRows, TextAt(event, {"type"}), &Row::type);
    if (row != std::end(kRows)) {
      (this->*row->handler)(event);
    }
  }

  void Advance(const std::string& text) {
    const std::optional<Milliseconds> time = ParseTime(text);
    if (!time) {
      return;
    }
    if (!start_) {
      start_ = time;
      run_.started = text;
    }
    now_ = std::max(now_, *time - *start_);
  }

  // The newest bar of the event's phase that is still running; null for none.
  Bar* BarOf(const json::Value& event) {
    const std::string phase = TextAt(event, {"phase"});
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

  void AddMark(const json::Value& event, Mark::Kind kind) {
    if (Bar* bar = BarOf(event)) {
      bar->marks.push_back({.kind = kind, .at = now_, .text = TextAt(event, {"text"})});
    }
  }

  void RunStarted(const json::Value& event) { run_.command = TextAt(event, {"command"}); }

  void PhaseStarted(const json::Value& event) {
    Bar bar{.phase = TextAt(event, {"phase"}), .begin = now_};
    const json::Value& after = json::At(event, {"after"});
    for (const json::Value& phase : after.is_array() ? after : json::Value::array()) {
      if (phase.is_string()) {
        bar.after.push_back(phase.get<std::string>());
      }
    }
    run_.bars.push_back(std::move(bar));
  }

  void PhaseFinished(const json::Value& event) {
    if (Bar* bar = BarOf(event)) {
      End(*bar, Bar::State::kDone);
    }
  }

  void PhaseFailed(const json::Value& event) {
    Bar* bar = BarOf(event);
    if (bar != nullptr) {
      const json::Value& cancelled = json::At(event, {"cancelled"});
      bar->error = TextAt(event, {"error"});
      End(*bar, cancelled == true ? Bar::State::kCancelled : Bar::State::kFailed);
    }
  }

  void PhaseSkipped(const json::Value& event) {
    run_.skipped.push_back({TextAt(event, {"phase"}), TextAt(event, {"reason"})});
  }

  void Progress(const json::Value& event) {
    Bar* bar = BarOf(event);
    if (bar == nullptr) {
      return;
    }
    EndWait(*bar);
    const std::string text = TextAt(event, {"text"});
    if (!text.empty()) {
      bar->waits.push_back({.begin = now_, .end = Milliseconds(-1), .text = text});
    }
  }

  void Retry(const json::Value& event) { AddMark(event, Mark::Kind::kRetry); }
  void Warning(const json::Value& event) { AddMark(event, Mark::Kind::kWarning); }

  void RunFinished(const json::Value& event) {
    run_.finished = true;
    run_.error = TextAt(event, {"error"});
  }

  RunRecord run_;
  std::optional<Milliseconds> start_;
  Milliseconds now_{0};
};

}  // namespace

RunRecord ReadRun(std::span<const json::Value> events) {
  const auto is_start = [](const json::Value& event) {
    return TextAt(event, {"type"}) == "run_started";
  };
  const auto last = std::ranges::find_if(events.rbegin(), events.rend(), is_start);
  if (last != events.rend()) {
    events = events.subspan(static_cast<std::size_t>(events.rend() - last) - 1);
  }
  return Reader().Read(events);
}

std::optional<Milliseconds> ParseTime(std::string_view text) {
  const std::optional<std::chrono::sys_seconds> seconds = json::ParseRfc3339(text);
  if (!seconds) {
    return std::nullopt;
  }
  int milliseconds = 0;
  int scale = 100;
  const std::size_t dot = text.find('.');
  for (std::size_t i = dot; i != std::string_view::npos && scale > 0; scale /= 10) {
    ++i;
    if (i >= text.size() || std::isdigit(static_cast<unsigned char>(text[i])) == 0) {
      break;
    }
    milliseconds += (text[i] - '0') * scale;
  }
  return seconds->time_since_epoch() + Milliseconds(milliseconds);
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
