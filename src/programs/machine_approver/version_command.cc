// SPDX-License-Identifier: Apache-2.0
#include <ostream>

#include "base/build.h"
#include "cli/help.h"
#include "machine_approver/commands.h"
#include "machine_approver/texts.h"

namespace machine_approver {

cli::Command VersionCommand() {
  cli::Command command =
      cli::Documented("version", "Print the version of cluster-machine-approver", Text("version"));
  command.run = [](cli::Invocation& invocation) {
    invocation.streams.out << base::kSlipwayVersion << "\n";
  };
  return command;
}

}  // namespace machine_approver
