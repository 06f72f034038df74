// SPDX-License-Identifier: Apache-2.0
#include "workflow/bind.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <stdexcept>

namespace workflow {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

struct Data {};
using TestPhase = Phase<Data>;

void Nothing(Data&, Context&) {}

std::vector<TestPhase> Phases() {
  return {{.name = "preflight",
           .summary = "Check",
           .long_text = "Check it all.",
           .example = "kubeadm init phase preflight",
           .aliases = {"pre-flight"},
           .flags = {"config"},
           .run = Nothing},
          {.name = "certs",
           .summary = "Certificates",
           .run = Nothing,
           .all = AllSiblings{.summary = "Every certificate", .flags = {"config", "cert-dir"}},
           .children = {{.name = "ca", .summary = "The CA", .flags = {"cert-dir"}, .run = Nothing},
                        {.name = "sa", .summary = "The key", .run = Nothing}}},
          {.name = "check-etcd", .summary = "Hidden one", .hidden = true, .run = Nothing},
          {.name = "join", .usage_args = "[endpoint]", .max_args = 2, .run = Nothing}};
}

cli::Command Tree(const std::vector<TestPhase>& phases = Phases()) {
  cli::Command init{.name = "init", .summary = "Set up", .run = [](cli::Invocation&) {}};
  BindPhases(
      init, {.phases = [phases] { return Erase(phases); },
             .flags =
                 [] {
                   return std::vector<cli::Flag>{{.name = "config"},
                                                 {.name = "cert-dir", .default_text = "/pki"},
                                                 {.name = "dry-run", .type = cli::FlagType::kBool}};
                 },
             .max_args = 1,
             .run =
                 [](cli::Invocation& invocation, const std::string& path) {
                   invocation.streams.out << path << " in " << invocation.flags.Text("cert-dir")
                                          << (invocation.flags.Offers("config") ? " +config" : "");
                 }});
  return {.name = "kubeadm", .children = [init] { return std::vector<cli::Command>{init}; }};
}

struct Result {
  int status;
  std::string out;
  std::string err;
};

Result Call(const std::vector<std::string>& words, const cli::Command& root = Tree()) {
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  cli::Streams streams{in, out, err};
  const int status = cli::Main(root, words, streams);
  return {status, out.str(), err.str()};
}

TEST(BindPhases, CreatesACommandForEveryPhase) {
  struct Case {
    std::vector<std::string> words;
    std::string want;
  };
  for (const Case& c : std::vector<Case>{
           {{"init", "phase", "preflight"}, "preflight in /pki +config"},
           {{"init", "phase", "pre-flight"}, "preflight in /pki +config"},
           {{"init", "phase", "certs", "ca", "--cert-dir=/x"}, "certs/ca in /x"},
           {{"init", "phase", "certs", "sa"}, "certs/sa in /pki"},
           {{"init", "phase", "certs", "all", "--cert-dir=/x"}, "certs in /x +config"}}) {
    const Result result = Call(c.words);
    EXPECT_EQ(result.out, c.want);
    EXPECT_EQ(result.status, 0) << result.err;
  }
}

TEST(BindPhases, OffersOnlyTheFlagsOfThePhase) {
  EXPECT_THAT(Call({"init", "phase", "certs", "ca", "--config=x"}).err,
              StartsWith("error: unknown flag: --config\n"));
}

TEST(BindPhases, CreatesNoCommandForHiddenPhases) {
  EXPECT_THAT(Call({"init", "phase", "check-etcd"}).err,
              StartsWith("error: unknown command \"check-etcd\" for \"kubeadm init phase\"\n"));
}

TEST(BindPhases, ShowsHelpAndFailsForAGroup) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"init", "phase"}, {"init", "phase", "certs"}}) {
    const Result result = Call(words);
    EXPECT_EQ(result.status, 1);
    EXPECT_THAT(result.out, HasSubstr("Available Commands:"));
    EXPECT_THAT(result.err, HasSubstr("subcommand is required"));
  }
}

TEST(BindPhases, AcceptsArgumentsAfterThePhaseOrTheCommand) {
  EXPECT_EQ(Call({"init", "phase", "preflight", "a"}).status, 0);
  EXPECT_THAT(Call({"init", "phase", "preflight", "a", "b"}).err, HasSubstr("at most 1 arg(s)"));
  EXPECT_EQ(Call({"init", "phase", "join", "a", "b"}).status, 0);
  EXPECT_THAT(Call({"init", "phase", "certs", "a"}).err, HasSubstr("unknown command \"a\""));
}

TEST(BindPhases, ListsThePhasesInHelp) {
  EXPECT_THAT(Call({"init", "--help"}).out,
              AllOf(StartsWith("Set up\n\nThe phases of \"init\""),
                    HasSubstr("  preflight  Check\n  certs      Certificates\n    /ca      The CA\n"
                              "    /sa      The key\n  join"),
                    Not(HasSubstr("check-etcd")), Not(HasSubstr("Every certificate"))));
  EXPECT_THAT(Call({"init", "phase", "certs", "--help"}).out,
              HasSubstr("  all         Every certificate\n  ca          The CA\n"));
  EXPECT_THAT(Call({"init", "phase", "preflight", "--help"}).out,
              AllOf(StartsWith("Check it all.\n"), HasSubstr("preflight, pre-flight"),
                    HasSubstr("Examples:\n  kubeadm init phase preflight\n"), HasSubstr("--config"),
                    Not(HasSubstr("--cert-dir"))));
}

TEST(BindPhases, KeepsExistingChildrenOfTheCommand) {
  cli::Command command{.name = "upgrade",
                       .children = [] { return std::vector<cli::Command>{{.name = "plan"}}; }};
  BindPhases(command, {.phases = [] { return std::vector<AnyPhase>(); }});
  const std::vector<cli::Command> children = command.children();
  ASSERT_EQ(children.size(), 2U);
  EXPECT_EQ(children[0].name, "plan");
  EXPECT_EQ(children[1].name, "phase");
}

TEST(BindPhases, ThrowsALogicErrorForAFlagWithoutATableRow) {
  const cli::Command root = Tree({{.name = "a", .flags = {"nope"}, .run = Nothing}});
  EXPECT_THAT(Call({"init", "phase", "a"}, root).err, HasSubstr("phase a: no flag --nope"));
}

}  // namespace
}  // namespace workflow
