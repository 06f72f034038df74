// SPDX-License-Identifier: Apache-2.0
#include "cli/flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "base/error.h"
#include "base/fake_error.h"
#include "base/log.h"

namespace cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::StartsWith;

std::vector<Flag> Table() {
  return {{.name = "config", .shorthand = 'c'},
          {.name = "cert-dir", .default_text = "/etc/pki"},
          {.name = "dry-run", .type = FlagType::kBool},
          {.name = "print", .shorthand = 'p', .type = FlagType::kBool, .default_text = "true"},
          {.name = "port", .type = FlagType::kInt32, .default_text = "6443"},
          {.name = "lines", .shorthand = 'n', .type = FlagType::kInt},
          {.name = "ttl", .type = FlagType::kDuration, .default_text = "24h0m0s"},
          {.name = "usages", .type = FlagType::kList, .default_text = "signing,authentication"},
          {.name = "extra", .type = FlagType::kPairs, .deprecated = "use the file"}};
}

struct Outcome {
  Parsed parsed{Table()};
  std::vector<std::string> notices;
};

Outcome Parse(const std::vector<std::string>& words) {
  Outcome outcome;
  ParseWords(words, outcome.parsed,
             [&](const std::string& line) { outcome.notices.push_back(line); });
  return outcome;
}

std::string ErrorOf(const std::vector<std::string>& words) {
  return base::MessageOf([&] { Parse(words); }, base::Error::Kind::kUsage);
}

TEST(ParseWords, KeepsDefaultsOfFlagsThatAreNotGiven) {
  const Parsed parsed = Parse({}).parsed;
  EXPECT_EQ(parsed.Text("config"), "");
  EXPECT_EQ(parsed.Text("cert-dir"), "/etc/pki");
  EXPECT_FALSE(parsed.Bool("dry-run"));
  EXPECT_TRUE(parsed.Bool("print"));
  EXPECT_EQ(parsed.Int("port"), 6443);
  EXPECT_EQ(parsed.Int("lines"), 0);
  EXPECT_EQ(parsed.Duration("ttl"), std::chrono::hours(24));
  EXPECT_THAT(parsed.List("usages"), ElementsAre("signing", "authentication"));
  EXPECT_THAT(parsed.Pairs("extra"), IsEmpty());
  EXPECT_THAT(parsed.ChangedNames(), IsEmpty());
}

TEST(ParseWords, ReadsEveryFormOfAValue) {
  struct Case {
    std::vector<std::string> words;
    std::string want;
  };
  for (const Case& c : std::vector<Case>{{{"--config", "x"}, "x"},
                                         {{"--config=x"}, "x"},
                                         {{"-c", "x"}, "x"},
                                         {{"-cx"}, "x"},
                                         {{"-c=x"}, "x"},
                                         {{"-c="}, "="},
                                         {{"-pc", "x"}, "x"},
                                         {{"-pcx"}, "x"},
                                         {{"--config="}, ""},
                                         {{"--config", ""}, ""},
                                         {{"--config", "--dry-run"}, "--dry-run"},
                                         {{"--config", "--"}, "--"},
                                         {{"--config=\"x\""}, "\"x\""},
                                         {{"--config=a=b"}, "a=b"},
                                         {{"--config=a", "--config", "b"}, "b"}}) {
    const Parsed parsed = Parse(c.words).parsed;
    EXPECT_EQ(parsed.Text("config"), c.want) << c.words[0];
    EXPECT_TRUE(parsed.Changed("config")) << c.words[0];
    EXPECT_THAT(parsed.args(), IsEmpty()) << c.words[0];
  }
}

TEST(ParseWords, DoesNotUseTheNextWordAsTheValueOfASwitch) {
  const Parsed parsed = Parse({"--dry-run", "false", "-p=false"}).parsed;
  EXPECT_TRUE(parsed.Bool("dry-run"));
  EXPECT_FALSE(parsed.Bool("print"));
  EXPECT_THAT(parsed.args(), ElementsAre("false"));
  EXPECT_FALSE(Parse({"--dry-run=F"}).parsed.Bool("dry-run"));
}

TEST(ParseWords, MixesFlagsAndArguments) {
  const Parsed parsed = Parse({"a", "--config", "x", "-", "", "b", "--", "-n", "--"}).parsed;
  EXPECT_THAT(parsed.args(), ElementsAre("a", "-", "", "b", "-n", "--"));
  EXPECT_THAT(parsed.ChangedNames(), ElementsAre("config"));
}

TEST(ParseWords, AppendsToListsAndReplacesTheirDefault) {
  EXPECT_THAT(Parse({"--usages", "a,b", "--usages=c"}).parsed.List("usages"),
              ElementsAre("a", "b", "c"));
  EXPECT_THAT(Parse({"--usages="}).parsed.List("usages"), IsEmpty());
  EXPECT_THAT(Parse({"--extra", "a=1,b=2", "--extra", "c="}).parsed.Pairs("extra"),
              ElementsAre(Pair("a", "1"), Pair("b", "2"), Pair("c", "")));
}

TEST(ParseWords, ReadsNumbersAndDurations) {
  const Parsed parsed = Parse({"--port", "0x10", "-n-3", "--ttl", "90m"}).parsed;
  EXPECT_EQ(parsed.Int("port"), 16);
  EXPECT_EQ(parsed.Int("lines"), -3);
  EXPECT_EQ(parsed.Duration("ttl"), std::chrono::minutes(90));
}

TEST(ParseWords, NamesTheInvalidWord) {
  struct Case {
    std::vector<std::string> words;
    std::string want;
  };
  for (const Case& c : std::vector<Case>{
           {{"--nope"}, "unknown flag: --nope"},
           {{"--nope=5"}, "unknown flag: --nope"},
           {{"--cert_dir=x"}, "unknown flag: --cert_dir"},
           {{"-x"}, "unknown shorthand flag: 'x' in -x"},
           {{"-pxy"}, "unknown shorthand flag: 'x' in -xy"},
           {{"-=3"}, "unknown shorthand flag: '=' in -=3"},
           {{"--=3"}, "bad flag syntax: --=3"},
           {{"---x"}, "bad flag syntax: ---x"},
           {{"--config"}, "flag needs an argument: --config"},
           {{"-c"}, "flag needs an argument: 'c' in -c"},
           {{"-pc"}, "flag needs an argument: 'c' in -c"},
           {{"--dry-run="}, "invalid argument \"\" for \"--dry-run\" flag: "},
           {{"--dry-run=maybe"}, "invalid argument \"maybe\" for \"--dry-run\" flag: "},
           {{"--print=maybe"}, "invalid argument \"maybe\" for \"-p, --print\" flag: "},
           {{"--port", "https"}, "invalid argument \"https\" for \"--port\" flag: "},
           {{"--port", "99999999999"}, "invalid argument \"99999999999\" for \"--port\" flag: "},
           {{"--ttl", "3days"}, "invalid argument \"3days\" for \"--ttl\" flag: "},
           {{"--usages", "a\"b"}, R"(invalid argument "a\"b" for "--usages" flag: )"},
           {{"--extra", "a"}, "invalid argument \"a\" for \"--extra\" flag: "},
           {{"--port", "x", "--nope"}, "invalid argument \"x\""},
           {{"--nope", "--port", "x"}, "unknown flag: --nope"}}) {
    EXPECT_THAT(ErrorOf(c.words), StartsWith(c.want));
  }
}

TEST(ParseWords, ReportsEachUseOfADeprecatedFlag) {
  EXPECT_THAT(Parse({"--extra", "a=b", "--extra", "c=d"}).notices,
              ElementsAre("Flag --extra has been deprecated, use the file",
                          "Flag --extra has been deprecated, use the file"));
  EXPECT_THAT(Parse({"--config", "x"}).notices, IsEmpty());
}

TEST(Parsed, DistinguishesAGivenValueFromADefault) {
  const Parsed parsed = Parse({"--print=false", "--config="}).parsed;
  EXPECT_EQ(parsed.Given("config"), "");
  EXPECT_EQ(parsed.Given("cert-dir"), std::nullopt);
  EXPECT_EQ(parsed.GivenBool("print"), false);
  EXPECT_EQ(parsed.GivenBool("dry-run"), std::nullopt);
}

TEST(Parsed, ReturnsDefaultsOfFlagsThatCannotBeSet) {
  Parsed parsed({{.name = "config"}}, {{.name = "node-name", .default_text = "n"}});
  EXPECT_EQ(parsed.Text("node-name"), "n");
  EXPECT_FALSE(parsed.Offers("node-name"));
  EXPECT_TRUE(parsed.Offers("config"));
  const std::vector<std::string> words = {"--node-name=x"};
  EXPECT_THROW(ParseWords(words, parsed, [](const std::string&) {}), base::Error);
}

TEST(Parsed, ThrowsALogicErrorForAnUnknownNameOrType) {
  const Parsed parsed(Table());
  EXPECT_THROW(parsed.Text("nope"), std::logic_error);
  EXPECT_THROW(parsed.Text("port"), std::logic_error);
  EXPECT_THROW(parsed.Int("config"), std::logic_error);
  EXPECT_FALSE(parsed.Changed("nope"));
}

TEST(Parsed, ListsTheArgumentsThatTheUserGave) {
  EXPECT_THAT(Parse({"--port=1", "--config=x", "a"}).parsed.GivenWords(),
              testing::UnorderedElementsAre("1", "x", "a"));
  EXPECT_THAT(Parse({}).parsed.GivenWords(), IsEmpty());
}

TEST(Parsed, ListsChangedNamesSorted) {
  EXPECT_THAT(Parse({"--port=1", "--config=x", "-p"}).parsed.ChangedNames(),
              ElementsAre("config", "port", "print"));
}

TEST(Parsed, ListsMissingRequiredFlags) {
  Parsed parsed({{.name = "client-name", .required = true}, {.name = "org", .required = true}});
  EXPECT_THAT(parsed.MissingNames(), ElementsAre("client-name", "org"));
  parsed.Set("org", "x");
  EXPECT_THAT(parsed.MissingNames(), ElementsAre("client-name"));
}

TEST(LogFlags, SetTheLogLevels) {
  Parsed parsed(LogFlags());
  const std::vector<std::string> words = {"-v", "3", "--vmodule=flags_test=7"};
  ParseWords(words, parsed, [](const std::string&) {});
  EXPECT_TRUE(base::Verbose(7));
  EXPECT_FALSE(base::Verbose(8));
  base::SetVerbosity(0);
  EXPECT_FALSE(base::Verbose(1));
  const base::Error error = base::Thrown([&] { parsed.Set("vmodule", "x"); });
  EXPECT_THAT(error.message(), HasSubstr("invalid argument \"x\" for \"--vmodule\" flag: "));
}

TEST(TakesNextWord, TreatsUnknownFlagsAsFlagsWithAValue) {
  const std::vector<Flag> known = Table();
  for (const char* word : {"--config", "-c", "--nope", "-z", "--help"}) {
    EXPECT_TRUE(TakesNextWord(word, known)) << word;
  }
  for (const char* word : {"--dry-run", "-p", "--config=x", "-cx", "config", "-c=x"}) {
    EXPECT_FALSE(TakesNextWord(word, known)) << word;
  }
}

}  // namespace
}  // namespace cli
