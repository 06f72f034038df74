// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <iostream>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/terminal.h"
#include "host/core_dumps.h"
#include "host/host.h"
#include "host/name_service.h"
#include "host/standard_streams.h"
#include "slipway_operator/program.h"

int main(int argc, char** argv) {
  host::ForbidCoreDumps();
  host::OpenStandardDescriptors();
  host::LookUpByFilesAndDns();
  std::ios::sync_with_stdio(false);
  const std::vector<std::string> words(argv + 1, argv + argc);
  cli::Streams streams{std::cin, std::cout, std::cerr, host::TerminalColumns()};
  host::RealHost machine;
  const cli::Terminal terminal(streams.out, streams.err,
                               {.out_is_terminal = isatty(STDOUT_FILENO) == 1,
                                .err_is_terminal = isatty(STDERR_FILENO) == 1,
                                .no_color = machine.host.environment.Get("NO_COLOR"),
                                .terminal = machine.host.environment.Get("TERM")});
  const int status = cli::Main(slipway_operator::Root(machine.host), words, streams);
  return host::FinishOutput(streams.out, streams.err, status);
}
