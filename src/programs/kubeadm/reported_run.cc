#include "kubeadm/reported_run.h"

#include "base/log.h"
#include "kubeadm/events/drawn_events.h"
#include "kubeadm/terminal.h"

namespace kubeadm {
namespace {

constexpr const char* kTimeline = "timeline";

std::string FormatOf(const cli::Parsed& flags) {
  return flags.Offers("output") ? flags.Text("output") : "text";
}

// "init" of "kubeadm init".
std::string CommandOf(const cli::Invocation& invocation) {
  return invocation.path.substr(invocation.path.find(' ') + 1);
}

// Recording keeps the events of a run for its drawing.
class Recording {
 public:
  Recording(host::Host& machine, std::string path)
      : machine_(machine), path_(std::move(path)), form_(DrawingForm(path_)) {}

  std::unique_ptr<workflow::Reporter> Reporter() {
    return workflow::MakeEventReporter(
        [this](const json::Value& event) { events_.push_back(event); }, ClocksOf(machine_));
  }

  // Write throws when the file cannot be written.
  void Write() {
    base::WithContext("couldn't write the timeline", [&] {
      machine_.files.Write(path_, DrawEvents(events_, form_), {.mode = 0644});
    });
  }

  // WriteAtEnd only warns: the run's own end counts, whatever becomes of its drawing.
  void WriteAtEnd() {
    try {
      Write();
    } catch (const base::Error& error) {
      base::LogWarning("{}", error.message());
    }
  }

 private:
  host::Host& machine_;
  const std::string path_;
  const Form form_;
  std::vector<json::Value> events_;  // one reporter adds to them, one at a time
};

void RunRecorded(cli::Invocation& invocation, host::Host& machine,
                 const std::function<void(workflow::Reporter& reporter)>& body) {
  const workflow::Clocks clocks = ClocksOf(machine);
  Recording recording(machine, invocation.flags.Text(kTimeline));
  std::unique_ptr<workflow::Reporter> recorder = recording.Reporter();
  recorder->RunStarted(CommandOf(invocation));
  recording.Write();
  std::unique_ptr<workflow::Reporter> shown =
      MakeReporter(FormatOf(invocation.flags), invocation.streams.out, clocks);
  shown->RunStarted(CommandOf(invocation));
  const auto reporter = workflow::MakeTee(std::move(shown), std::move(recorder));
  try {
    workflow::Report(*reporter, clocks, [&] { body(*reporter); });
  } catch (const base::Error&) {
    recording.WriteAtEnd();
    throw;
  }
  recording.WriteAtEnd();
}

}  // namespace

cli::Flag TimelineFlag() {
  return {.name = kTimeline,
          .help = "Draw the phases against time into this file, FILE.svg or FILE.html",
          .hidden = true};
}

workflow::Selection WithoutSkipped(const cli::Parsed& flags,
                                   const std::vector<std::string>& configured) {
  const std::vector<std::string>& given = flags.List("skip-phases");
  return {.skip = given.empty() ? configured : given};
}

void ReportRun(cli::Invocation& invocation, host::Host& machine,
               const std::function<void(workflow::Reporter& reporter)>& body) {
  if (!invocation.flags.Text(kTimeline).empty()) {
    RunRecorded(invocation, machine, body);
    return;
  }
  const workflow::Clocks clocks = ClocksOf(machine);
  const std::unique_ptr<workflow::Reporter> reporter =
      MakeReporter(FormatOf(invocation.flags), invocation.streams.out, clocks);
  reporter->RunStarted(CommandOf(invocation));
  workflow::Report(*reporter, clocks, [&] { body(*reporter); });
}

}  // namespace kubeadm
