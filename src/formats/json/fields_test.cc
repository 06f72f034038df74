// SPDX-License-Identifier: Apache-2.0
#include "json/fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace json {
namespace {

using std::chrono::sys_seconds;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr Versions kOld = 1;
constexpr Versions kNew = 2;

struct Port {
  std::int32_t number = 0;
  static std::span<const Field> Fields() {
    static const Field fields[] = {Describe<&Port::number>("number")};
    return fields;
  }
};

struct Common {
  std::vector<std::string> args;
  static std::span<const Field> Fields() {
    static const Field fields[] = {Describe<&Common::args>("args")};
    return fields;
  }
};

struct Server {
  Common common;
  bool debug = false;
  std::int64_t bytes = 0;
  std::string name;
  base::Duration timeout{0};
  std::optional<base::Duration> grace;
  std::optional<sys_seconds> expires;
  std::optional<std::vector<std::string>> taints;
  std::optional<Port> maybe;
  std::optional<bool> serial;
  Port port;
  std::vector<Port> ports;
  std::map<std::string, bool> gates;
  Value raw;
  std::string data_dir;
  static std::span<const Field> Fields() {
    static const Field fields[] = {
        Inline<&Server::common>(),
        Describe<&Server::debug>("debug"),
        Describe<&Server::bytes>("bytes"),
        Describe<&Server::name>("name"),
        Describe<&Server::timeout>("timeout").In(kOld),
        Describe<&Server::grace>("grace"),
        Describe<&Server::expires>("expires"),
        Describe<&Server::taints>("taints").Always(),
        Describe<&Server::maybe>("maybe"),
        Describe<&Server::serial>("serial").In(kNew).Help("one at a time"),
        Describe<&Server::port>("port"),
        Describe<&Server::ports>("ports"),
        Describe<&Server::gates>("gates"),
        Describe<&Server::raw>("raw"),
        Describe<&Server::data_dir>("dataDir").Always(),
    };
    return fields;
  }
};

struct Outcome {
  Server server;
  std::vector<std::string> errors;
  std::vector<std::string> unknown;
};

std::vector<std::string> Texts(const base::Problems& problems) {
  std::vector<std::string> texts;
  for (const base::Problem& problem : problems.list()) {
    texts.push_back(problem.Text());
  }
  return texts;
}

Outcome Read(std::string_view text, Versions version = kNew, Server server = {}) {
  DecodeProblems problems;
  Decode(Parse(text), server, version, problems);
  return {std::move(server), Texts(problems.errors), Texts(problems.unknown)};
}

TEST(Decode, FillsEveryKindOfField) {
  const Outcome got = Read(R"({
    "args": ["a", "b"], "debug": true, "bytes": 9000000000, "name": "x", "grace": "1m30s",
    "expires": "2026-01-01T00:00:00Z", "taints": ["t"], "maybe": {"number": 1}, "serial": false,
    "port": {"number": 2}, "ports": [{"number": 3}, {}], "gates": {"A": true, "B": false},
    "raw": {"any": [1]}, "dataDir": "/d"})");
  EXPECT_THAT(got.errors, ElementsAre());
  EXPECT_THAT(got.unknown, ElementsAre());
  const Server& s = got.server;
  EXPECT_THAT(s.common.args, ElementsAre("a", "b"));
  EXPECT_TRUE(s.debug);
  EXPECT_EQ(s.bytes, 9000000000);
  EXPECT_EQ(s.name, "x");
  EXPECT_EQ(s.grace, std::chrono::seconds(90));
  EXPECT_EQ(s.expires, sys_seconds(std::chrono::sys_days(std::chrono::year(2026) / 1 / 1)));
  EXPECT_THAT(*s.taints, ElementsAre("t"));
  EXPECT_EQ(s.maybe->number, 1);
  EXPECT_EQ(s.serial, false);
  EXPECT_EQ(s.port.number, 2);
  ASSERT_EQ(s.ports.size(), 2U);
  EXPECT_EQ(s.ports[0].number, 3);
  EXPECT_EQ(s.gates, (std::map<std::string, bool>{{"A", true}, {"B", false}}));
  EXPECT_EQ(s.raw, (Value{{"any", {1}}}));
  EXPECT_EQ(s.data_dir, "/d");
}

TEST(Decode, NullKeepsTheValueOfAField) {
  const Outcome got =
      Read(R"({"name": null, "maybe": null, "args": null, "port": null, "ports": [null]})", kNew,
           {.common = {.args = {"kept"}}, .name = "kept", .port = {.number = 7}});
  EXPECT_THAT(got.errors, ElementsAre());
  EXPECT_EQ(got.server.name, "kept");
  EXPECT_FALSE(got.server.maybe);
  EXPECT_THAT(got.server.common.args, ElementsAre("kept"));
  EXPECT_EQ(got.server.port.number, 7);
  EXPECT_EQ(got.server.ports.size(), 1U);
}

TEST(Decode, ListsReplaceAndStructsMerge) {
  Server before{.common = {.args = {"old"}}, .maybe = Port{.number = 4}};
  before.gates["Old"] = true;
  const Outcome got =
      Read(R"({"args": ["new"], "maybe": {}, "gates": {"New": true}})", kNew, std::move(before));
  EXPECT_THAT(got.server.common.args, ElementsAre("new"));
  EXPECT_EQ(got.server.maybe->number, 4);
  EXPECT_EQ(got.server.gates.size(), 2U);
}

TEST(Decode, NamesTheFieldOfEveryProblem) {
  const Outcome got = Read(R"({
    "args": "x", "debug": "yes", "name": 3, "grace": 5, "expires": "tomorrow", "bytes": 1.5,
    "ports": [{"number": "1"}, 2], "gates": {"A": 1}, "maybe": []})");
  EXPECT_THAT(
      got.errors,
      testing::UnorderedElementsAre(
          "args: expected a list, got a string", "debug: expected a boolean, got a string",
          "name: expected a string, got a number",
          "grace: expected a duration such as \"4m0s\", got a number",
          "expires: \"tomorrow\" is not a time such as \"2026-01-31T23:59:59Z\"",
          "bytes: 1.5 is not a whole number between -9223372036854775808 and "
          "9223372036854775807",
          "ports[0].number: expected a whole number, got a string",
          "ports[1]: expected a map, got a number", "gates.A: expected a boolean, got a number",
          "maybe: expected a map, got a list"));
  EXPECT_THAT(Read(R"({"grace": "5x"})").errors, ElementsAre(HasSubstr("grace: ")));
  EXPECT_THAT(Read("[]").errors, ElementsAre("expected a map, got a list"));
}

TEST(Decode, ChecksTheRangeOfIntegers) {
  struct Case {
    std::string text;
    std::optional<std::int32_t> want;
  };
  for (const auto& [text, want] : std::initializer_list<Case>{
           {"2147483647", 2147483647},
           {"-2147483648", std::numeric_limits<std::int32_t>::min()},
           {"2147483648", std::nullopt},
           {"18446744073709551615", std::nullopt},
           {"6443.0", 6443},
           {"1e3", 1000},
           {"6443.5", std::nullopt},
           {"1e300", std::nullopt},
       }) {
    const Outcome got = Read(R"({"port": {"number": )" + text + "}}");
    EXPECT_EQ(got.errors.empty(), want.has_value()) << text;
    EXPECT_EQ(got.server.port.number, want.value_or(0)) << text;
  }
  EXPECT_THAT(Read(R"({"bytes": 9223372036854775808})").errors.size(), 1U);
}

enum class Colour : std::int32_t { kRed, kGreen };
std::span<const std::string_view> EnumNames(Colour) {
  static constexpr std::string_view kNames[] = {"red", "green"};
  return kNames;
}

struct Painted {
  Colour colour = Colour::kRed;
  static std::span<const Field> Fields() {
    static const Field fields[] = {Describe<&Painted::colour>("colour")};
    return fields;
  }
};

TEST(Decode, ReadsAnEnumByTheNameOfItsValue) {
  Painted painted;
  DecodeProblems problems;
  Decode(Parse(R"({"colour": "green"})"), painted, kAllVersions, problems);
  EXPECT_TRUE(problems.errors.empty());
  EXPECT_EQ(painted.colour, Colour::kGreen);
  EXPECT_EQ(Encode(painted), Parse(R"({"colour": "green"})"));
}

TEST(Decode, RefusesAnUnknownValueOfAnEnum) {
  for (const char* text : {R"({"colour": "blue"})", R"({"colour": 1})", R"({"colour": ""})"}) {
    Painted painted;
    DecodeProblems problems;
    Decode(Parse(text), painted, kAllVersions, problems);
    EXPECT_FALSE(problems.errors.empty()) << text;
  }
}

TEST(Decode, ListsUnknownFieldsSeparately) {
  const Outcome got =
      Read(R"({"Name": 1, "ports": [{}, {"nummer": 1}], "timeout": "1s", "raw": {"any": 1}})");
  EXPECT_THAT(got.errors, ElementsAre());
  EXPECT_THAT(got.unknown, ElementsAre("Name: unknown field \"Name\"",
                                       "ports[1].nummer: unknown field \"ports[1].nummer\"",
                                       "timeout: unknown field \"timeout\""));
}

TEST(Decode, VersionDecidesWhichFieldsExist) {
  EXPECT_EQ(Read(R"({"timeout": "1s"})", kOld).server.timeout, std::chrono::seconds(1));
  EXPECT_THAT(Read(R"({"serial": true})", kOld).unknown.size(), 1U);
  EXPECT_THAT(Read(R"({"serial": true})", kNew).unknown.size(), 0U);
}

TEST(Encode, OmitsTheSameValuesAsGo) {
  EXPECT_EQ(Compact(Encode(Server{}, kNew)), R"({"dataDir":"","port":{},"taints":null})");
  EXPECT_EQ(Compact(Encode(Server{}, kOld)),
            R"({"dataDir":"","port":{},"taints":null,"timeout":"0s"})");
}

TEST(Encode, WritesEverySetOptionalEvenIfItsValueIsEmpty) {
  const Server server{.grace = base::Duration(0),
                      .taints = std::vector<std::string>{},
                      .maybe = Port{},
                      .serial = false};
  EXPECT_EQ(Compact(Encode(server, kNew)),
            R"({"dataDir":"","grace":"0s","maybe":{},"port":{},"serial":false,"taints":[]})");
}

TEST(Encode, WritesZeroElementsOfLists) {
  Server server{.common = {.args = {""}}, .ports = {Port{}}};
  server.gates["A"] = false;
  const Value got = Encode(server, kNew);
  EXPECT_EQ(Compact(got["args"]), R"([""])");
  EXPECT_EQ(Compact(got["ports"]), R"([{}])");
  EXPECT_EQ(Compact(got["gates"]), R"({"A":false})");
}

TEST(Encode, WritesTextThatDecodesToTheSameValue) {
  const std::string text =
      R"({"args":["a"],"bytes":5,"dataDir":"/d","debug":true,"expires":"2026-01-01T00:00:00Z",)"
      R"("gates":{"A":true},"grace":"1m30s","maybe":{"number":1},"name":"x","port":{"number":2},)"
      R"("ports":[{"number":3}],"raw":[null],"serial":true,"taints":["t"]})";
  EXPECT_EQ(Compact(Encode(Read(text).server, kNew)), text);
}

}  // namespace
}  // namespace json
