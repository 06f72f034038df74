// SPDX-License-Identifier: Apache-2.0
// Commands as values: a tree of names, flags and functions, and the program that runs one of them.
//
// Children are made by a function, so that a start builds only the commands on the path that the
// user named. The rules by which words find their command, and what each mistake says, are those of
// cobra (github.com/spf13/cobra), which scripts and people know from every Kubernetes tool.
#pragma once

#include <functional>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/flags.h"

namespace cli {

// Streams are a program's three.
struct Streams {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  std::size_t columns = 0;  // of the terminal that `out` is; 0: it is a file or a pipe
};

inline constexpr int kAnyNumber = -1;

struct Invocation;

// Command is one node of the tree. Texts are the user's to read; README style, whole sentences.
struct Command {
  std::string name;
  std::string summary;    // the line in the parent's list
  std::string long_text;  // "": the summary
  std::string example;
  std::string usage_args;  // "[version]", as the usage line shows them
  std::vector<std::string> aliases;
  int max_args = 0;                     // kAnyNumber: no limit
  std::vector<std::string> arg_values;  // what completion offers as arguments
  bool hidden = false;
  bool beyond_upstream = false;  // ours alone: help lists it apart (kBeyondUpstream)
  bool any_flags = false;  // words are not read at all: whatever stands there, `run` is called
  std::vector<Flag> flags;
  std::vector<Flag> defaults;               // may be read, not set (see Parsed)
  std::function<std::string()> more_help;   // made only for help, put after the long text
  std::function<void(Invocation&)> before;  // runs before any command at or below this one
  std::function<void(Invocation&)> run;     // none: the command prints its help
  std::function<std::vector<Command>()> children;
};

// Invocation is one call of one command; the tree of commands outlives it.
struct Invocation {
  const Command& command;
  std::string path;  // "kubeadm init phase certs"
  Parsed flags;
  Streams& streams;
  std::function<void(std::ostream&)> print_help;
  const Command& root;
};

// RequireSubcommand is the `run` of a group that does nothing itself: help on stdout, then an
// error.
void RequireSubcommand(Invocation& invocation);

// Found is the command that words name: the chain of commands from the root, and the words which
// are left for it.
struct Found {
  std::vector<Command> chain;
  std::vector<std::string> words;

  const Command& command() const { return chain.back(); }
  std::string Path() const;  // "kubeadm init phase"
  std::vector<Flag> InheritedFlags() const;
  std::vector<Flag> AllFlags() const;  // inherited, own and --help
};

// Find follows the words down the tree. Flags may stand before a command's name; they stay in
// `words`. Words which name no command are left as well.
Found Find(const Command& root, std::span<const std::string> words);

// ChildrenOf is the command's children; the root of a tree has `help` and `completion` as well.
std::vector<Command> ChildrenOf(const Command& command, std::size_t depth);

// IsAvailable reports whether a list of commands shows it: not hidden, and good for something.
bool IsAvailable(const Command& command);

// Run does what the words say, and throws what the command throws.
void Run(const Command& root, std::span<const std::string> words, Streams& streams);

// Main is Run for a program's main: the one place where an error is printed ("error: <message>" and
// a hint, or where it came from at -v 5 and above). Returns the exit status, 0 or 1.
int Main(const Command& root, std::span<const std::string> words, Streams& streams);

}  // namespace cli
