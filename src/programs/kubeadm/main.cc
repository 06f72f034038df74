// SPDX-License-Identifier: Apache-2.0
#include <malloc.h>

#include <iostream>
#include <string>
#include <vector>

#include "host/core_dumps.h"
#include "host/host.h"
#include "host/name_service.h"
#include "host/standard_streams.h"
#include "kubeadm/root.h"

int main(int argc, char** argv) {
  host::ForbidCoreDumps();
  host::OpenStandardDescriptors();
  host::LookUpByFilesAndDns();
  std::ios::sync_with_stdio(false);
  // One arena: what a thread has read and freed is there for the next one, so that lists read one
  // after the other by several threads take the memory of one.
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_MMAP_THRESHOLD, 256 << 10);  // a large answer's memory goes back when it is read
  const std::vector<std::string> words(argv + 1, argv + argc);
  cli::Streams streams{std::cin, std::cout, std::cerr};
  host::RealHost machine;
  const int status = cli::Main(kubeadm::Root(machine.host), words, streams);
  return host::FinishOutput(streams.out, streams.err, status);
}
