// SPDX-License-Identifier: Apache-2.0
// Command lines, one argument a line: parsing finds a command and its flags, or an error with the
// reason.
#include <sstream>

#include "base/strings.h"
#include "cli/command.h"
#include "fuzz.h"

namespace {

cli::Command Tree() {
  cli::Command leaf{.name = "leaf", .summary = "A leaf", .aliases = {"l"}, .max_args = 2};
  leaf.flags = cli::LogFlags();
  leaf.run = [](cli::Invocation& invocation) {
    fuzz::Require(invocation.flags.args().size() <= 2, "no more arguments than are allowed");
  };
  cli::Command root{.name = "tree", .summary = "A tree", .flags = cli::LogFlags()};
  root.children = [leaf] { return std::vector<cli::Command>{leaf}; };
  return root;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const cli::Command root = Tree();
  std::istringstream in;
  std::ostringstream out;
  cli::Streams streams{in, out, out};
  const std::vector<std::string> words = base::Split(fuzz::Text(bytes, size), '\n');
  const bool refused = fuzz::Refused([&] { cli::Run(root, words, streams); });
  out.str("");
  const int status = cli::Main(root, words, streams);
  fuzz::Require((status != 0) == refused, "a refused command line ends with an error");
  fuzz::Require(!refused || !out.str().empty(), "an error says something");
  return 0;
}
