// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/error.h"
#include "base/log.h"
#include "cli/exit.h"

namespace cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

// Prints the command and its flags: "init config=x [a b]".
void Echo(Invocation& invocation) {
  invocation.streams.out << "ran " << invocation.path;
  if (invocation.flags.Offers("config")) {
    invocation.streams.out << " config=" << invocation.flags.Text("config");
  }
  for (const std::string& arg : invocation.flags.args()) {
    invocation.streams.out << " [" << arg << "]";
  }
  invocation.streams.out << "\n";
}

std::vector<Command> CertsChildren() {
  return {{.name = "renew", .summary = "Renew", .run = RequireSubcommand, .children = [] {
             return std::vector<Command>{{.name = "all", .summary = "All", .run = Echo}};
           }}};
}

std::vector<Command> RootChildren() {
  return {{.name = "alpha", .summary = "Experiments"},
          {.name = "certs",
           .summary = "Certificates",
           .aliases = {"certificates"},
           .flags = {{.name = "kubeconfig", .persistent = true}},
           .run = RequireSubcommand,
           .children = CertsChildren},
          {.name = "init",
           .summary = "Set up",
           .flags = {{.name = "config"}, {.name = "dry-run", .type = FlagType::kBool}},
           .run = Echo,
           .children =
               [] {
                 return std::vector<Command>{
                     {.name = "phase", .flags = {{.name = "config"}}, .run = Echo}};
               }},
          {.name = "join", .summary = "Join", .max_args = 1, .run = Echo},
          {.name = "reset", .summary = "Reset", .max_args = kAnyNumber, .run = Echo},
          {.name = "secret", .summary = "Hidden", .hidden = true, .run = Echo},
          {.name = "user",
           .summary = "User",
           .flags = {{.name = "client-name", .required = true}},
           .run = Echo},
          {.name = "fail", .summary = "Fail", .run = [](Invocation&) {
             throw base::Error("it broke");
           }}};
}

Command Root() {
  Command root{
      .name = "kubeadm", .summary = "The tool", .flags = LogFlags(), .children = RootChildren};
  root.flags.push_back({.name = "rootfs", .persistent = true});
  return root;
}

struct Result {
  int status;
  std::string out;
  std::string err;
};

Result Call(const Command& root, const std::vector<std::string>& words) {
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  Streams streams{in, out, err};
  const int status = Main(root, words, streams);
  base::SetVerbosity(0);
  return {status, out.str(), err.str()};
}

Result Call(const std::vector<std::string>& words) { return Call(Root(), words); }

TEST(Main, FindsTheCommandAmongItsFlags) {
  struct Case {
    std::vector<std::string> words;
    std::string want;
  };
  for (const Case& c : std::vector<Case>{
           {{"init"}, "ran kubeadm init config=\n"},
           {{"-v", "1", "init"}, "ran kubeadm init config=\n"},
           {{"--rootfs", "/x", "init", "--config", "f"}, "ran kubeadm init config=f\n"},
           {{"init", "--config", "f", "phase"}, "ran kubeadm init phase config=f\n"},
           {{"init", "--config=f", "phase"}, "ran kubeadm init phase config=f\n"},
           {{"init", "--config", "phase"}, "ran kubeadm init config=phase\n"},
           {{"--config", "f", "init"}, "ran kubeadm init config=f\n"},
           {{"certificates", "renew", "all"}, "ran kubeadm certs renew all\n"},
           {{"certs", "--kubeconfig", "k", "renew", "all", "-v5"}, "ran kubeadm certs renew all\n"},
           {{"join", "host:1"}, "ran kubeadm join [host:1]\n"},
           {{"join", "--", "-x"}, "ran kubeadm join [-x]\n"},
           {{"reset", "a", "b"}, "ran kubeadm reset [a] [b]\n"},
           {{"secret"}, "ran kubeadm secret\n"}}) {
    const Result result = Call(c.words);
    EXPECT_EQ(result.out, c.want);
    EXPECT_EQ(result.status, 0) << result.err;
  }
}

TEST(Main, ReportsMistakesOfTheCommandLine) {
  struct Case {
    std::vector<std::string> words;
    std::string want;
  };
  for (const Case& c : std::vector<Case>{
           {{"nope"}, "error: unknown command \"nope\" for \"kubeadm\"\n"},
           {{"certs", "nope"}, "error: unknown command \"nope\" for \"kubeadm certs\"\n"},
           {{"init", "now"}, "error: unknown command \"now\" for \"kubeadm init\"\n"},
           {{"init", "--", "phase"}, "error: unknown command \"phase\" for \"kubeadm init\"\n"},
           {{"init", ""}, "error: unknown command \"\" for \"kubeadm init\"\n"},
           {{"join", "a", "b"}, "error: accepts at most 1 arg(s), received 2\n"},
           {{"user"}, "error: required flag(s) \"client-name\" not set\n"},
           {{"user", "x"}, "error: unknown command \"x\" for \"kubeadm user\"\n"},
           {{"init", "now", "--nope"}, "error: unknown flag: --nope\n"},
           {{"--dry-run", "init", "--help"}, "error: unknown flag: --dry-run\n"},
           {{"init", "phase", "--dry-run"}, "error: unknown flag: --dry-run\n"},
           {{"--version"}, "error: unknown flag: --version\n"},
           {{"-h", "init", "phase"}, "error: unknown command \"phase\" for \"kubeadm\"\n"},
           {{"fail"}, "error: it broke\n"}}) {
    const Result result = Call(c.words);
    EXPECT_THAT(result.err, StartsWith(c.want));
    EXPECT_THAT(result.err, HasSubstr("--v=5"));
    EXPECT_THAT(result.out, IsEmpty());
    EXPECT_EQ(result.status, 1);
  }
}

TEST(Main, ReturnsTheStatusOfTheCommand) {
  const Command root{.name = "tool", .run = [](Invocation& invocation) {
                       invocation.streams.out << "two things are broken\n";
                       throw Exit{2};
                     }};
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  Streams streams{in, out, err};
  EXPECT_EQ(Main(root, std::vector<std::string>{}, streams), 2);
  EXPECT_EQ(out.str(), "two things are broken\n");
  EXPECT_EQ(err.str(), "");
}

TEST(Main, SuggestsNamesNearToAMistypedCommand) {
  EXPECT_THAT(Call({"inti"}).err, StartsWith("error: unknown command \"inti\" for \"kubeadm\"\n\n"
                                             "Did you mean this?\n\tinit\n\n"));
  EXPECT_THAT(Call({"secre"}).err, Not(HasSubstr("Did you mean")));
  EXPECT_THAT(Call({"certs", "rene"}).err, HasSubstr("Did you mean this?\n\trenew\n"));
  EXPECT_THAT(Call({"certs", "far-away"}).err, Not(HasSubstr("Did you mean")));
}

TEST(Main, ShowsHelpAndFailsForAGroupWithoutACommand) {
  const Result result = Call({"certs", "renew"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.out, HasSubstr("kubeadm certs renew [command]"));
  EXPECT_THAT(result.err, HasSubstr("error: subcommand is required\n"));
}

TEST(Main, ShowsHelpForACommandWithNothingToRun) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{}, {"--", "init"}, {"-"}, {""}, {"-hv5"}}) {
    const Result result = Call(words);
    EXPECT_EQ(result.status, 0);
    EXPECT_THAT(result.out, StartsWith("The tool\n\nUsage:\n  kubeadm [command]\n"));
  }
  EXPECT_EQ(Call({"alpha", "x"}).out, "Experiments\n");
}

TEST(Main, PrefersHelpToArgumentsButReportsWrongFlags) {
  EXPECT_THAT(Call({"init", "x", "--help"}).out, StartsWith("Set up\n"));
  EXPECT_THAT(Call({"user", "-h"}).out, StartsWith("User\n"));
  EXPECT_EQ(Call({"init", "--help=false"}).out, "ran kubeadm init config=\n");
  EXPECT_THAT(Call({"init", "--help", "--nope"}).err, HasSubstr("unknown flag"));
  EXPECT_THAT(Call({"init", "--help=x"}).err, HasSubstr("for \"-h, --help\" flag"));
}

TEST(Main, HelpCommandShowsAnyCommand) {
  EXPECT_EQ(Call({"help", "certs", "renew"}).out, Call({"certs", "renew", "--help"}).out);
  EXPECT_EQ(Call({"help"}).out, Call({}).out);
  EXPECT_THAT(Call({"help", "init", "x"}).out, StartsWith("Set up\n"));
  const Result unknown = Call({"help", "nope"});
  EXPECT_EQ(unknown.status, 0);
  EXPECT_THAT(unknown.err, AllOf(HasSubstr("\"nope\""), HasSubstr("kubeadm [command]")));
  EXPECT_THAT(unknown.out, IsEmpty());
}

TEST(Main, ShowsTheSourceOfAnErrorAtLevelFive) {
  const Result result = Call({"fail", "-v5"});
  EXPECT_THAT(result.err, StartsWith("error: it broke\n"));
  EXPECT_THAT(result.err, HasSubstr("command_test.cc:"));
  EXPECT_THAT(result.err, Not(HasSubstr("--v=5")));
  EXPECT_THAT(Call({"init", "-v5", "--nope"}).err, Not(HasSubstr("--v=5")));
  EXPECT_THAT(Call({"init", "--nope", "-v5"}).err, HasSubstr("--v=5"));
}

TEST(Main, ReportsStandardExceptions) {
  Command root = Root();
  root.run = [](Invocation&) { throw std::runtime_error("odd"); };
  const Result result = Call(root, {});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, StartsWith("error: odd\n"));
}

TEST(Main, RunsBeforeHooksFromTheRootToTheCommand) {
  std::vector<std::string> order;
  Command root = Root();
  root.before = [&](Invocation&) { order.emplace_back("root"); };
  root.children = [&] {
    return std::vector<Command>{{.name = "child",
                                 .flags = {{.name = "must", .required = true}},
                                 .before = [&](Invocation&) { order.emplace_back("child"); },
                                 .run = Echo}};
  };
  EXPECT_EQ(Call(root, {"child"}).status, 1);
  EXPECT_THAT(order, testing::ElementsAre("root", "child"));
  order.clear();
  Call(root, {"child", "extra"});
  Call(root, {"child", "--help"});
  EXPECT_THAT(order, IsEmpty());
}

TEST(Main, PassesAnyFlagsToACommandThatAcceptsThem) {
  std::istringstream in;
  std::ostringstream out, err;
  Streams streams{in, out, err};
  const Command root{
      .name = "tool", .children = [] {
        return std::vector<Command>{{.name = "later", .any_flags = true, .run = Echo}};
      }};
  EXPECT_EQ(Main(root, std::vector<std::string>{"later", "--no-such-flag", "x"}, streams), 0);
  EXPECT_EQ(out.str(), "ran tool later\n");
}

TEST(Main, BuildsOnlyTheCommandsOnThePath) {
  int built = 0;
  Command root{.name = "tool", .children = [&] {
                 return std::vector<Command>{{.name = "a",
                                              .run = Echo,
                                              .children =
                                                  [&] {
                                                    ++built;
                                                    return std::vector<Command>();
                                                  }},
                                             {.name = "b", .run = Echo}};
               }};
  EXPECT_EQ(Call(root, {"b"}).status, 0);
  EXPECT_EQ(built, 0);
}

TEST(Main, PassesArgumentsToACommandWithoutChildren) {
  const Command root{.name = "approver", .max_args = 1, .run = Echo};
  EXPECT_EQ(Call(root, {"help"}).out, "ran approver [help]\n");
}

}  // namespace
}  // namespace cli
