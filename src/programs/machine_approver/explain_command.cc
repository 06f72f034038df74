// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <ostream>

#include "base/error.h"
#include "cli/help.h"
#include "controller/explain.h"
#include "controller/judge_input.h"
#include "machine_approver/commands.h"
#include "machine_approver/connect.h"
#include "machine_approver/options.h"
#include "machine_approver/texts.h"

namespace machine_approver {
namespace {

using base::Error;

void PrintText(const controller::Explanation& explanation, std::ostream& out) {
  const judgement::Verdict& verdict = explanation.verdict;
  out << fmt::format("{}: {} ({})\n", explanation.csr.name,
                     judgement::DecisionText(verdict.decision), NameOf(verdict.reason));
  if (!verdict.message.empty()) {
    out << "  " << verdict.message << "\n";
  }
  for (const judgement::Rule& rule : verdict.rules) {
    out << fmt::format("  {} {:<22} {}\n", rule.passed ? "passed" : "FAILED", rule.rule,
                       rule.compared);
  }
}

void Explain(host::Host& host, cli::Invocation& invocation) {
  const cli::Parsed& flags = invocation.flags;
  const std::string& output = flags.Text("output");
  if (flags.args().size() != 1) {
    throw Error(Error::Kind::kUsage, "explain needs the name of one CertificateSigningRequest");
  }
  if (output != "text" && output != "json") {
    throw Error(Error::Kind::kUsage, "--output must be text or json");
  }
  // Settings are read before any query, so that errors of the command line are reported first.
  const controller::Settings settings = WorldSettings(host, flags);
  const auto explanation =
      controller::Explain(flags.args().front(), settings, ConnectAll(host, flags), host);
  if (output == "json") {
    invocation.streams.out << cli::Exact{controller::VerdictLine(explanation.verdict)} << "\n";
  } else {
    PrintText(explanation, invocation.streams.out);
  }
}

}  // namespace

cli::Command ExplainCommand(host::Host& host, cli::Terminal* terminal) {
  cli::Command command = cli::Documented(
      "explain", "Print the verdict on a request and what led to it", Text("explain"));
  command.usage_args = "CSR";
  command.max_args = 1;
  command.flags = WorldFlags();
  command.flags.push_back(
      {.name = "output", .shorthand = 'o', .default_text = "text", .help = "text or json."});
  command.flags.push_back(
      {.name = "color",
       .default_text = "auto",
       .help =
           "When to use colours: auto (on a terminal, unless NO_COLOR is set), always or never.",
       .on_set = [terminal](const cli::Parsed& so_far) {
         if (terminal != nullptr) {
           terminal->ChooseColors(so_far.Text("color"));
         }
       }});
  command.run = [&host](cli::Invocation& invocation) { Explain(host, invocation); };
  return command;
}

}  // namespace machine_approver
