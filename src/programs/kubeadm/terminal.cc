// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/terminal.h"

#include <fmt/core.h>

#include <cstdlib>
#include <istream>
#include <ostream>
#include <stop_token>

#include "base/error.h"
#include "base/strings.h"
#include "base/wrap.h"
#include "cli/input.h"
#include "host/standard_streams.h"

namespace kubeadm {

workflow::Listener ShowAs(const std::string& format, std::ostream& out, host::Clock& clock) {
  if (format == "json") {
    return workflow::JsonLines(out);
  }
  if (format != "text") {
    throw base::Error(base::Error::Kind::kUsage, "invalid output format " + base::Quoted(format) +
                                                     ": --output takes text or json");
  }
  return workflow::TextLines(
      {.out = out, .clock = clock, .terminal_width = host::TerminalColumns()});
}

base::ShowLine SayAs(std::string_view command, cli::Invocation& invocation) {
  return [command, &out = invocation.streams.out](const std::string& line) {
    out << '[' << command << "] " << base::HangingIndent(line) << '\n' << std::flush;
  };
}

bool Confirm(cli::Streams& streams, host::Signals& signals, const std::string& question) {
  // An interrupt ends the process immediately, because no action is in progress.
  const std::stop_callback leave(signals.Interrupt(), [] { std::_Exit(130); });
  streams.out << question << std::flush;
  std::string answer = cli::ReadLine(streams.in);
  if (answer.ends_with('\r')) {
    answer.pop_back();
  }
  const std::string word = base::ToLower(answer);  // " y" is not a yes, as in upstream
  return word == "y" || word == "yes";
}

bool PrintsEvents(const cli::Parsed& flags) {
  return flags.Offers("output") && flags.Text("output") == "json";
}

void RequireQuestionsAllowed(const cli::Parsed& flags, std::string_view remedy) {
  if (PrintsEvents(flags)) {
    throw base::Error(base::Error::Kind::kUsage,
                      fmt::format("--output json asks no questions: {}", remedy));
  }
}

void RequireYes(cli::Invocation& invocation, host::Host& host) {
  if (!invocation.flags.Bool("yes") &&
      !Confirm(invocation.streams, host.signals, "Continue? [y/N]: ")) {
    throw base::Error("not confirmed; nothing was changed");
  }
}

std::function<bool(const std::string& question)> Asking(cli::Invocation& invocation,
                                                        host::Host& machine) {
  return [&](const std::string& question) {
    return Confirm(invocation.streams, machine.signals, question);
  };
}

}  // namespace kubeadm
