// SPDX-License-Identifier: Apache-2.0
// Commands with the texts of texts/*.md: what help, the man page and the manual show alike.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "host/host.h"

namespace kubeadm {

// Documented is a command whose long text and examples come from texts/<text>.md.
cli::Command Documented(std::string name, std::string summary, std::string_view text);

// Group is a documented command that does nothing itself: it wants one of its children.
cli::Command Group(std::string name, std::string summary, std::string_view text,
                   std::function<std::vector<cli::Command>()> children);

// Leaf is a row of a list of commands: a documented command without children.
struct Leaf {
  std::string name;
  std::string summary;
  std::string_view text;
  std::vector<cli::Flag> flags = {};
  std::string usage_args = {};  // cli::Command, as the rest
  int max_args = 0;
  bool beyond_upstream = false;
  std::function<void(cli::Invocation& invocation, host::Host& host)> run;
};
// Made is the row's command. `host` outlives it.
cli::Command Made(Leaf leaf, host::Host& host);
std::vector<cli::Command> Made(std::vector<Leaf> leaves, host::Host& host);

// Joined is the two tables of flags in one.
std::vector<cli::Flag> Joined(std::vector<cli::Flag> flags, std::vector<cli::Flag> more);

}  // namespace kubeadm
