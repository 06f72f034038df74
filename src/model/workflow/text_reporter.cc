#include <condition_variable>
#include <mutex>
#include <ostream>
#include <stop_token>
#include <thread>

#include "base/log.h"
#include "base/utf8.h"
#include "workflow/reporter.h"
#include "workflow/status_line.h"

namespace workflow {
namespace {

class TextReporter : public Reporter {
 public:
  explicit TextReporter(TextOptions options)
      : options_(std::move(options)), status_(options_.out, options_.terminal_width) {}

  void RunStarted(std::string_view) override {}
  void Message(std::string_view text) override {
    const std::lock_guard lock(mutex_);
    Show({std::string(text)});
  }
  void Warning(std::string_view text, std::source_location at) override {
    const std::lock_guard lock(mutex_);
    Show({std::string(text), at});
  }
  void Result(std::string_view, const json::Value&) override {}
  void RunFinished(const base::Error*, Milliseconds) override {}

  void Begin(std::vector<PlannedStep> steps) override {
    const std::lock_guard lock(mutex_);
    steps_.assign(steps.size(), {});
    current_ = 0;
  }
  void End() override;
  void LeftOut(const std::string&) override {}
  void Started(std::size_t) override {}
  void Skipped(std::size_t step) override { Done(step); }
  void Finished(std::size_t step, Milliseconds) override { Done(step); }
  void Failed(std::size_t step, const base::Error&, Milliseconds) override { Done(step); }
  void StepMessage(std::size_t step, std::string_view text) override {
    Add(step, {std::string(text)});
  }
  void StepWarning(std::size_t step, std::string_view text, std::source_location at) override {
    Add(step, {std::string(text), at});
  }
  void StepRemark(std::size_t step, std::string_view text) override {
    Add(step, {.text = std::string(text), .to_stderr = true});
  }
  void StepProgress(std::size_t step, std::string_view text) override;
  void StepRetry(std::size_t, std::string_view) override {}
  void StepResult(std::size_t, std::string_view, const json::Value&) override {}
  void StepFile(std::size_t, const std::string&, const std::string&) override {}

 private:
  struct Line {
    std::string text;
    std::optional<std::source_location> warned_at = std::nullopt;
    bool to_stderr = false;
  };
  struct StepLines {
    std::vector<Line> held_back;
    bool done = false;
  };

  void Show(const Line& line);
  void Add(std::size_t step, Line line);
  void Done(std::size_t step);
  void ShowHeldBack(StepLines& step);
  void Tick(const std::stop_token& stop);

  const TextOptions options_;
  std::mutex mutex_;  // guards all below but the thread
  StatusLine status_;
  std::vector<StepLines> steps_;
  std::size_t current_ = 0;  // the first step that is not done; its lines are shown at once
  std::condition_variable_any tick_;
  std::jthread ticker_;  // started with the first progress; set under the lock
};

void TextReporter::Show(const Line& line) {
  status_.Hide();
  if (line.warned_at) {
    base::Log(base::Severity::kWarning, line.text, *line.warned_at);
  } else {
    // It may quote a server or a container.
    (line.to_stderr ? *options_.err : options_.out)
        << base::Visible(line.text, "\n\t") << (line.text.ends_with('\n') ? "" : "\n")
        << std::flush;
  }
}

void TextReporter::ShowHeldBack(StepLines& step) {
  for (const Line& line : step.held_back) {
    Show(line);
  }
  step.held_back.clear();
}

void TextReporter::Add(std::size_t step, Line line) {
  const std::lock_guard lock(mutex_);
  if (step == current_) {
    Show(line);
  } else {
    steps_[step].held_back.push_back(std::move(line));
  }
}

void TextReporter::Done(std::size_t step) {
  const std::lock_guard lock(mutex_);
  steps_[step].done = true;
  status_.Set(step, "", {});
  while (current_ < steps_.size() && steps_[current_].done) {
    ++current_;
    if (current_ < steps_.size()) {
      ShowHeldBack(steps_[current_]);
    }
  }
}

void TextReporter::End() {
  const std::lock_guard lock(mutex_);
  for (StepLines& step : steps_) {
    ShowHeldBack(step);
  }
  status_.Hide();
}

void TextReporter::StepProgress(std::size_t step, std::string_view text) {
  if (options_.terminal_width == 0) {
    return;
  }
  const std::lock_guard lock(mutex_);
  status_.Set(step, base::Visible(text), options_.clocks.steady());
  if (status_.empty()) {
    status_.Hide();
  } else if (!ticker_.joinable()) {
    ticker_ = std::jthread([this](const std::stop_token& stop) {
      try {
        Tick(stop);
      } catch (const std::exception& error) {  // how long it takes is not worth the run
        base::LogWarning("no progress is shown any more: {}", error.what());
      }
    });
  }
}

void TextReporter::Tick(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    tick_.wait_for(lock, stop, std::chrono::seconds(1), [] { return false; });
    if (!stop.stop_requested()) {
      status_.Draw(options_.clocks.steady());
    }
  }
}

}  // namespace

std::unique_ptr<Reporter> MakeTextReporter(TextOptions options) {
  return std::make_unique<TextReporter>(std::move(options));
}

}  // namespace workflow
