// SPDX-License-Identifier: Apache-2.0
// Commands as values: a tree of names, flags and functions, and the program that runs one of them.
//
// A function creates the children, so that a start builds only the commands on the path that the
// user named. Words are resolved to commands, and mistakes reported, by the rules of cobra
// (github.com/spf13/cobra), which scripts and people know from every Kubernetes tool.
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
  std::size_t columns = 0;  // of the terminal that `out` is; 0: a file or a pipe
};

inline constexpr int kAnyNumber = -1;

struct Invocation;

// One node of the tree. Its strings are for the user: README style, whole sentences.
struct Command {
  std::string name;
  std::string summary;    // the line in the parent's list
  std::string long_text;  // "": the summary
  std::string example;
  std::string usage_args;  // "[version]", as in the usage line
  std::vector<std::string> aliases;
  int max_args = 0;                     // kAnyNumber: no limit
  std::vector<std::string> arg_values;  // values that completion offers as arguments
  bool hidden = false;
  bool beyond_upstream = false;  // ours alone: help lists it separately (kBeyondUpstream)
  bool any_flags = false;        // skips all parsing: `run` is called for any words
  std::vector<Flag> flags;
  std::vector<Flag> defaults;               // may be read, not set (see Parsed)
  std::function<std::string()> more_help;   // created only for help, appended to the long text
  std::function<void(Invocation&)> before;  // runs before any command at or below this one
  std::function<void(Invocation&)> run;     // empty: the command prints its help
  std::function<std::vector<Command>()> children;
};

// One call of one command; the tree of commands outlives it.
struct Invocation {
  const Command& command;
  std::string path;  // "kubeadm init phase certs"
  Parsed flags;
  Streams& streams;
  std::function<void(std::ostream&)> print_help;
  const Command& root;
};

// The `run` of a group without an action: prints help to stdout, then throws.
void RequireSubcommand(Invocation& invocation);

// The command that words name: the chain of commands from the root, and the remaining words.
struct Found {
  std::vector<Command> chain;
  std::vector<std::string> words;

  const Command& command() const { return chain.back(); }
  std::string Path() const;  // "kubeadm init phase"
  std::vector<Flag> InheritedFlags() const;
  std::vector<Flag> AllFlags() const;  // inherited, own and --help
};

// Finds the command that the words name, by following the names down the tree. Flags may precede a
// command's name. Flags, and words that do not name a command, stay in the result's `words`.
Found Find(const Command& root, std::span<const std::string> words);

// ChildrenOf is the command's children; the root of a tree has `help` and `completion` as well.
std::vector<Command> ChildrenOf(const Command& command, std::size_t depth);

// Returns whether a list of commands shows it: not hidden, and with an action or children.
bool IsAvailable(const Command& command);

// Runs the command line, and propagates the command's exceptions.
void Run(const Command& root, std::span<const std::string> words, Streams& streams);

// Runs a program's command line for `main`. No other function prints errors: "error: <message>" and
// a hint, or the error's trace at -v 5 and above. Returns the exit status, 0 or 1.
int Main(const Command& root, std::span<const std::string> words, Streams& streams);

}  // namespace cli
