// SPDX-License-Identifier: Apache-2.0
// The help text of a command, in cobra's layout: description, usage, aliases, examples, commands,
// flags, global flags; then what is ours alone.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/wrap.h"
#include "cli/command.h"

namespace cli {

// kBeyondUpstream heads the commands and flags that only we have, below the lists that upstream has
// as well: those stay as upstream's for programs that read them.
inline constexpr std::string_view kBeyondUpstream = "Beyond upstream";

// Commons and Extras are the commands or flags without and with a mark that they are ours alone.
template <typename T>
std::vector<T> Commons(std::vector<T> all) {
  std::erase_if(all, [](const T& one) { return one.beyond_upstream; });
  return all;
}
template <typename T>
std::vector<T> Extras(std::vector<T> all) {
  std::erase_if(all, [](const T& one) { return !one.beyond_upstream; });
  return all;
}

// HelpText is what `--help` prints for the found command, on a terminal of so many columns; 0 for
// files and pipes.
std::string HelpText(const Found& found, std::size_t columns = 0);

// FlagTable is the lines of a flags section of that width, sorted by name: no hidden or deprecated
// ones.
std::string FlagTable(std::span<const Flag> flags, std::size_t page = base::kPageWidth);

// FlagRow is a flag as help shows it: "-c, --config string" and what it does, its default at the
// end.
struct FlagRow {
  std::string names;
  std::string help;
};

// FlagRows is what FlagTable shows, row by row, unwrapped.
std::vector<FlagRow> FlagRows(std::span<const Flag> flags);

// OwnFlags is the found command's flags without those that it inherits.
std::vector<Flag> OwnFlags(const Found& found);

// Description is what the command is for: its text, or its summary, and what its `more_help` adds.
std::string Description(const Command& command);

// HelpPage is a text kept in a Markdown file: "# title", then the description, then optionally
// "## Examples" and the examples (whose four-blank indentation is taken off).
struct HelpPage {
  std::string title;
  std::string body;
  std::string examples;
};
HelpPage ParseHelpPage(std::string_view markdown);

// Documented is a command whose long text and examples come from such a page.
Command Documented(std::string name, std::string summary, std::string_view markdown);

}  // namespace cli
