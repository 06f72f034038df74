// SPDX-License-Identifier: Apache-2.0
#include <malloc.h>

#include <iostream>
#include <string>
#include <vector>

#include "host/core_dumps.h"
#include "host/host.h"
#include "host/name_service.h"
#include "host/standard_streams.h"
#include "machine_approver/program.h"

int main(int argc, char** argv) {
  host::ForbidCoreDumps();
  host::OpenStandardDescriptors();
  host::LookUpByFilesAndDns();
  std::ios::sync_with_stdio(false);
  mallopt(M_ARENA_MAX, 2);  // many threads that allocate little: fewer arenas, less memory
  mallopt(M_MMAP_THRESHOLD, 256 << 10);  // a large answer's memory goes back when it is read
  const std::vector<std::string> words(argv + 1, argv + argc);
  cli::Streams streams{std::cin, std::cout, std::cerr, host::TerminalColumns()};
  host::RealHost machine;
  const int status = machine_approver::Main(machine.host, words, streams);
  return host::FinishOutput(streams.out, streams.err, status);
}
