// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/reported_run.h"

#include <memory>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "kubeadm/terminal.h"
#include "timeline/draw.h"

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

// Recording keeps the events of a run for its drawing. The file is written when the run starts, so
// that a place where it cannot be is known before anything is done, and again when it has ended.
class Recording {
 public:
  Recording(host::Host& machine, std::string path)
      : machine_(machine), path_(std::move(path)), form_(timeline::FormOf(path_)) {}

  // Throws when the file cannot be written at the start. At the end that is only a warning: the
  // run's own end counts, whatever becomes of its drawing.
  void Take(const workflow::Event& event) {
    events_.push_back(event);
    if (std::holds_alternative<workflow::event::RunStarted>(event.what)) {
      Write();
    } else if (std::holds_alternative<workflow::event::RunFinished>(event.what)) {
      WriteAtEnd();
    }
  }

 private:
  void Write() {
    base::WithContext("couldn't write the timeline", [&] {
      machine_.files.Write(path_, timeline::Draw(events_, form_), {.mode = 0644});
    });
  }

  void WriteAtEnd() {
    try {
      Write();
    } catch (const base::Error& error) {
      base::LogWarning("{}", error.message());
    }
  }

  host::Host& machine_;
  const std::string path_;
  const timeline::Form form_;
  std::vector<workflow::Event> events_;
};

// Those who hear of the run as the flags ask.
std::vector<workflow::Listener> ListenersOf(cli::Invocation& invocation, host::Host& machine) {
  const cli::Parsed& flags = invocation.flags;
  std::vector<workflow::Listener> listeners;
  if (flags.Offers(kTimeline) && !flags.Text(kTimeline).empty()) {
    listeners.emplace_back(
        [recording = std::make_shared<Recording>(machine, flags.Text(kTimeline))](
            const workflow::Event& event) { recording->Take(event); });
  }
  listeners.push_back(ShowAs(FormatOf(flags), invocation.streams.out, machine.clock));
  return listeners;
}

}  // namespace

cli::Flag TimelineFlag() {
  return {.name = kTimeline,
          .help = "Draw the phases against time into this file, FILE.svg or FILE.html",
          .beyond_upstream = true};
}

workflow::Selection WithoutSkipped(const cli::Parsed& flags,
                                   const std::vector<std::string>& configured) {
  constexpr const char* kSkipPhases = "skip-phases";
  const bool given = flags.Offers(kSkipPhases) && !flags.List(kSkipPhases).empty();
  return {.skip = given ? flags.List(kSkipPhases) : configured};
}

void ReportRun(cli::Invocation& invocation, host::Host& machine,
               const std::function<void(workflow::Reporter& reporter)>& body) {
  workflow::Reporter reporter(machine.clock, ListenersOf(invocation, machine));
  reporter.Emit(workflow::event::RunStarted{.command = CommandOf(invocation)});
  workflow::Report(reporter, machine.clock, [&] { body(reporter); });
}

}  // namespace kubeadm
