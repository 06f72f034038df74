// SPDX-License-Identifier: Apache-2.0
#include <malloc.h>
#include <unistd.h>

#include <iostream>
#include <string>
#include <vector>

#include "cli/terminal.h"
#include "host/core_dumps.h"
#include "host/host.h"
#include "host/name_service.h"
#include "host/standard_streams.h"
#include "kubeadm/root.h"
#include "pki/key_memory.h"
#include "static_pods/accounts.h"

int main(int argc, char** argv) {
  host::ForbidCoreDumps();
  pki::LockKeyMemory();
  host::OpenStandardDescriptors();
  host::LookUpByFilesAndDns();
  std::ios::sync_with_stdio(false);
  // Uses a single malloc arena, so that threads reuse each other's freed memory. If several threads
  // read lists one after the other, the process then needs only the memory of one list.
  mallopt(M_ARENA_MAX, 1);
  // Large allocations use mmap, so that the memory of a large answer is returned once it was read.
  mallopt(M_MMAP_THRESHOLD, 256 << 10);
  const std::vector<std::string> words(argv + 1, argv + argc);
  cli::Streams streams{std::cin, std::cout, std::cerr, host::TerminalColumns()};
  host::RealHost machine;
  machine.files.KeepSecretsOf(static_pods::RootlessOwners(machine.files));
  cli::Terminal terminal(streams.out, streams.err,
                         {.out_is_terminal = isatty(STDOUT_FILENO) == 1,
                          .err_is_terminal = isatty(STDERR_FILENO) == 1,
                          .no_color = machine.host.environment.Get("NO_COLOR"),
                          .terminal = machine.host.environment.Get("TERM")});
  cli::Command root = kubeadm::Root(machine.host, &terminal);
  root.before = [&machine, before = root.before](cli::Invocation& invocation) {
    machine.files.FollowLinksOf(invocation.flags.GivenWords());
    before(invocation);
  };
  const int status = cli::Main(root, words, streams);
  return host::FinishOutput(streams.out, streams.err, status);
}
