// SPDX-License-Identifier: Apache-2.0
// The help of a command, in cobra's layout: description, usage, aliases, examples, commands, flags,
// global flags; then our own additions.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/wrap.h"
#include "cli/command.h"

namespace cli {

// The heading of the commands and flags that upstream lacks. These commands and flags follow
// upstream's lists, so that programs can still parse upstream's lists.
inline constexpr std::string_view kBeyondUpstream = "Beyond upstream";

// Commons returns upstream's commands or flags; Extras returns those that only Slipway has.
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

// Returns the output of `--help` for the found command. `columns` is the width of the terminal; 0
// for files and pipes.
std::string HelpText(const Found& found, std::size_t columns = 0);

// Returns the lines of a flags section that is `page` columns wide. The flags are sorted by name;
// hidden and deprecated flags are left out.
std::string FlagTable(std::span<const Flag> flags, std::size_t page = base::kPageWidth);

// A flag in help: "-c, --config string" and its description, with the default at the end.
struct FlagRow {
  std::string names;
  std::string help;
};

// Returns the rows of FlagTable, unwrapped.
std::vector<FlagRow> FlagRows(std::span<const Flag> flags);

// Returns the found command's flags without the inherited ones.
std::vector<Flag> OwnFlags(const Found& found);

// Returns the command's long text, or its summary, followed by the output of `more_help`.
std::string Description(const Command& command);

// The content of a Markdown file: "# title", then the description, then optionally "## Examples"
// and the examples (without their four-blank indentation).
struct HelpPage {
  std::string title;
  std::string body;
  std::string examples;
};
HelpPage ParseHelpPage(std::string_view markdown);

// Returns a command whose long text and examples come from such a page.
Command Documented(std::string name, std::string summary, std::string_view markdown);

}  // namespace cli
