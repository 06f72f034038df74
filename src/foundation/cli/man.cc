// SPDX-License-Identifier: Apache-2.0
#include "cli/man.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/strings.h"
#include "base/utf8.h"
#include "cli/help.h"

namespace cli {
namespace {

// Returns the lines of the text without blank ones at its end.
std::vector<std::string> Lines(std::string_view text) {
  return base::Lines(text.substr(0, text.find_last_not_of("\n ") + 1));
}

// Escapes a line for roff: a dash can then be copied into a shell, and a roff command at the start
// of the line has no effect. A character beyond ASCII gets its name, since roff reads bytes as
// Latin-1 (groff_char(7): "\[uXXXX]").
std::string Escaped(std::string_view line) {
  std::string out;
  for (std::size_t at = 0; at < line.size();) {
    const char c = line[at];
    const std::optional<base::DecodedCodePoint> decoded = base::DecodeUtf8(line.substr(at));
    if (decoded && decoded->length > 1) {
      out += fmt::format("\\[u{:04X}]", static_cast<std::uint32_t>(decoded->code_point));
    } else if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
    at += decoded ? decoded->length : 1;
  }
  return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

// Makes `words` between backquotes bold. Leaves a single backquote unchanged.
std::string Bolded(std::string_view line) {
  std::string out;
  while (true) {
    const std::size_t open = line.find('`');
    const std::size_t close = open == line.npos ? line.npos : line.find('`', open + 1);
    if (close == line.npos) {
      return out + std::string(line);
    }
    out += line.substr(0, open);
    out += fmt::format("\\fB{}\\fR", line.substr(open + 1, close - open - 1));
    line.remove_prefix(close + 1);
  }
}

// Removes the common indentation of the lines, and leaves the lines otherwise unchanged.
std::string Verbatim(std::string_view text) {
  const std::vector<std::string> lines = Lines(text);
  std::size_t margin = std::string::npos;
  for (const std::string& line : lines) {
    margin = std::min(margin, line.find_first_not_of(' '));
  }
  std::string out = ".PP\n.nf\n.RS 4\n";
  for (const std::string& line : lines) {
    out += Escaped(line.substr(std::min(margin, line.size()))) + "\n";
  }
  return out + ".RE\n.fi\n";
}

std::string Section(std::string_view title, const std::string& text) {
  return text.empty() ? "" : fmt::format(".SH {}\n{}", title, text);
}

std::string Rows(std::span<const Flag> flags) {
  std::string out;
  for (const FlagRow& row : FlagRows(flags)) {
    out += fmt::format(".TP\n\\fB{}\\fR\n{}", Escaped(base::Trim(row.names)), ManText(row.help));
  }
  return out;
}

std::string Synopsis(const Found& found, bool has_children) {
  const std::string path = Escaped(found.Path());
  std::string out;
  if (found.command().run) {
    std::string line = fmt::format("\\fB{}\\fR", path);
    line += found.command().usage_args.empty() ? "" : " " + Escaped(found.command().usage_args);
    out += line + (line.ends_with("[flags]") ? "\n" : " [flags]\n");
  }
  if (has_children) {
    out += fmt::format("{}\\fB{}\\fR [command]\n", out.empty() ? "" : ".br\n", path);
  }
  return out;
}

std::string PageName(const Found& found) {
  std::string name = found.Path();
  std::ranges::replace(name, ' ', '-');
  return name;
}

bool HasPage(const Command& command) {
  return !command.long_text.empty() && command.name != "help";
}

std::vector<Command> Listed(std::vector<Command> children) {
  std::erase_if(children, [](const Command& child) { return !IsAvailable(child); });
  std::ranges::sort(children, {}, &Command::name);
  return children;
}

std::string CommandRows(const std::vector<Command>& children) {
  std::string out;
  for (const Command& child : children) {
    out += fmt::format(".TP\n\\fB{}\\fR\n{}\n", Escaped(child.name), Escaped(child.summary));
  }
  return out;
}

std::string SeeAlso(const Found& found, const std::vector<Command>& all_children) {
  std::vector<std::string> pages;
  if (found.chain.size() > 1) {
    std::string parent = PageName(found);
    parent.resize(parent.size() - found.command().name.size() - 1);
    pages.push_back(parent);
  }
  for (const Command& child : all_children) {
    if (HasPage(child)) {
      pages.push_back(PageName(found) + "-" + child.name);
    }
  }
  for (std::string& page : pages) {
    page = fmt::format("\\fB{}\\fR(8)", Escaped(page));
  }
  return pages.empty() ? "" : base::Join(pages, ",\n") + "\n";
}

ManPage Page(const Found& found, const ManEdition& edition) {
  const Command& command = found.command();
  const std::vector<Command> children = ChildrenOf(command, found.chain.size() - 1);
  const std::vector<Command> listed = Listed(children);
  const std::string name = PageName(found);
  std::string title = name;
  std::ranges::transform(title, title.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  });
  std::string text =
      fmt::format(".TH \"{}\" 8 \"{}\" \"{}\"\n", title, edition.date, edition.version);
  text += Section("NAME", fmt::format("{} \\- {}\n", Escaped(name), Escaped(command.summary)));
  text += Section("SYNOPSIS", Synopsis(found, !listed.empty()));
  text += Section("DESCRIPTION", ManText(Description(command)));
  text += Section("EXAMPLES", command.example.empty() ? "" : Verbatim(command.example));
  const std::vector<Flag> own = OwnFlags(found);
  const std::vector<Flag> inherited = found.InheritedFlags();
  text += Section("COMMANDS", CommandRows(Commons(listed)));
  text += Section("OPTIONS", Rows(Commons(own)));
  text += Section("\"GLOBAL OPTIONS\"", Rows(Commons(inherited)));
  text += Section("\"BEYOND UPSTREAM\"",
                  CommandRows(Extras(listed)) + Rows(Extras(own)) + Rows(Extras(inherited)));
  text += Section("\"SEE ALSO\"", SeeAlso(found, children));
  return {.file = name + ".8", .text = text};
}

void Collect(const Found& found, const ManEdition& edition, std::vector<ManPage>& pages) {
  if (found.chain.size() == 1 || HasPage(found.command())) {
    pages.push_back(Page(found, edition));
  }
  for (Command& child : ChildrenOf(found.command(), found.chain.size() - 1)) {
    Found below = found;
    below.chain.push_back(std::move(child));
    Collect(below, edition, pages);
  }
}

}  // namespace

std::string ManText(std::string_view text) {
  std::string out;
  std::string verbatim;
  const auto flush = [&] {
    out += verbatim.empty() ? "" : Verbatim(verbatim);
    verbatim.clear();
  };
  bool paragraph = false;  // after a blank line: the next line begins a paragraph
  for (const std::string& line : Lines(text)) {
    if (line.starts_with(' ')) {
      verbatim += line + "\n";
    } else if (line.empty()) {
      verbatim += verbatim.empty() ? "" : "\n";
      paragraph = true;
      continue;
    } else {
      flush();
      out += paragraph && !out.empty() ? ".PP\n" : "";
      out += Bolded(Escaped(line)) + "\n";
    }
    paragraph = false;
  }
  flush();
  return out;
}

std::vector<ManPage> ManPages(const Command& root, const ManEdition& edition) {
  std::vector<ManPage> pages;
  Collect(Find(root, {}), edition, pages);
  return pages;
}

}  // namespace cli
