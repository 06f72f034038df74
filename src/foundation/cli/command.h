// SPDX-License-Identifier: Apache-2.0
// Commands as values: a tree of names, flags and functions, and the program that runs one of them.
//
// Each command creates its children by a function, so that a start builds only the commands on the
// path that the user named. The search for a command and the reports of mistakes follow cobra
// (github.com/spf13/cobra), whose behaviour scripts and people know from every Kubernetes tool.
#pragma once

#include <functional>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/flags.h"

namespace cli {

// The three standard streams of a program.
struct Streams {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  std::size_t columns = 0;  // width of the terminal at `out`; 0 for a file or a pipe
};

inline constexpr int kAnyNumber = -1;

struct Invocation;

// A command in the tree. Its strings are shown to the user: whole sentences in plain words.
struct Command {
  std::string name;
  std::string summary;    // shown in the parent's list of commands
  std::string long_text;  // if "", the summary is shown
  std::string example;
  std::string usage_args;  // "[version]", as in the usage line
  std::vector<std::string> aliases;
  int max_args = 0;                     // kAnyNumber for no limit
  std::vector<std::string> arg_values;  // values that completion offers as arguments
  bool hidden = false;
  bool beyond_upstream = false;  // only in Slipway: help lists it separately (kBeyondUpstream)
  bool any_flags = false;        // the words are not parsed, and all are passed to `run`
  std::vector<Flag> flags;
  // Flags that `run` reads, but that the user cannot set for this command. They have their
  // defaults.
  std::vector<Flag> defaults;
  // Called only for help. Its result is appended to the long text.
  std::function<std::string()> more_help;
  // Called before `run` of this command and of each command below it.
  std::function<void(Invocation&)> before;
  // If it is empty, the command prints its help.
  std::function<void(Invocation&)> run;
  std::function<std::vector<Command>()> children;
};

// One call of a command. The tree of commands must outlive it.
struct Invocation {
  const Command& command;
  std::string path;  // "kubeadm init phase certs"
  Parsed flags;
  Streams& streams;
  std::function<void(std::ostream&)> print_help;
  const Command& root;
};

// The `run` of a group of commands: prints the group's help to stdout, then throws
// base::Error(kUsage).
void RequireSubcommand(Invocation& invocation);

// The command that words name: the chain of commands from the root, and the remaining words.
struct Found {
  std::vector<Command> chain;
  std::vector<std::string> words;

  const Command& command() const { return chain.back(); }
  std::string Path() const;  // "kubeadm init phase"
  std::vector<Flag> InheritedFlags() const;
  std::vector<Flag> AllFlags() const;  // inherited flags, own flags, and --help
};

// Finds the command that the words name, by following the names down the tree. Flags may precede a
// command's name. Flags, and words that do not name a command, stay in the result's `words`.
Found Find(const Command& root, std::span<const std::string> words);

// Returns the command's children. The root (depth 0) also has `help` and `completion`.
std::vector<Command> ChildrenOf(const Command& command, std::size_t depth);

// Returns whether lists of commands show the command: it is not hidden, and has an action or
// children.
bool IsAvailable(const Command& command);

// Runs the command line, and propagates the command's exceptions.
void Run(const Command& root, std::span<const std::string> words, Streams& streams);

// Runs a program's command line for `main`. Prints an exception of the command as "error:
// <message>" with a hint, or with the error's trace at -v 5 and above. No other function prints
// errors. Returns the exit status: 0, 1 after an error, or the status of Exit.
int Main(const Command& root, std::span<const std::string> words, Streams& streams);

}  // namespace cli
