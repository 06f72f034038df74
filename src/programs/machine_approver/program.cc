// SPDX-License-Identifier: Apache-2.0
#include "machine_approver/program.h"

#include <algorithm>
#include <exception>
#include <ostream>
#include <vector>

#include "base/error.h"
#include "base/wrap.h"
#include "cli/help.h"
#include "machine_approver/commands.h"
#include "machine_approver/log_flags.h"
#include "machine_approver/options.h"
#include "machine_approver/texts.h"

namespace machine_approver {
namespace {

constexpr int kUsageStatus = 2;
constexpr int kCommandStatus = 1;
constexpr int kFatalStatus = 255;

bool NamesCommand(const cli::Command& root, std::span<const std::string> words) {
  return std::ranges::any_of(cli::ChildrenOf(root, 0), [&](const cli::Command& child) {
    return std::ranges::find(words, child.name) != words.end();
  });
}

}  // namespace

cli::Command Root(host::Host& host, cli::Terminal* terminal) {
  cli::Command root = cli::Documented("cluster-machine-approver",
                                      "Approve the certificates of kubelets", Text("root"));
  root.max_args = cli::kAnyNumber;
  root.flags = ControllerFlags();
  for (cli::Flag& flag : LogFlags()) {
    root.flags.push_back(std::move(flag));
  }
  root.run = [&host](cli::Invocation& invocation) { RunController(host, invocation.flags); };
  root.children = [&host, terminal] {
    return std::vector<cli::Command>{ExplainCommand(host, terminal), JudgeCommand(host),
                                     VersionCommand()};
  };
  return root;
}

int Main(host::Host& host, std::span<const std::string> words, cli::Streams& streams,
         cli::Terminal* terminal) {
  cli::Command root = Root(host, terminal);
  const bool command = NamesCommand(root, words);
  if (!command) {
    root.children = nullptr;  // the controller ignores arguments, as upstream's does
  }
  try {
    cli::Run(root, words, streams);
    return 0;
  } catch (const base::Error& error) {
    streams.err << "error: " << base::HangingIndent(error.message()) << "\n";
    if (error.kind() == base::Error::Kind::kUsage) {
      streams.err << "See 'cluster-machine-approver --help' for the flags.\n";
      return kUsageStatus;
    }
    return command ? kCommandStatus : kFatalStatus;
  } catch (const base::Interrupted& interrupted) {
    streams.err << "error: " << base::HangingIndent(interrupted.message()) << "\n";
    return command ? kCommandStatus : kFatalStatus;
  } catch (const std::exception& error) {  // unexpected errors, such as lack of threads or memory
    streams.err << "error: " << base::HangingIndent(error.what()) << "\n";
    return command ? kCommandStatus : kFatalStatus;
  }
}

}  // namespace machine_approver
