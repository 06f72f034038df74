// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/documented.h"

#include <algorithm>
#include <iterator>

#include "cli/help.h"
#include "kubeadm/texts.h"
#include "kubeadm/trace.h"

namespace kubeadm {

cli::Command Documented(std::string name, std::string summary, std::string_view text) {
  return cli::Documented(std::move(name), std::move(summary), Text(text));
}

cli::Command Group(std::string name, std::string summary, std::string_view text,
                   std::function<std::vector<cli::Command>()> children) {
  cli::Command group = Documented(std::move(name), std::move(summary), text);
  group.run = cli::RequireSubcommand;
  group.children = std::move(children);
  return group;
}

cli::Command Made(Leaf leaf, host::Host& host) {
  cli::Command command = Documented(std::move(leaf.name), std::move(leaf.summary), leaf.text);
  command.flags = std::move(leaf.flags);
  command.usage_args = std::move(leaf.usage_args);
  command.max_args = leaf.max_args;
  command.beyond_upstream = leaf.beyond_upstream;
  command.run = [&host, traced = leaf.traced,
                 run = std::move(leaf.run)](cli::Invocation& invocation) {
    if (traced) {
      TraceCommand(invocation, host, [&] { run(invocation, host); });
    } else {
      run(invocation, host);
    }
  };
  return command;
}

std::vector<cli::Command> Made(std::vector<Leaf> leaves, host::Host& host) {
  std::vector<cli::Command> commands;
  for (Leaf& leaf : leaves) {
    commands.push_back(Made(std::move(leaf), host));
  }
  return commands;
}

std::vector<cli::Flag> Joined(std::vector<cli::Flag> flags, std::vector<cli::Flag> more) {
  std::ranges::move(more, std::back_inserter(flags));
  return flags;
}

}  // namespace kubeadm
