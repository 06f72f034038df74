// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <ostream>
#include <stop_token>
#include <thread>

#include "base/log.h"
#include "base/utf8.h"
#include "workflow/reporter.h"
#include "workflow/status_line.h"

namespace workflow {
namespace {

struct Line {
  std::string text;
  std::optional<std::source_location> warned_at = std::nullopt;
  bool to_stderr = false;
};

class Text {
 public:
  explicit Text(TextOptions options)
      : options_(std::move(options)), status_(options_.out, options_.terminal_width) {}

  void Take(const Event& event) {
    const std::lock_guard lock(mutex_);
    std::visit(
        event::Cases{
            [&](const event::PhasesPlanned& e) { Plan(e); },
            [&](const event::PhasesEnded&) { End(); },
            [&](const event::PhaseSkipped& e) { Done(e.phase); },
            [&](const event::PhaseFinished& e) { Done(e.phase); },
            [&](const event::PhaseFailed& e) { Done(e.phase); },
            [&](const event::Message& e) { Add(e.phase, {.text = e.text}); },
            [&](const event::Warning& e) { Add(e.phase, {.text = e.text, .warned_at = e.at}); },
            [&](const event::Remark& e) { Add(e.phase, {.text = e.text, .to_stderr = true}); },
            [&](const event::Progress& e) { Progress(e); }, [](const auto&) {}},
        event.what);
  }

 private:
  struct StepLines {
    std::vector<Line> held_back;
    bool done = false;
  };

  void Plan(const event::PhasesPlanned& planned);
  void End();
  void Done(const std::string& phase);
  void Add(const std::optional<std::string>& phase, Line line);
  void Progress(const event::Progress& progress);
  void Show(const Line& line);
  void ShowHeldBack(StepLines& step);
  void Tick(const std::stop_token& stop);

  const TextOptions options_;
  std::mutex mutex_;  // guards all members below except the thread
  StatusLine status_;
  std::map<std::string, std::size_t> order_;  // index in steps_, by path of the phase
  std::vector<StepLines> steps_;              // one for each planned phase
  std::size_t current_ = 0;  // the first unfinished step; its lines are shown immediately
  std::jthread ticker_;      // started with the first progress; set under the lock
};

void Text::Plan(const event::PhasesPlanned& planned) {
  order_.clear();
  for (const std::string& phase : planned.phases) {
    order_.emplace(phase, order_.size());
  }
  steps_.assign(planned.phases.size(), {});
  current_ = 0;
}

void Text::Show(const Line& line) {
  status_.Hide();
  if (line.warned_at) {
    base::Log(base::Severity::kWarning, line.text, *line.warned_at);
  } else {
    (line.to_stderr ? *options_.err : options_.out)
        << line.text << (line.text.ends_with('\n') ? "" : "\n") << std::flush;
  }
}

void Text::ShowHeldBack(StepLines& step) {
  for (const Line& line : step.held_back) {
    Show(line);
  }
  step.held_back.clear();
}

void Text::Add(const std::optional<std::string>& phase, Line line) {
  if (!phase || order_.at(*phase) == current_) {
    Show(line);
  } else {
    steps_[order_.at(*phase)].held_back.push_back(std::move(line));
  }
}

// A phase that was left out by request is not among the planned ones.
void Text::Done(const std::string& phase) {
  const auto planned = order_.find(phase);
  if (planned == order_.end()) {
    return;
  }
  steps_[planned->second].done = true;
  status_.Set(planned->second, std::nullopt, {});
  while (current_ < steps_.size() && steps_[current_].done) {
    ++current_;
    if (current_ < steps_.size()) {
      ShowHeldBack(steps_[current_]);
    }
  }
}

void Text::End() {
  for (StepLines& step : steps_) {
    ShowHeldBack(step);
  }
  status_.Hide();
}

void Text::Progress(const event::Progress& progress) {
  if (options_.terminal_width == 0) {
    return;
  }
  status_.Set(order_.at(progress.phase),
              progress.text.transform([](const std::string& text) { return base::Visible(text); }),
              options_.clock.Steady());
  if (status_.empty()) {
    status_.Hide();
  } else if (!ticker_.joinable()) {
    ticker_ = std::jthread([this](const std::stop_token& stop) {
      try {
        Tick(stop);
      } catch (const std::exception& error) {  // a failure of the display does not end the run
        base::LogWarning("no progress is shown any more: {}", error.what());
      }
    });
  }
}

void Text::Tick(const std::stop_token& stop) {
  while (options_.clock.Sleep(std::chrono::seconds(1), stop)) {
    const std::lock_guard lock(mutex_);
    status_.Draw(options_.clock.Steady());
  }
}

}  // namespace

Listener TextLines(TextOptions options) {
  return [text = std::make_shared<Text>(std::move(options))](const Event& event) {
    text->Take(event);
  };
}

}  // namespace workflow
