// SPDX-License-Identifier: Apache-2.0
// man_pages DIRECTORY DATE: writes the manual pages of the programs into the directory, which must
// exist. DATE is printed in the pages, "2026-01-31".
#include <fmt/core.h>

#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>

#include "base/build.h"
#include "cli/man.h"
#include "host/host.h"
#include "kubeadm/root.h"
#include "machine_approver/program.h"
#include "slipway_operator/program.h"

namespace {

void Write(const std::string& directory, const cli::Command& root, const cli::ManEdition& edition) {
  for (const cli::ManPage& page : cli::ManPages(root, edition)) {
    std::ofstream out(directory + "/" + page.file);
    if (!(out << page.text).flush()) {
      throw std::runtime_error("cannot write " + page.file);
    }
  }
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 3) {
    throw std::runtime_error("usage: man_pages DIRECTORY DATE");
  }
  const cli::ManEdition edition = {.date = argv[2], .version = fmt::format("Slipway {}", base::kSlipwayVersion)};
  host::RealHost machine;
  Write(argv[1], kubeadm::Root(machine.host), edition);
  Write(argv[1], machine_approver::Root(machine.host), edition);
  Write(argv[1], slipway_operator::Root(machine.host), edition);
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "man_pages: {}\n", error.what());
  return 1;
}
