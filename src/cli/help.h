// The help text of a command, in cobra's layout: description, usage, aliases, examples, commands,
// flags, global flags.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/command.h"

namespace cli {

// HelpText is what `--help` prints for the found command.
std::string HelpText(const Found& found);

// FlagTable is the lines of a flags section, sorted by name: no hidden or deprecated ones.
std::string FlagTable(std::span<const Flag> flags);

// HelpPage is a text kept in a Markdown file: "# title", then the description, then optionally
// "## Examples" and the examples (whose four-blank indentation is taken off).
struct HelpPage {
  std::string title;
  std::string body;
  std::string examples;
};
HelpPage ParseHelpPage(std::string_view markdown);

}  // namespace cli
