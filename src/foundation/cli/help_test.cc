// SPDX-License-Identifier: Apache-2.0
#include "cli/help.h"

#include <gtest/gtest.h>

namespace cli {
namespace {

void Nothing(Invocation&) {}

Command Root() {
  return {.name = "kubeadm",
          .summary = "The tool",
          .flags = {{.name = "rootfs", .help = "Another root.", .persistent = true}},
          .children = [] {
            return std::vector<Command>{
                {.name = "init",
                 .summary = "Set up a control plane",
                 .long_text = "Set up a control plane.\n\nIn steps.",
                 .example = "# plain\nkubeadm init\n\n# more\nkubeadm init -c x",
                 .usage_args = "[where]",
                 .aliases = {"begin"},
                 .flags = {{.name = "port",
                            .type = FlagType::kInt32,
                            .default_text = "6443",
                            .help = "The port."},
                           {.name = "config", .shorthand = 'c', .help = "A file."},
                           {.name = "cert-dir", .default_text = "/pki", .help = "A directory."},
                           {.name = "gone", .help = "x", .deprecated = "use config"},
                           {.name = "secret", .help = "x", .hidden = true},
                           {.name = "also", .help = "Ours.", .beyond_upstream = true}},
                 .more_help = [] { return std::string("Phases:\n\n  a\n"); },
                 .run = Nothing,
                 .children =
                     [] {
                       return std::vector<Command>{
                           {.name = "phase", .summary = "One step", .run = Nothing},
                           {.name = "empty", .summary = "Nothing in it"},
                           {.name = "dark", .summary = "x", .hidden = true, .run = Nothing},
                           {.name = "more",
                            .summary = "Another step",
                            .beyond_upstream = true,
                            .run = Nothing}};
                     }}};
          }};
}

TEST(HelpText, HasEverySectionInOrder) {
  const std::vector<std::string> words = {"init"};
  EXPECT_EQ(HelpText(Find(Root(), words)), R"(Set up a control plane.

In steps.

Phases:

  a

Usage:
  kubeadm init [where] [flags]
  kubeadm init [command]

Aliases:
  init, begin

Examples:
  # plain
  kubeadm init

  # more
  kubeadm init -c x

Available Commands:
  phase       One step

Flags:
      --cert-dir string   A directory. (default "/pki")
  -c, --config string     A file.
  -h, --help              Show this help for init.
      --port int32        The port. (default 6443)

Global Flags:
      --rootfs string   Another root.

Beyond upstream:
  more        Another step

      --also string   Ours.

Run "kubeadm init [command] --help" to read about one of the commands.
)");
}

Command Narrow() {
  return {.name = "tool",
          .summary = "A tool",
          .long_text =
              "What the tool does takes more than one line of a terminal of sixty columns.\n"
              "It goes on.\n\n- a list stays as it is\n\n    so does what is indented",
          .flags = {{.name = "config",
                     .shorthand = 'c',
                     .help = "Path to a configuration file of the tool, or a directory of them"},
                    {.name = "ignore-preflight-errors", .help = "Checks that count as warnings"}},
          .run = Nothing,
          .children = [] {
            return std::vector<Command>{
                {.name = "begin",
                 .summary = "Begin with what was said before, and end with what comes after",
                 .run = Nothing}};
          }};
}

TEST(HelpText, FitsATerminal) {
  const std::string text = HelpText(Find(Narrow(), {}), 60);
  EXPECT_EQ(text.substr(0, text.find("  completion")),
            R"(What the tool does takes more than one line of a terminal of
sixty columns. It goes on.

- a list stays as it is

    so does what is indented

Usage:
  tool [flags]
  tool [command]

Available Commands:
  begin       Begin with what was said before, and end with
              what comes after
)");
  EXPECT_EQ(text.substr(text.find("Flags:"), text.find("\nRun ") - text.find("Flags:")), R"(Flags:
  -c, --config string   Path to a configuration file of the
                        tool, or a directory of them
  -h, --help            Show this help for tool.
      --ignore-preflight-errors string
                        Checks that count as warnings
)");
}

TEST(HelpText, FitsThePageAndItsColumns) {
  const Found found = Find(Narrow(), {});
  EXPECT_EQ(HelpText(found, 0), HelpText(found, 100));
  EXPECT_EQ(HelpText(found, 0), HelpText(found, 300));
  EXPECT_EQ(HelpText(found, 1), HelpText(found, 40));
}

TEST(HelpText, ListsHelpAndCompletionAtTheRoot) {
  const std::string text = HelpText(Find(Root(), {}));
  EXPECT_NE(text.find("\n  completion  Print"), text.npos);
  EXPECT_NE(text.find("\n  help        Show"), text.npos);
  EXPECT_EQ(text.find("Global Flags"), text.npos);
  EXPECT_EQ(text.find("[flags]"), text.npos);  // the root itself runs nothing
}

TEST(HelpText, DoesNotRepeatFlagsInTheUsageLine) {
  const Command root{
      .name = "x", .summary = "X", .usage_args = "[version] [flags]", .run = Nothing};
  EXPECT_NE(HelpText(Find(root, {})).find("\n  x [version] [flags]\n"), std::string::npos);
}

TEST(FlagTable, WrapsTextsAndKeepsLongNamesApart) {
  const std::string long_text =
      "This text is long enough to be cut into two lines at the width of a page, and it speaks of "
      "--other too.";
  EXPECT_EQ(
      FlagTable(std::vector<Flag>{
          {.name = "a", .type = FlagType::kBool, .help = long_text},
          {.name = "gates", .help = "One of:\nA=true|false\nB=true|false"},
          {.name = "the-longest-name-of-all-the-flags-of-this-tool", .help = "Long."}}),
      R"(      --a              This text is long enough to be cut into two lines at the width of a page, and
                       it speaks of --other too.
      --gates string   One of:
                       A=true|false
                       B=true|false
      --the-longest-name-of-all-the-flags-of-this-tool string
                       Long.
)");
}

TEST(FlagTable, NeverBeginsALineOfTextWithADash) {
  std::string text;
  for (int i = 0; i < 40; ++i) {
    text += "word --flag ";
  }
  const std::string table = FlagTable(std::vector<Flag>{{.name = "a", .help = text}});
  for (std::size_t at = table.find('\n'); at + 1 < table.size(); at = table.find('\n', at + 1)) {
    EXPECT_NE(table[table.find_first_not_of(' ', at + 1)], '-');
  }
}

TEST(FlagTable, ShowsDefaultsThatAreNotZero) {
  struct Case {
    FlagType type;
    std::string default_text;
    std::string want;
  };
  for (const Case& c :
       std::vector<Case>{{FlagType::kText, "x", "string   (default \"x\")"},
                         {FlagType::kText, "", "string   "},
                         {FlagType::kBool, "true", "   (default true)"},
                         {FlagType::kBool, "false", "   "},
                         {FlagType::kInt, "3", "int   (default 3)"},
                         {FlagType::kInt, "0", "int   "},
                         {FlagType::kDecimal, "", "int   "},
                         {FlagType::kDuration, "24h0m0s", "duration   (default 24h0m0s)"},
                         {FlagType::kDuration, "0s", "duration   "},
                         {FlagType::kList, "a,b", "strings   (default [a,b])"},
                         {FlagType::kPairs, "", "key=value,...   "}}) {
    const std::string table =
        FlagTable(std::vector<Flag>{{.name = "f", .type = c.type, .default_text = c.default_text}});
    EXPECT_EQ(table.substr(0, table.find('\n')).find(c.want) != table.npos, true)
        << table << " wants " << c.want;
    EXPECT_EQ(table.find("default") != table.npos, c.want.find("default") != c.want.npos) << table;
  }
}

TEST(ParseHelpPage, DividesTitleBodyAndExamples) {
  const HelpPage page = ParseHelpPage(
      "# Set up a control plane\n\nBody one.\n\n    code\n\n## Examples\n\n    # plain\n"
      "    kubeadm init\n\n      indented\n");
  EXPECT_EQ(page.title, "Set up a control plane");
  EXPECT_EQ(page.body, "Body one.\n\n    code");
  EXPECT_EQ(page.examples, "# plain\nkubeadm init\n\n  indented");
  EXPECT_EQ(ParseHelpPage("").title, "");
}

TEST(Documented, ReadsItsTextsFromThePage) {
  const Command command = Documented("init", "Set up", "# T\n\nBody.\n\n## Examples\n\n    go\n");
  EXPECT_EQ(command.name, "init");
  EXPECT_EQ(command.summary, "Set up");
  EXPECT_EQ(command.long_text, "Body.");
  EXPECT_EQ(command.example, "go");
}

}  // namespace
}  // namespace cli
