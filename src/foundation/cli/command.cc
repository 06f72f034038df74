// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"

#include <fmt/core.h>

#include <algorithm>
#include <ostream>

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "base/wrap.h"
#include "cli/completion.h"
#include "cli/exit.h"
#include "cli/help.h"
#include "cli/suggest.h"

namespace cli {
namespace {

using base::Error;

constexpr int kTraceLevel = 5;

[[noreturn]] void ThrowUsage(const std::string& message) {
  throw Error(Error::Kind::kUsage, message);
}

Flag HelpFlag(const Command& command) {
  return {.name = "help",
          .shorthand = 'h',
          .type = FlagType::kBool,
          .help = "Show this help for " + command.name + "."};
}

void AppendPersistent(const Command& command, std::vector<Flag>& flags) {
  std::ranges::copy_if(command.flags, std::back_inserter(flags), &Flag::persistent);
}

// Returns the flags that are known during the search for the child's name.
std::vector<Flag> FlagsSoFar(std::span<const Command> chain) {
  std::vector<Flag> flags = chain.back().flags;
  for (const Command& ancestor : chain.first(chain.size() - 1)) {
    AppendPersistent(ancestor, flags);
  }
  return flags;
}

// Returns the index of the first word that is neither a flag nor a flag's value. Returns the number
// of words if all words are flags or values.
std::size_t FirstPlainWord(std::span<const std::string> words, std::span<const Flag> known) {
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    if (TakesNextWord(words[i], known)) {
      ++i;
    } else if (!words[i].empty() && !words[i].starts_with('-')) {
      return i;
    }
  }
  return words.size();
}

bool Answers(const Command& command, const std::string& word) {
  return command.name == word || std::ranges::find(command.aliases, word) != command.aliases.end();
}

[[noreturn]] void ThrowUnknownCommand(const Found& found, const std::string& typed) {
  std::vector<std::string> names;
  for (const Command& child : ChildrenOf(found.command(), found.chain.size() - 1)) {
    if (IsAvailable(child)) {
      names.push_back(child.name);
    }
  }
  std::ranges::sort(names);
  ThrowUsage(fmt::format("unknown command {} for \"{}\"{}", base::Quoted(typed), found.Path(),
                         DidYouMean(typed, names)));
}

// Throws for an unknown word at the root, which is a mistyped command. Below the root an unknown
// word is an argument, which the command itself checks.
void CheckRootWord(const Found& found) {
  if (found.chain.size() > 1 || !found.command().children) {
    return;
  }
  const std::size_t at = FirstPlainWord(found.words, FlagsSoFar(found.chain));
  if (at < found.words.size()) {
    ThrowUnknownCommand(found, found.words[at]);
  }
}

void CheckArguments(const Found& found, const std::vector<std::string>& args) {
  const int most = found.command().max_args;
  if (most == kAnyNumber || args.size() <= static_cast<std::size_t>(most)) {
    return;
  }
  if (most == 0) {
    ThrowUnknownCommand(found, args.front());
  }
  ThrowUsage(fmt::format("accepts at most {} arg(s), received {}", most, args.size()));
}

void CheckRequired(const Parsed& flags) {
  std::vector<std::string> missing;
  for (const std::string& name : flags.MissingNames()) {
    missing.push_back(base::Quoted(name));
  }
  if (!missing.empty()) {
    ThrowUsage("required flag(s) " + base::Join(missing, ", ") + " not set");
  }
}

// Prints the help of a topic, as in `help init phase`. For an unknown topic, prints a message and
// the help of the root; this is not a failure.
void PrintTopic(Invocation& invocation) {
  const std::vector<std::string>& topic = invocation.flags.args();
  const Found found = Find(invocation.root, topic);
  std::ostream* out = &invocation.streams.out;
  if (found.chain.size() == 1 && !topic.empty()) {
    out = &invocation.streams.err;
    *out << fmt::format("There is no help for \"{}\".\n\n", base::Visible(base::Join(topic, " ")));
  }
  *out << HelpText(found, invocation.streams.columns);
}

Command HelpCommand() {
  return {.name = "help",
          .summary = "Show the help of a command",
          .long_text = "Show the help of a command. `--help` after the command does the same.",
          .usage_args = "[command]",
          .max_args = kAnyNumber,
          .run = PrintTopic};
}

void RunFound(const Command& root, const Found& found, Streams& streams) {
  Invocation invocation{
      .command = found.command(),
      .path = found.Path(),
      .flags = Parsed(found.AllFlags(), found.command().defaults),
      .streams = streams,
      .print_help = [&](std::ostream& out) { out << HelpText(found, streams.columns); },
      .root = root};
  Parsed& flags = invocation.flags;
  if (found.command().any_flags) {
    return found.command().run(invocation);
  }
  ParseWords(found.words, flags, [&](const std::string& line) { streams.err << line << '\n'; });
  if (flags.Bool("help") || !found.command().run) {
    return invocation.print_help(streams.out);
  }
  CheckArguments(found, flags.args());
  for (const Command& command : found.chain) {
    if (command.before) {
      command.before(invocation);
    }
  }
  CheckRequired(flags);
  found.command().run(invocation);
}

void PrintTrace(const Error& error, std::ostream& err) {
  for (const std::source_location& place : error.trace()) {
    err << fmt::format("{}\n\t{}:{}\n", place.function_name(), place.file_name(), place.line());
  }
}

void PrintError(const Error& error, std::ostream& err) {
  // Messages about a mistyped command line have several lines in cobra's form; they stay
  // unindented.
  const bool usage = error.kind() == Error::Kind::kUsage;
  err << "error: " << (usage ? error.message() : base::HangingIndent(error.message())) << '\n';
  if (base::Verbose(kTraceLevel)) {
    PrintTrace(error, err);
  } else {
    err << "To see where this error came from, run the command with --v=5 or higher\n";
  }
}

}  // namespace

std::string Found::Path() const {
  std::string path;
  for (const Command& part : chain) {
    path += (path.empty() ? "" : " ") + part.name;
  }
  return path;
}

std::vector<Flag> Found::InheritedFlags() const {
  std::vector<Flag> flags;
  for (const Command& ancestor : std::span(chain).first(chain.size() - 1)) {
    AppendPersistent(ancestor, flags);
  }
  return flags;
}

std::vector<Flag> Found::AllFlags() const {
  std::vector<Flag> flags = FlagsSoFar(chain);
  flags.push_back(HelpFlag(command()));
  return flags;
}

Found Find(const Command& root, std::span<const std::string> words) {
  Found found{.chain = {root}, .words = {words.begin(), words.end()}};
  while (found.command().children) {
    const std::size_t at = FirstPlainWord(found.words, FlagsSoFar(found.chain));
    if (at == found.words.size()) {
      break;
    }
    std::vector<Command> children = ChildrenOf(found.command(), found.chain.size() - 1);
    const auto child = std::ranges::find_if(
        children, [&](const Command& candidate) { return Answers(candidate, found.words[at]); });
    if (child == children.end()) {
      break;
    }
    found.words.erase(found.words.begin() + static_cast<std::ptrdiff_t>(at));
    found.chain.push_back(std::move(*child));
  }
  return found;
}

std::vector<Command> ChildrenOf(const Command& command, std::size_t depth) {
  if (!command.children) {
    return {};
  }
  std::vector<Command> children = command.children();
  if (depth == 0) {
    children.push_back(HelpCommand());
    children.push_back(CompletionCommand(command.name));
  }
  return children;
}

bool IsAvailable(const Command& command) {
  if (command.hidden) {
    return false;
  }
  return command.run || (command.children && std::ranges::any_of(command.children(), IsAvailable));
}

void RequireSubcommand(Invocation& invocation) {
  invocation.print_help(invocation.streams.out);
  ThrowUsage("subcommand is required");
}

void Run(const Command& root, std::span<const std::string> words, Streams& streams) {
  const bool completes = !words.empty() && words[0].starts_with("__complete");
  if (completes && (words[0] == "__complete" || words[0] == "__completeNoDesc")) {
    const Summaries summaries = words[0] == "__complete" ? Summaries::kShow : Summaries::kOmit;
    return RunComplete(root, words.subspan(1), summaries, streams.out);
  }
  const Found found = Find(root, words);
  CheckRootWord(found);
  RunFound(root, found, streams);
}

int Main(const Command& root, std::span<const std::string> words, Streams& streams) {
  try {
    Run(root, words, streams);
    return 0;
  } catch (const Exit& exit) {
    return exit.status;
  } catch (const Error& error) {
    streams.out.flush();
    PrintError(error, streams.err);
  } catch (const base::Interrupted& interrupted) {
    streams.out.flush();
    PrintError(interrupted.report(), streams.err);
  } catch (const std::exception& error) {
    streams.out.flush();
    PrintError(Error(error.what()), streams.err);
  }
  return 1;
}

}  // namespace cli
