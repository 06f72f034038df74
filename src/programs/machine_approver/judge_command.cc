// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <ostream>

#include "base/error.h"
#include "cli/help.h"
#include "cli/input.h"
#include "cli/terminal.h"
#include "controller/judge_input.h"
#include "machine_approver/commands.h"
#include "machine_approver/options.h"
#include "machine_approver/texts.h"

namespace machine_approver {
namespace {

using base::Error;

std::string ReadInput(const host::Host& host, cli::Invocation& invocation) {
  const std::string& path = invocation.flags.Text("input");
  return path == "-" ? cli::ReadInput(invocation.streams.in) : host.files.Read(path);
}

// Returns the verdict on an input. An unreadable input gets a verdict, too.
judgement::Verdict JudgeOrRefuse(const json::Value& input,
                                 const controller::JudgeOptions& options) {
  try {
    return controller::JudgeInput(input, options);
  } catch (const Error& error) {
    return {.decision = judgement::Decision::kIgnore,
            .reason = judgement::Reason::kInvalidCall,
            .message = error.message(),
            .rules = {{"input-form", false, error.message()}}};
  }
}

void Judge(const host::Host& host, cli::Invocation& invocation) {
  const controller::JudgeOptions options{
      .policy = PolicyOf(invocation.flags),
      .now = std::chrono::time_point_cast<std::chrono::seconds>(host.clock.Now()),
      .dial_timeout = std::chrono::duration_cast<std::chrono::milliseconds>(
          invocation.flags.Duration("dial-timeout"))};
  const auto inputs = controller::SplitInputs(ReadInput(host, invocation));
  if (inputs.empty()) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("{} holds no JSON object to judge", invocation.flags.Text("input")));
  }
  for (const auto& input : inputs) {
    invocation.streams.out << cli::Exact{controller::VerdictLine(JudgeOrRefuse(input, options))}
                           << "\n"
                           << std::flush;
  }
}

}  // namespace

cli::Command JudgeCommand(host::Host& host) {
  cli::Command command = cli::Documented(
      "judge", "Judge requests that are given together with their world", Text("judge"));
  command.flags = PolicyFlags();
  command.flags.push_back({.name = "input",
                           .help = "The file with the JSON objects, or - for standard input.",
                           .value_name = "file",
                           .required = true});
  command.flags.push_back({.name = "dial-timeout",
                           .type = cli::FlagType::kDuration,
                           .default_text = "5s",
                           .help = "How long to wait for a kubelet to show its certificate."});
  command.run = [&host](cli::Invocation& invocation) { Judge(host, invocation); };
  return command;
}

}  // namespace machine_approver
