#include <utility>

#include "workflow/reporter.h"

namespace workflow {
namespace {

class TeeReporter : public Reporter {
 public:
  TeeReporter(std::unique_ptr<Reporter> one, std::unique_ptr<Reporter> other)
      : one_(std::move(one)), other_(std::move(other)) {}

  void RunStarted(std::string_view command) override { Both(&Reporter::RunStarted, command); }
  void Message(std::string_view text) override { Both(&Reporter::Message, text); }
  void Warning(std::string_view text, std::source_location at) override {
    Both(&Reporter::Warning, text, at);
  }
  void Result(std::string_view name, const json::Value& value) override {
    Both(&Reporter::Result, name, value);
  }
  void RunFinished(const base::Error* error, Milliseconds took) override {
    Both(&Reporter::RunFinished, error, took);
  }
  void Begin(std::vector<PlannedStep> steps) override { Both(&Reporter::Begin, steps); }
  void End() override { Both(&Reporter::End); }
  void LeftOut(const std::string& path) override { Both(&Reporter::LeftOut, path); }
  void Started(std::size_t step) override { Both(&Reporter::Started, step); }
  void Skipped(std::size_t step) override { Both(&Reporter::Skipped, step); }
  void Finished(std::size_t step, Milliseconds took) override {
    Both(&Reporter::Finished, step, took);
  }
  void Failed(std::size_t step, const base::Error& error, Milliseconds took) override {
    Both(&Reporter::Failed, step, error, took);
  }
  void StepMessage(std::size_t step, std::string_view text) override {
    Both(&Reporter::StepMessage, step, text);
  }
  void StepWarning(std::size_t step, std::string_view text, std::source_location at) override {
    Both(&Reporter::StepWarning, step, text, at);
  }
  void StepRemark(std::size_t step, std::string_view text) override {
    Both(&Reporter::StepRemark, step, text);
  }
  void StepProgress(std::size_t step, std::string_view text) override {
    Both(&Reporter::StepProgress, step, text);
  }
  void StepRetry(std::size_t step, std::string_view why) override {
    Both(&Reporter::StepRetry, step, why);
  }
  void StepResult(std::size_t step, std::string_view name, const json::Value& value) override {
    Both(&Reporter::StepResult, step, name, value);
  }
  void StepFile(std::size_t step, const std::string& path, const std::string& sha256) override {
    Both(&Reporter::StepFile, step, path, sha256);
  }

 private:
  template <typename Member, typename... Arguments>
  void Both(Member member, const Arguments&... arguments) {
    ((*one_).*member)(arguments...);
    ((*other_).*member)(arguments...);
  }

  const std::unique_ptr<Reporter> one_;
  const std::unique_ptr<Reporter> other_;
};

}  // namespace

std::unique_ptr<Reporter> MakeTee(std::unique_ptr<Reporter> one, std::unique_ptr<Reporter> other) {
  return std::make_unique<TeeReporter>(std::move(one), std::move(other));
}

}  // namespace workflow
