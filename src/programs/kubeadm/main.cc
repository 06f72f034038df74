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
  const std::vector<std::string> words(argv + 1, argv + argc);
  cli::Streams streams{std::cin, std::cout, std::cerr};
  const int status = cli::Main(kubeadm::Root(host::RealHost()), words, streams);
  return host::FinishOutput(streams.out, streams.err, status);
}
