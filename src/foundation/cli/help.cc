// SPDX-License-Identifier: Apache-2.0
#include "cli/help.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/rows.h"
#include "base/strings.h"

namespace cli {
namespace {

// The greatest width of a flag's names, in percent of the page. The description of longer names
// begins on the next line.
constexpr std::size_t kWidestLeft = 44;
// The least width of the column of names in a list of commands.
constexpr std::size_t kNarrowestName = 11;

struct TypeText {
  FlagType type;
  std::string_view value_name;
  std::string_view zero;  // a default that help does not show
};
constexpr std::array kTypeTexts = {
    TypeText{FlagType::kText, "string", ""},  TypeText{FlagType::kBool, "", "false"},
    TypeText{FlagType::kInt32, "int32", "0"}, TypeText{FlagType::kInt, "int", "0"},
    TypeText{FlagType::kDecimal, "int", "0"}, TypeText{FlagType::kDuration, "duration", "0s"},
    TypeText{FlagType::kList, "strings", ""}, TypeText{FlagType::kPairs, "key=value,...", ""}};

const TypeText& TextOf(FlagType type) { return base::RowOf(kTypeTexts, type, &TypeText::type); }

// Returns "-v, --v level"; all names start in one column.
std::string LeftSide(const Flag& flag) {
  const std::string value_name =
      flag.value_name.empty() ? std::string(TextOf(flag.type).value_name) : flag.value_name;
  return fmt::format("  {}--{}{}{}",
                     flag.shorthand == 0 ? "    " : fmt::format("-{}, ", flag.shorthand), flag.name,
                     value_name.empty() ? "" : " ", value_name);
}

std::string DefaultNote(const Flag& flag) {
  const TypeText& type = TextOf(flag.type);
  if (flag.default_text.empty() || flag.default_text == type.zero) {
    return "";
  }
  const bool quoted = flag.type == FlagType::kText;
  const std::string_view around = flag.type == FlagType::kList ? "[]" : "\"\"";
  return quoted || flag.type == FlagType::kList
             ? fmt::format(" (default {}{}{})", around[0], flag.default_text, around[1])
             : fmt::format(" (default {})", flag.default_text);
}

// Wraps paragraphs with a line that is too wide. Leaves lists, examples and indented lines
// unchanged.
std::string Fitted(std::string_view text, std::size_t width) {
  std::string out;
  std::vector<std::string> paragraph;
  const auto flush = [&] {
    const bool fits = std::ranges::all_of(
        paragraph, [&](const std::string& line) { return line.size() <= width; });
    for (const std::string& line :
         fits ? paragraph : base::Wrap(base::Join(paragraph, " "), width)) {
      out += line + "\n";
    }
    paragraph.clear();
  };
  for (const std::string& line : base::Lines(text)) {
    if (!line.empty() && std::string_view(" -*|").find(line.front()) == std::string_view::npos) {
      paragraph.push_back(line);
      continue;
    }
    flush();
    out += line + "\n";
  }
  flush();
  return out;
}

std::string Section(std::string_view title, const std::string& lines) {
  return lines.empty() ? "" : fmt::format("\n{}:\n{}", title, lines);
}

std::string UsageLines(const Found& found, bool has_children) {
  const Command& command = found.command();
  std::string lines;
  if (command.run) {
    std::string line = "  " + found.Path();
    line += command.usage_args.empty() ? "" : " " + command.usage_args;
    lines += line + (line.ends_with("[flags]") ? "\n" : " [flags]\n");
  }
  if (has_children) {
    lines += "  " + found.Path() + " [command]\n";
  }
  return lines;
}

std::string CommandLines(std::vector<Command> children, std::size_t page) {
  std::ranges::sort(children, {}, &Command::name);
  std::size_t width = kNarrowestName;
  for (const Command& child : children) {
    width = std::max(width, child.name.size());
  }
  const std::string margin(width + 3, ' ');
  std::string lines;
  for (const Command& child : children) {
    const std::string summary =
        page == base::kPageWidth
            ? child.summary
            : base::Join(base::Wrap(child.summary, page - margin.size()), "\n" + margin);
    lines += fmt::format("  {:<{}} {}\n", child.name, width, summary);
  }
  return lines;
}

std::string ExtraLines(const Found& found, const std::vector<Command>& children, std::size_t page) {
  const std::string commands = CommandLines(Extras(children), page);
  std::vector<Flag> all = OwnFlags(found);
  std::ranges::move(found.InheritedFlags(), std::back_inserter(all));
  const std::string flags = FlagTable(Extras(std::move(all)), page);
  return commands + (commands.empty() || flags.empty() ? "" : "\n") + flags;
}

std::string Indented(std::string_view text) {
  std::string out;
  for (const std::string& line : base::Lines(text)) {
    out += line.empty() ? "\n" : "  " + line + "\n";
  }
  return out;
}

}  // namespace

std::string Description(const Command& command) {
  std::string text(base::Trim(command.long_text.empty() ? command.summary : command.long_text));
  if (command.more_help) {
    text += "\n\n" + std::string(base::Trim(command.more_help()));
  }
  return text + "\n";
}

std::vector<Flag> OwnFlags(const Found& found) {
  const std::vector<Flag> inherited = found.InheritedFlags();
  std::vector<Flag> own = found.AllFlags();
  std::erase_if(own, [&](const Flag& flag) {
    return std::ranges::any_of(inherited,
                               [&](const Flag& other) { return other.name == flag.name; });
  });
  return own;
}

std::vector<FlagRow> FlagRows(std::span<const Flag> flags) {
  std::vector<Flag> shown;
  std::ranges::copy_if(flags, std::back_inserter(shown),
                       [](const Flag& flag) { return !flag.hidden && flag.deprecated.empty(); });
  std::ranges::sort(shown, {}, &Flag::name);
  std::vector<FlagRow> rows;
  for (const Flag& flag : shown) {
    rows.push_back({.names = LeftSide(flag), .help = flag.help + DefaultNote(flag)});
  }
  return rows;
}

std::string FlagTable(std::span<const Flag> flags, std::size_t page) {
  constexpr std::size_t kNarrowestLeft = 6;
  const std::vector<FlagRow> rows = FlagRows(flags);
  const std::size_t widest = kWidestLeft * page / base::kPageWidth;
  std::size_t left = kNarrowestLeft;
  for (const FlagRow& row : rows) {
    left = row.names.size() > widest ? left : std::max(left, row.names.size());
  }
  const std::string margin(left + 3, ' ');
  const std::string break_line = "\n" + margin;
  std::string table;
  for (const FlagRow& row : rows) {
    table += row.names.size() > left ? row.names + break_line
                                     : fmt::format("{:<{}}", row.names, margin.size());
    table += base::Join(base::Wrap(row.help, page - margin.size()), "\n" + margin) + "\n";
  }
  return table;
}

std::string HelpText(const Found& found, std::size_t columns) {
  const std::size_t page = base::PageWidth(columns);
  const Command& command = found.command();
  std::vector<Command> children = ChildrenOf(command, found.chain.size() - 1);
  std::string text =
      page == base::kPageWidth ? Description(command) : Fitted(Description(command), page);
  if (!command.run && children.empty()) {
    return text;
  }
  std::erase_if(children, [](const Command& child) { return !IsAvailable(child); });
  text += Section("Usage", UsageLines(found, !children.empty()));
  if (!command.aliases.empty()) {
    text += Section("Aliases",
                    fmt::format("  {}, {}\n", command.name, base::Join(command.aliases, ", ")));
  }
  text += Section("Examples", Indented(base::Trim(command.example)));
  text += Section("Available Commands", CommandLines(Commons(children), page));
  text += Section("Flags", FlagTable(Commons(OwnFlags(found)), page));
  text += Section("Global Flags", FlagTable(Commons(found.InheritedFlags()), page));
  text += Section(kBeyondUpstream, ExtraLines(found, children, page));
  if (!children.empty()) {
    text += fmt::format("\nRun \"{} [command] --help\" to read about one of the commands.\n",
                        found.Path());
  }
  return text;
}

HelpPage ParseHelpPage(std::string_view markdown) {
  constexpr std::string_view kIndent = "    ";
  HelpPage page;
  std::string* part = &page.body;
  for (const std::string& line : base::Lines(markdown)) {
    if (line.starts_with("# ") && page.title.empty()) {
      page.title = base::Trim(line.substr(2));
    } else if (line == "## Examples") {
      part = &page.examples;
    } else {
      const bool indented = part == &page.examples && line.starts_with(kIndent);
      *part += line.substr(indented ? kIndent.size() : 0) + "\n";
    }
  }
  page.body = base::Trim(page.body);
  page.examples = base::Trim(page.examples);
  return page;
}

Command Documented(std::string name, std::string summary, std::string_view markdown) {
  HelpPage page = ParseHelpPage(markdown);
  return {.name = std::move(name),
          .summary = std::move(summary),
          .long_text = std::move(page.body),
          .example = std::move(page.examples)};
}

}  // namespace cli
