// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/reported_run.h"

#include <memory>
#include <vector>

#include "base/wrap.h"
#include "kubeadm/terminal.h"
#include "kubeadm/trace.h"
#include "workflow/timeline/recording.h"

namespace kubeadm {
namespace {

constexpr const char* kTimeline = "timeline";

std::string FormatOf(const cli::Parsed& flags) {
  return flags.Offers("output") ? flags.Text("output") : "text";
}

// Returns "init" for "kubeadm init".
std::string CommandOf(const cli::Invocation& invocation) {
  return invocation.path.substr(invocation.path.find(' ') + 1);
}

// Returns the recording of --timeline, if that flag is set.
std::vector<workflow::Listener> RecordingOf(const cli::Parsed& flags, host::Host& machine) {
  std::vector<workflow::Listener> listeners;
  if (flags.Offers(kTimeline) && !flags.Text(kTimeline).empty()) {
    listeners.emplace_back(
        [recording = std::make_shared<timeline::Recording>(machine.files, flags.Text(kTimeline))](
            const workflow::Event& event) { recording->Take(event); });
  }
  return listeners;
}

// Puts a tab before the further lines of messages, like Output::Line.
workflow::Listener Indented(workflow::Listener show) {
  return [show = std::move(show)](workflow::Event event) {
    if (auto* message = std::get_if<workflow::event::Message>(&event.what)) {
      message->text = base::HangingIndent(message->text);
    }
    show(event);
  };
}

void Report(std::vector<workflow::Listener> listeners, const cli::Invocation& invocation,
            host::Host& machine, const std::function<void(workflow::Reporter& reporter)>& body) {
  if (auto trace = TraceListener(machine)) {
    listeners.push_back(*std::move(trace));  // last: it waits for the collector
  }
  workflow::Reporter reporter(machine.clock, std::move(listeners));
  reporter.Emit(workflow::event::RunStarted{.command = CommandOf(invocation)});
  workflow::Report(reporter, machine.clock, [&] { body(reporter); });
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
  std::vector<workflow::Listener> listeners = RecordingOf(invocation.flags, machine);
  listeners.push_back(ShowAs(FormatOf(invocation.flags), invocation.streams.out, machine.clock));
  Report(std::move(listeners), invocation, machine, body);
}

void ReportRunTo(const Output& output, cli::Invocation& invocation, host::Host& machine,
                 const std::function<void(workflow::Reporter& reporter)>& body) {
  std::vector<workflow::Listener> listeners = RecordingOf(invocation.flags, machine);
  if (output.IsText()) {
    listeners.push_back(Indented(ShowAs("text", invocation.streams.out, machine.clock)));
  }
  Report(std::move(listeners), invocation, machine, body);
}

}  // namespace kubeadm
