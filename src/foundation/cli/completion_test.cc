// SPDX-License-Identifier: Apache-2.0
#include "cli/completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace cli {
namespace {

using testing::HasSubstr;
using testing::Not;

void Nothing(Invocation&) {}

Command Root() {
  return {.name = "kubeadm",
          .flags = {{.name = "rootfs", .help = "Root.", .persistent = true}},
          .children = [] {
            return std::vector<Command>{
                {.name = "init",
                 .summary = "Set up",
                 .flags = {{.name = "config", .shorthand = 'c', .help = "A file.\nOr none."},
                           {.name = "skip", .type = FlagType::kList, .help = "Skip."},
                           {.name = "dry-run", .type = FlagType::kBool, .help = "Dry."},
                           {.name = "old", .help = "x", .deprecated = "y"}},
                 .run = Nothing,
                 .children =
                     [] {
                       return std::vector<Command>{
                           {.name = "phase", .summary = "One step", .run = Nothing}};
                     }},
                {.name = "secret", .hidden = true, .run = Nothing},
                {.name = "insert", .summary = "Put in", .run = Nothing}};
          }};
}

std::string Offered(const std::vector<std::string>& words) {
  std::ostringstream out;
  RunComplete(Root(), words, Summaries::kOmit, out);
  return out.str();
}

TEST(Complete, OffersPossibleNextWords) {
  struct Case {
    std::vector<std::string> words;
    std::string want;
  };
  for (const Case& c :
       std::vector<Case>{{{""}, "completion\nhelp\ninit\ninsert\n:4\n"},
                         {{"in"}, "init\ninsert\n:4\n"},
                         {{"init", ""}, "phase\n:4\n"},
                         {{"init", "--dry-run", ""}, "phase\n:4\n"},
                         {{"init", "x", ""}, ":0\n"},
                         {{"insert", ""}, ":0\n"},
                         {{"nope"}, ":4\n"},
                         {{"completion", ""}, "bash\nzsh\nfish\n:4\n"},
                         {{"completion", "z"}, "zsh\n:4\n"},
                         {{"help", "in"}, "init\ninsert\n:4\n"},
                         {{"help", "init", ""}, "phase\n:4\n"},
                         {{"init", "--"}, "--rootfs\n--config\n--dry-run\n--help\n--skip\n:4\n"},
                         {{"init", "-c"}, "-c\n:4\n"},
                         {{"init", "--co"}, "--config\n:4\n"},
                         {{"init", "--config=x", "--co"}, ":4\n"},
                         {{"init", "--skip=x", "--sk"}, "--skip\n:4\n"},
                         {{"init", "--config", ""}, ":0\n"},
                         {{"init", "--config=/e"}, ":0\n"},
                         {{"init", "--nope=1", ""}, ":0\n"},
                         {{"init", "--", "-"}, ":4\n"}}) {
    EXPECT_EQ(Offered(c.words), c.want) << testing::PrintToString(c.words);
  }
}

TEST(Complete, ShowsTheFirstLineOfSummaries) {
  std::ostringstream out;
  const std::vector<std::string> words = {"init", "--c"};
  RunComplete(Root(), words, Summaries::kShow, out);
  EXPECT_EQ(out.str(), "--config\tA file.\n:4\n");
}

TEST(Complete, IsCalledByItsHiddenCommands) {
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  Streams streams{in, out, err};
  const Command root = Root();
  EXPECT_EQ(Main(root, std::vector<std::string>{"__complete", "ini"}, streams), 0);
  EXPECT_EQ(Main(root, std::vector<std::string>{"__completeNoDesc", "ini"}, streams), 0);
  EXPECT_EQ(out.str(), "init\tSet up\n:4\ninit\n:4\n");
  EXPECT_EQ(Main(root, std::vector<std::string>{"__complete"}, streams), 1);
}

TEST(CompletionCommand, PrintsAScriptForAKnownShell) {
  const Command root = Root();
  struct Case {
    std::vector<std::string> args;
    std::string out;
    std::string err;
  };
  for (const Case& c : std::vector<Case>{
           {{"bash"}, "complete -o default -F _kubeadm_complete kubeadm", ""},
           {{"zsh"}, "#compdef kubeadm", ""},
           {{"fish"}, "complete -c kubeadm -f", ""},
           {{"tcsh"},
            "",
            "unsupported shell type \"tcsh\", the supported shell types are [bash zsh fish]"},
           {{}, "", "shell not specified"},
           {{"bash", "zsh"}, "", "too many arguments"}}) {
    std::istringstream in;
    std::ostringstream out;
    std::ostringstream err;
    Streams streams{in, out, err};
    std::vector<std::string> words = {"completion"};
    words.insert(words.end(), c.args.begin(), c.args.end());
    EXPECT_EQ(Main(root, words, streams), c.err.empty() ? 0 : 1);
    EXPECT_THAT(out.str(), HasSubstr(c.out));
    EXPECT_THAT(err.str(), HasSubstr(c.err));
    EXPECT_THAT(out.str(), Not(HasSubstr("NAME")));
  }
}

}  // namespace
}  // namespace cli
