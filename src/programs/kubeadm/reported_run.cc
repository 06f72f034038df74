// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/reported_run.h"

#include <memory>
#include <vector>

#include "kubeadm/terminal.h"
#include "workflow/timeline/recording.h"

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

// The receivers of the run's events, by the flags.
std::vector<workflow::Listener> ListenersOf(cli::Invocation& invocation, host::Host& machine) {
  const cli::Parsed& flags = invocation.flags;
  std::vector<workflow::Listener> listeners;
  if (flags.Offers(kTimeline) && !flags.Text(kTimeline).empty()) {
    listeners.emplace_back(
        [recording = std::make_shared<timeline::Recording>(machine.files, flags.Text(kTimeline))](
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
