#include <fmt/core.h>

#include <mutex>
#include <ostream>

#include "workflow/reporter.h"
#include "workflow/time_text.h"

namespace workflow {
namespace {

class EventReporter : public Reporter {
 public:
  EventReporter(TakeEvent take, Clocks clocks)
      : take_(std::move(take)), clocks_(std::move(clocks)) {}

  void RunStarted(std::string_view command) override {
    Write("run_started", {{"command", command}});
  }
  void Message(std::string_view text) override { Write("message", {{"text", text}}); }
  void Warning(std::string_view text, std::source_location) override {
    Write("warning", {{"text", text}});
  }
  void Result(std::string_view name, const json::Value& value) override {
    Write("result", {{"name", name}, {"value", value}});
  }
  void RunFinished(const base::Error* error, Milliseconds took) override {
    json::Value event = {{"ok", error == nullptr}, {"ms", took.count()}};
    if (error != nullptr) {
      event["error"] = error->message();
    }
    Write("run_finished", std::move(event));
  }

  void Begin(std::vector<PlannedStep> steps) override {
    const std::lock_guard lock(mutex_);
    files_.assign(steps.size(), json::Value::array());
    steps_ = std::move(steps);
  }
  void End() override {}
  void LeftOut(const std::string& path) override {
    Write("phase_skipped", {{"phase", path}, {"reason", "request"}});
  }
  void Started(std::size_t step) override {
    json::Value event = json::Value::object();
    for (const std::size_t earlier : steps_[step].after) {
      event["after"].push_back(steps_[earlier].path);
    }
    WriteStep("phase_started", step, std::move(event));
  }
  void Skipped(std::size_t step) override {
    WriteStep("phase_skipped", step, {{"reason", "condition"}});
  }
  void Finished(std::size_t step, Milliseconds took) override {
    WriteEnd("phase_finished", step, {{"ms", took.count()}});
  }
  void Failed(std::size_t step, const base::Error& error, Milliseconds took) override {
    json::Value event = {{"ms", took.count()}, {"error", error.message()}};
    if (error.kind() == base::Error::Kind::kCancelled) {
      event["cancelled"] = true;
    }
    WriteEnd("phase_failed", step, std::move(event));
  }
  void StepMessage(std::size_t step, std::string_view text) override {
    WriteStep("message", step, {{"text", text}});
  }
  void StepRemark(std::size_t step, std::string_view text) override {
    StepWarning(step, text, std::source_location::current());
  }
  void StepWarning(std::size_t step, std::string_view text, std::source_location) override {
    WriteStep("warning", step, {{"text", text}});
  }
  void StepProgress(std::size_t step, std::string_view text) override {
    WriteStep("progress", step, {{"text", text}});
  }
  void StepRetry(std::size_t step, std::string_view why) override {
    WriteStep("retry", step, {{"text", why}});
  }
  void StepResult(std::size_t step, std::string_view name, const json::Value& value) override {
    WriteStep("result", step, {{"name", name}, {"value", value}});
  }
  void StepFile(std::size_t step, const std::string& path, const std::string& sha256) override {
    const std::lock_guard lock(mutex_);
    files_[step].push_back({{"path", path}, {"sha256", sha256}});
  }

 private:
  void Write(std::string_view type, json::Value event) {
    const std::lock_guard lock(mutex_);
    event["type"] = type;
    event["time"] = TimeText(clocks_.now());
    take_(event);
  }

  void WriteStep(std::string_view type, std::size_t step, json::Value event) {
    event["phase"] = steps_[step].path;
    Write(type, std::move(event));
  }

  void WriteEnd(std::string_view type, std::size_t step, json::Value event) {
    {
      const std::lock_guard lock(mutex_);
      if (!files_[step].empty()) {
        event["files"] = files_[step];
      }
    }
    WriteStep(type, step, std::move(event));
  }

  const TakeEvent take_;
  const Clocks clocks_;
  std::vector<PlannedStep> steps_;  // set before any step runs
  std::mutex mutex_;                // guards calls of take_, and files_
  std::vector<json::Value> files_;  // of each step: the files it wrote
};

}  // namespace

std::unique_ptr<Reporter> MakeEventReporter(TakeEvent take, Clocks clocks) {
  return std::make_unique<EventReporter>(std::move(take), std::move(clocks));
}

TakeEvent PrintEvents(std::ostream& out) {
  return [&out](const json::Value& event) { out << json::Compact(event) << '\n' << std::flush; };
}

void Report(Reporter& reporter, const Clocks& clocks, const std::function<void()>& body) {
  const auto start = clocks.steady();
  const auto took = [&] {
    return std::chrono::duration_cast<Milliseconds>(clocks.steady() - start);
  };
  try {
    body();
  } catch (const base::Error& error) {
    reporter.RunFinished(&error, took());
    throw;
  }
  reporter.RunFinished(nullptr, took());
}

}  // namespace workflow
