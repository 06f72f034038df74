// SPDX-License-Identifier: Apache-2.0
#include "workflow/bind.h"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "base/strings.h"

namespace workflow {
namespace {

struct TreeLine {
  std::string left;
  std::string summary;
};

void AddLines(const std::vector<AnyPhase>& phases, std::size_t depth,
              std::vector<TreeLine>& lines) {
  for (const AnyPhase& phase : phases) {
    if (!phase.hidden) {
      lines.push_back(
          {std::string(2 * depth + 2, ' ') + (depth == 0 ? "" : "/") + phase.name, phase.summary});
      AddLines(phase.children, depth + 1, lines);
    }
  }
}

enum class Touch { kLooks, kChanges };

// Splits the table into the flags that the phase offers and those that only have their default.
void DivideFlags(std::vector<std::string> names, Touch touch, const PhaseCommands& binding,
                 cli::Command& command) {
  std::vector<cli::Flag> table = binding.flags();
  if (touch == Touch::kChanges) {
    std::ranges::copy(binding.flags_of_changes, std::back_inserter(names));
  }
  for (const std::string& name : names) {
    if (std::ranges::find(table, name, &cli::Flag::name) == table.end()) {
      throw std::logic_error(fmt::format("phase {}: no flag --{}", command.name, name));
    }
  }
  for (cli::Flag& flag : table) {
    const bool offered = std::ranges::find(names, flag.name) != names.end();
    (offered ? command.flags : command.defaults).push_back(std::move(flag));
  }
}

std::function<void(cli::Invocation&)> RunPath(const PhaseCommands& binding,
                                              const std::string& path) {
  return [run = binding.run, path](cli::Invocation& invocation) { run(invocation, path); };
}

cli::Command AllCommand(const AllSiblings& all, const PhaseCommands& binding,
                        const std::string& group) {
  cli::Command command{.name = "all",
                       .summary = all.summary,
                       .long_text = all.long_text,
                       .example = all.example,
                       .usage_args = all.usage_args,
                       .max_args = all.max_args.value_or(binding.max_args),
                       .run = RunPath(binding, group)};
  DivideFlags(all.flags, Touch::kChanges, binding, command);
  return command;
}

std::vector<cli::Command> CommandsOf(const std::vector<AnyPhase>& phases,
                                     const PhaseCommands& binding, const std::string& prefix);

cli::Command CommandOf(const AnyPhase& phase, const PhaseCommands& binding,
                       const std::string& prefix) {
  const std::string path = prefix + phase.name;
  cli::Command command{.name = phase.name,
                       .summary = phase.summary,
                       .long_text = phase.long_text,
                       .example = phase.example,
                       .usage_args = phase.usage_args,
                       .aliases = phase.aliases};
  if (IsOne(phase)) {
    command.max_args = phase.max_args.value_or(binding.max_args);
    command.run = RunPath(binding, path);
    DivideFlags(phase.flags, phase.only_looks ? Touch::kLooks : Touch::kChanges, binding, command);
    return command;
  }
  command.run = cli::RequireSubcommand;
  command.children = [phase, binding, path] {
    std::vector<cli::Command> children = CommandsOf(phase.children, binding, path + "/");
    if (phase.all) {
      children.push_back(AllCommand(*phase.all, binding, path));
    }
    return children;
  };
  return command;
}

std::vector<cli::Command> CommandsOf(const std::vector<AnyPhase>& phases,
                                     const PhaseCommands& binding, const std::string& prefix) {
  std::vector<cli::Command> commands;
  for (const AnyPhase& phase : phases) {
    if (!phase.hidden) {
      commands.push_back(CommandOf(phase, binding, prefix));
    }
  }
  return commands;
}

}  // namespace

std::string PhaseTree(const std::vector<AnyPhase>& phases) {
  std::vector<TreeLine> lines;
  AddLines(phases, 0, lines);
  std::size_t width = 0;
  for (const TreeLine& line : lines) {
    width = std::max(width, line.left.size());
  }
  std::string text;
  for (const TreeLine& line : lines) {
    text += fmt::format("{:<{}}  {}\n", line.left, width, line.summary);
  }
  return text;
}

void BindPhases(cli::Command& command, const PhaseCommands& binding) {
  command.more_help = [name = command.name, binding] {
    return fmt::format("The phases of \"{}\", in order (see \"{} phase --help\"):\n\n{}", name,
                       name, PhaseTree(binding.phases()));
  };
  command.children = [earlier = command.children, binding, name = command.name] {
    std::vector<cli::Command> children = earlier ? earlier() : std::vector<cli::Command>();
    children.push_back(
        {.name = "phase",
         .summary = fmt::format("Run a single phase of \"{}\"", name),
         .run = cli::RequireSubcommand,
         .children = [binding] { return CommandsOf(binding.phases(), binding, ""); }});
    return children;
  };
}

}  // namespace workflow
