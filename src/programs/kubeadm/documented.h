// SPDX-License-Identifier: Apache-2.0
// Commands with the texts of texts/*.md, which help, the man page and the manual share.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "host/host.h"

namespace kubeadm {

// A command whose long text and examples come from texts/<text>.md.
cli::Command Documented(std::string name, std::string summary, std::string_view text);

// A documented command without an action of its own: it requires a subcommand.
cli::Command Group(std::string name, std::string summary, std::string_view text,
                   std::function<std::vector<cli::Command>()> children);

// A row of a list of commands: a documented command without children.
struct Leaf {
  std::string name;
  std::string summary;
  std::string_view text;
  std::vector<cli::Flag> flags = {};
  std::string usage_args = {};  // like the other fields, see cli::Command
  int max_args = 0;
  bool beyond_upstream = false;
  // False if the command reports its own span, or if another process reports the span.
  bool traced = true;
  std::function<void(cli::Invocation& invocation, host::Host& host)> run;
};
// Returns the row's command. `host` must outlive it.
cli::Command Made(Leaf leaf, host::Host& host);
std::vector<cli::Command> Made(std::vector<Leaf> leaves, host::Host& host);

// Concatenates the two tables of flags.
std::vector<cli::Flag> Joined(std::vector<cli::Flag> flags, std::vector<cli::Flag> more);

}  // namespace kubeadm
