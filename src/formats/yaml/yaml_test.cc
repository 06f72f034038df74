// SPDX-License-Identifier: Apache-2.0
#include "yaml/yaml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/fake_error.h"

namespace yaml {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

struct Reading {
  std::string yaml;
  std::string json;
};

std::string AsJson(std::string_view yaml) { return json::Compact(Parse(yaml).value); }

std::string Failure(std::string_view yaml, int first_line = 1) {
  return base::MessageOf([&] { Parse(yaml, first_line); }, base::Error::Kind::kInvalid);
}

TEST(ParseYaml, ReadsStylesAndStructures) {
  const Reading cases[] = {
      {"", "null"},
      {"# only a comment\n", "null"},
      {"a: 1\nb: [x, {c: d}]\n", R"({"a":1,"b":["x",{"c":"d"}]})"},
      {R"({"a": [1, null], "b": "\u00e9\/"})", R"({"a":[1,null],"b":"é/"})"},
      {"a: |\n  x\n  y\nb: |-\n  x\nc: >\n  x\n  y\n", R"({"a":"x\ny\n","b":"x","c":"x y\n"})"},
      {"- 'it''s'\n- \"a\\x41\"\n- y es\n", R"(["it's","aA","y es"])"},
      {"? a\n: b\n", R"({"a":"b"})"},
      {"{a: 1, b}", R"({"a":1,"b":null})"},
      {"\xEF\xBB\xBFkey: 1\n", R"({"key":1})"},
      {"a: x\r\nb: 1\r\n", R"({"a":"x","b":1})"},
      {"%YAML 1.1\n---\na: 1\n", R"({"a":1})"},
      {"a: 1\n...\nnot: [read\n", R"({"a":1})"},
      {"a: 1\n---\nb: 2\n", R"({"a":1})"},
  };
  for (const auto& [yaml, json] : cases) {
    EXPECT_EQ(AsJson(yaml), json) << yaml;
  }
}

TEST(ParseYaml, PlainScalarsHaveTypesAndQuotedOnesAreStrings) {
  EXPECT_EQ(AsJson("[yes, 'yes', 0x1F, 017, 1.5, 1.0, 1e3, ~, 2020-01-01, 12:30, \"1\", -0.0]"),
            R"([true,"yes",31,15,1.5,1,1000,null,"2020-01-01","12:30","1",0])");
  EXPECT_EQ(AsJson("[9223372036854775807, 18446744073709551615, 1e21]"),
            "[9223372036854775807,18446744073709552000,1e+21]");
}

TEST(ParseYaml, TagsDecideTheType) {
  const Reading cases[] = {
      {"!!str 12", R"("12")"},
      {"!!str", R"("")"},
      {"! 12", R"("12")"},
      {"!foo 12", R"("12")"},
      {"!<tag:yaml.org,2002:int> 12", "12"},
      {"!!int \"0x10\"", "16"},
      {"!!float 5", "5"},
      {"!!bool \"on\"", "true"},
      {"!!null \"\"", "null"},
      {"!!timestamp 2020-01-01", R"("2020-01-01")"},
      {"!!binary aGVsbG8=", R"("hello")"},
      {"!!binary gIGC", R"("���")"},
      {"!!str [1]", "[1]"},
      {"!!set {a}", R"({"a":null})"},
  };
  for (const auto& [yaml, json] : cases) {
    EXPECT_EQ(AsJson(yaml), json) << yaml;
  }
  EXPECT_EQ(Failure("a: !!int abc"), "line 1, column 4: cannot read !!str \"abc\" as !!int");
  EXPECT_EQ(Failure("!!int 5.5"), "line 1, column 1: cannot read !!float \"5.5\" as !!int");
  EXPECT_EQ(Failure("!!null x"), "line 1, column 1: cannot read !!str \"x\" as !!null");
  EXPECT_THAT(Failure("!!binary \"@@@\""), StartsWith("line 1, column 1: !!binary value: "));
}

TEST(ParseYaml, KeysBecomeStrings) {
  EXPECT_EQ(AsJson("{1: a, true: b, 1.5: c, 1e30: d, 0x10: f, 2020-01-01: g, .inf: h, 1.0: i}"),
            R"({".inf":"h","1":"i","1.5":"c","16":"f","1e+30":"d","2020-01-01":"g","true":"b"})");
  EXPECT_EQ(AsJson("{1234567.5: a, 1.123456789: b}"), R"({"1.1234568":"b","1.2345675e+06":"a"})");
  EXPECT_EQ(AsJson("{&k 5: a, x: *k, *k : b}"), R"({"5":"b","x":5})");
  EXPECT_EQ(Failure("{~: a}"), "line 1, column 2: null cannot be a key");
  EXPECT_EQ(Failure("{[a]: b}"), "line 1, column 2: a list or map cannot be a key");
  EXPECT_EQ(Failure("[&a {b: 1}, {*a : 2}]"), "line 1, column 14: a list or map cannot be a key");
}

TEST(ParseYaml, AliasesAndMergeKeysAreResolved) {
  const Reading cases[] = {
      {"a: &x [1]\nb: *x\n", R"({"a":[1],"b":[1]})"},
      {"a: &x 1\nb: &x 2\nc: *x\n", R"({"a":1,"b":2,"c":2})"},
      {"a: &x {k: v}\nb: {<<: *x, d: 1}\n", R"({"a":{"k":"v"},"b":{"d":1,"k":"v"}})"},
      {"{<<: [{a: 1}, {a: 2, c: 3}], b: 2}", R"({"a":1,"b":2,"c":3})"},
      {"{<<: {a: 1}, a: 5}", R"({"a":5})"},
      {"{a: 5, <<: {a: 1}}", R"({"a":1})"},
      {"{\"<<\": {a: 1}}", R"({"\u003c\u003c":{"a":1}})"},
  };
  for (const auto& [yaml, json] : cases) {
    EXPECT_EQ(AsJson(yaml), json) << yaml;
  }
  EXPECT_EQ(Failure("a: *b"), "line 1, column 4: unknown anchor 'b' referenced");
  EXPECT_EQ(Failure("a: &a [*a]"), "line 1, column 8: anchor 'a' value contains itself");
  EXPECT_THAT(Failure("{<<: x}"), HasSubstr("map merge requires map or sequence of maps"));
  EXPECT_THAT(Failure("{<<: [x]}"), HasSubstr("map merge requires map or sequence of maps"));
}

TEST(ParseYaml, AliasBombsAreRefused) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string previous = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int k = 0; k < 10; ++k) {
      bomb += previous + ", ";
    }
    bomb += "]\n";
  }
  EXPECT_THAT(Failure(bomb), HasSubstr("document contains excessive aliasing"));

  std::string long_text = "- &a " + std::string(1'000'000, 'x') + "\n";
  for (int i = 0; i < 100; ++i) {
    long_text += "- *a\n";
  }
  EXPECT_THAT(Failure(long_text), HasSubstr("document contains excessive aliasing"));
}

TEST(ParseYaml, MemoryIsBounded) {
  std::string anchors;  // an anchor's value is stored, and contains the inner ones
  for (int i = 0; i < 900; ++i) {
    anchors += "[&a" + std::to_string(i) + " ";
  }
  anchors += std::string(100'000, 'x') + std::string(900, ']');
  EXPECT_THAT(Failure(anchors), HasSubstr("document contains excessive aliasing"));

  std::string paths;  // the path of a field has the names of all its parents
  for (int i = 0; i < 30; ++i) {
    paths += std::string(static_cast<std::size_t>(i), ' ') + std::string(1000, 'k') + ":\n";
  }
  for (int i = 0; i < 100'000; ++i) {
    paths += std::string(30, ' ') + "a" + std::to_string(i) + ": 1\n";
  }
  EXPECT_LT(Parse(paths).positions.size(), 10);

  std::string many = "x:\n";
  for (int i = 0; i < 1'000'000; ++i) {
    many += "- 1\n";
  }
  EXPECT_THAT(Failure(many), HasSubstr("more than 64 MiB of memory"));

  std::string twice;
  for (int i = 0; i < 500'000; ++i) {
    twice += "a: 1\n";
  }
  EXPECT_THAT(Failure(twice), HasSubstr("more than 64 MiB of memory"));

  std::string merges = "- &a {" + std::string(100, 'k') + ": " + std::string(10'000, 'v') + "}\n";
  for (int i = 0; i < 10'000; ++i) {
    merges += "- {<<: *a}\n";
  }
  EXPECT_THAT(Failure(merges), HasSubstr("document contains excessive aliasing"));
}

TEST(ParseYaml, TextIsBounded) {
  EXPECT_THAT(Failure("a: " + std::string(17 << 20, 'x')),
              HasSubstr("16 MiB that are read as YAML"));
  std::string tags;
  for (int i = 0; i < 2000; ++i) {
    tags += "%TAG !a" + std::to_string(i) + "! b\n";
  }
  EXPECT_THAT(Failure(tags + "---\na"), HasSubstr("more than 1000 %TAG"));
  EXPECT_LT(Failure("a: *" + std::string(1'000'000, 'x')).size(), 1000);
}

TEST(ParseYaml, DepthIsBoundedEvenThroughAliases) {
  EXPECT_THAT(Failure(std::string(2000, '[')), HasSubstr("nested more than 1000 deep"));
  std::string chain = "- &a0 x\n";
  for (int i = 1; i < 1100; ++i) {
    chain += "- &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) + "]\n";
  }
  EXPECT_THAT(Failure(chain), HasSubstr("nested more than 1000 deep"));
}

TEST(ParseYaml, ReportsLineAndColumnOfAnError) {
  EXPECT_EQ(Failure("a: [1\n"),
            "line 2, column 1: did not find expected ',' or ']' (while parsing a flow sequence "
            "from line 1, column 4)");
  EXPECT_EQ(Failure("a: 1\n b: 2\n"),
            "line 2, column 3: mapping values are not allowed in this context");
  EXPECT_EQ(Failure("a b\nc: d\n"),
            "line 2, column 2: mapping values are not allowed in this context");
  EXPECT_THAT(Failure("a: 1\n\tb: 2\n"), StartsWith("line 2, column 1: found"));
  EXPECT_THAT(Failure("a: @x\n"),
              StartsWith("line 1, column 4: found character that cannot start"));
  EXPECT_EQ(Failure("a: 1\nb: \x01\n"), "line 2, column 4: control characters are not allowed");
  EXPECT_EQ(Failure("a: .inf"), "line 1, column 4: infinity and NaN are not JSON values");
  EXPECT_THAT(Failure("a: \xff\n"), StartsWith("line 1, column 4: "));
  EXPECT_THAT(Failure("a: 1\n b: 2\n", 10), StartsWith("line 11, column 3: "));
}

TEST(ParseYaml, SuggestsQuotationMarksForAListValueThatEndsWithAColon) {
  EXPECT_THAT(Failure("a: [fd00::]\n"), HasSubstr("needs quotation marks"));
  EXPECT_EQ(Parse("a: ['fd00::', fd00::/56]\n").value["a"], (json::Value{"fd00::", "fd00::/56"}));
}

TEST(ParseYaml, ReportsDuplicateKeysAndUsesTheLast) {
  const Document got = Parse("a: 1\nb: {c: 1, c: 2}\na: 2\n1: x\n1: y\n'1': z\n", 5);
  EXPECT_EQ(json::Compact(got.value), R"({"1":"z","a":2,"b":{"c":2}})");
  std::vector<std::string> texts;
  for (const base::Problem& problem : got.duplicates.list()) {
    texts.push_back(problem.Text());
  }
  EXPECT_THAT(texts, ElementsAre("b.c: line 6, column 11: key \"c\" already set in map",
                                 "a: line 7, column 1: key \"a\" already set in map",
                                 "1: line 9, column 1: key 1 already set in map"));
  EXPECT_EQ(Parse("{<<: {a: 1}, a: 2}").duplicates.size(), 1U);
  EXPECT_EQ(Parse("{<<: {a: 1}, b: 2}").duplicates.size(), 0U);
}

TEST(ParseYaml, RecordsThePositionsOfKeys) {
  const Document got = Parse(
      "# head\netcd:\n  local:\n    extraArgs:\n    - name: a\n      value: b\n    - {name: c}\n",
      101);
  const std::pair<std::string, std::pair<int, int>> cases[] = {
      {"", {102, 1}},
      {"etcd", {102, 1}},
      {"etcd.local", {103, 3}},
      {"etcd.local.extraArgs[0]", {105, 7}},
      {"etcd.local.extraArgs[0].value", {106, 7}},
      {"etcd.local.extraArgs[1].name", {107, 8}},
      {"etcd.local.extraArgs[1].value", {107, 7}},  // the position of the parent
      {"etcd.other[3].x", {102, 1}},
  };
  for (const auto& [path, want] : cases) {
    const Position at = PositionOf(got, path);
    EXPECT_EQ(std::pair(at.line, at.column), want) << path;
  }
}

TEST(SplitYaml, CutsAtSeparatorLines) {
  struct Case {
    std::string stream;
    std::vector<std::pair<std::string, int>> want;
  };
  const Case cases[] = {
      {"", {}},
      {"a: 1\n", {{"a: 1\n", 1}}},
      {"a\n---\nb\n", {{"a\n", 1}, {"b\n", 3}}},
      {"---\na\n---\n---\nb", {{"a\n", 2}, {"b\n", 5}}},
      {"a\n--- # note\nb\n---\n", {{"a\n", 1}, {"b\n", 3}}},
      {"a\r\n---\r\nb\r\n", {{"a\r\n", 1}, {"b\r\n", 3}}},
      {"# c\n---\na\n", {{"# c\n", 1}, {"a\n", 3}}},
      {"\xef\xbb\xbf---\n# c\n---\na\n", {{"# c\n", 2}, {"a\n", 4}}},
      {"a\n---\n\n---\nb\n", {{"a\n", 1}, {"\n", 3}, {"b\n", 5}}},
      {"a: |\n ---\nb\n", {{"a: |\n ---\nb\n", 1}}},
  };
  for (const auto& [stream, want] : cases) {
    std::vector<std::pair<std::string, int>> got;
    for (const Piece& piece : Split(stream)) {
      got.emplace_back(piece.text, piece.first_line);
    }
    EXPECT_EQ(got, want) << stream;
  }
}

TEST(SplitYaml, RefusesTextAfterASeparator) {
  for (const std::string line : {"---foo", "--- foo", "----", "--- |", "--- {}"}) {
    const base::Error error = base::Thrown([&] { Split("a: 1\n" + line + "\nb: 2\n"); });
    EXPECT_THAT(error.message(), StartsWith("line 2: invalid YAML document separator: ")) << line;
  }
}

TEST(SplitYaml, DocumentsAreBounded) {
  std::string text;
  for (int i = 0; i < 2000; ++i) {
    text += "---\na\n";
  }
  EXPECT_THROW(Split(text), base::Error);
  EXPECT_THROW(Split(std::string(17 << 20, '\n')), base::Error);
}

TEST(EmitYaml, WritesBlocks) {
  EXPECT_EQ(Emit(json::Parse(R"({"b": {"d": [], "c": {}}, "a": [1, [2, 3], {"x": 1, "y": [4]}],
                                   "n": null, "t": true})")),
            "a:\n- 1\n- - 2\n  - 3\n- x: 1\n  \"y\":\n  - 4\nb:\n  c: {}\n  d: []\n\"n\": null\nt: "
            "true\n");
  EXPECT_EQ(Emit(json::Value(9223372036854775808.0)), "9223372036854776000\n");
  EXPECT_EQ(Emit(json::Value(18446744073709551616.0)), "1.8446744073709552e+19\n");
  EXPECT_EQ(Emit(json::Value::object()), "{}\n");
  EXPECT_EQ(Emit(json::Value::array()), "[]\n");
  EXPECT_EQ(Emit("x"), "x\n");
  EXPECT_EQ(Emit(nullptr), "null\n");
}

TEST(EmitYaml, QuotesStringsAsGoYamlDoes) {
  const Reading cases[] = {
      {"\"\"", ""},
      {"\"yes\"", "yes"},
      {"\"1\"", "1"},
      {"\"0x1F\"", "0x1F"},
      {"\"1e3\"", "1e3"},
      {"\"2020-01-01T00:00:00Z\"", "2020-01-01T00:00:00Z"},
      {"\"12:30\"", "12:30"},
      {"v1.36.3", "v1.36.3"},
      {"10.96.0.0/12", "10.96.0.0/12"},
      {"http://a:80/b?c=d#e", "http://a:80/b?c=d#e"},
      {"'a: b'", "a: b"},
      {"'a:'", "a:"},
      {"'a #b'", "a #b"},
      {"'#a'", "#a"},
      {"'- a'", "- a"},
      {"'-'", "-"},
      {"-a", "-a"},
      {"--a=b", "--a=b"},
      {"'*'", "*"},
      {"'@a'", "@a"},
      {"'%a'", "%a"},
      {"'{a}'", "{a}"},
      {"'{{ .x }}'", "{{ .x }}"},
      {"a, b", "a, b"},
      {"it's", "it's"},
      {"'''q'''", "'q'"},
      {"'  a'", "  a"},
      {"'a  '", "a  "},
      {"\"a\\tb\"", "a\tb"},
      {"\"a\\rb\"", "a\rb"},
      {"\"\\a\"", "\x07"},
      {"\"\\e[0m\"", "\x1b[0m"},
      {"\"\\x7F\"", "\x7f"},
      {"é", "é"},
      {"\"\\L\"", "\u2028"},
      {"�", "\xff"},
      {"=", "="},
      {"<<", "<<"},
      {"\"a\\r\\nb\"", "a\r\nb"},
  };
  for (const auto& [yaml, text] : cases) {
    EXPECT_EQ(Emit(json::Value{{"k", text}}), "k: " + yaml + "\n");
  }
}

TEST(EmitYaml, WritesMultilineStringsAsLiteralBlocks) {
  const Reading cases[] = {
      {"|\n  a\n  b\n", "a\nb\n"},
      {"|-\n  a\n  b\n", "a\nb"},
      {"|+\n  a\n\n", "a\n\n"},
      {"|2-\n    a\n  b\n", "  a\nb"},
      {"|2-\n\n  a\n", "\na"},
      {"|2+\n\n", "\n"},
      {"|-\n  #a\n  b\n", "#a\nb"},
      {"\"a \\nb\"\n", "a \nb"},
      {"|-\n  a\n    b: c\n", "a\n  b: c"},
  };
  for (const auto& [yaml, text] : cases) {
    EXPECT_EQ(Emit(json::Value{{"k", text}}), "k: " + yaml);
  }
  EXPECT_EQ(Emit(json::Value::parse(R"({"a": {"b": "x\n\n"}, "c": 1})")),
            "a:\n  b: |+\n    x\n\nc: 1\n");
}

TEST(EmitYaml, FoldsLongTextsAtColumn80) {
  const std::string word = "123456789 ";
  std::string text;
  for (int i = 0; i < 10; ++i) {
    text += word;
  }
  text += "end";
  EXPECT_EQ(Emit(json::Value{{"k", text}}),
            "k: 123456789 123456789 123456789 123456789 123456789 123456789 123456789 123456789\n"
            "  123456789 123456789 end\n");
  EXPECT_EQ(Emit(json::Value{{"k", std::string(200, 'x')}}), "k: " + std::string(200, 'x') + "\n");
}

TEST(EmitYaml, WritesNumbersAsGoYamlDoes) {
  EXPECT_EQ(Emit(json::Parse("[1, -1, 1.5, 1e3, 1e21, 1e-7, 1234567.5, 9223372036854775807,"
                             " 9223372036854775808, 1e20, 0.00001, -0.0]")),
            "- 1\n- -1\n- 1.5\n- 1000\n- 1e+21\n- 1e-07\n- 1.2345675e+06\n- 9223372036854775807\n"
            "- 9223372036854775808\n- 1e+20\n- 1e-05\n- 0\n");
}

std::string KeysOf(const std::vector<std::string>& keys) {
  json::Value object = json::Value::object();
  for (const std::string& key : keys) {
    object[key] = 1;
  }
  std::string result;
  const std::string yaml = Emit(object);
  for (std::size_t at = 0; at < yaml.size(); at = yaml.find('\n', at) + 1) {
    result += yaml.substr(at, yaml.find(": 1", at) - at) + " ";
  }
  return result;
}

TEST(EmitYaml, SortsKeysNaturallyWithLettersLast) {
  EXPECT_EQ(KeysOf({"a10", "a2", "a1"}), "a1 a2 a10 ");
  EXPECT_EQ(KeysOf({"a", "B", "A", "b"}), "A B a b ");
  EXPECT_EQ(KeysOf({"ab", "a-b", "a_b", "a.b", "a/b", "a"}), "a a-b a.b a/b a_b ab ");
  EXPECT_EQ(KeysOf({"podCIDR", "podCIDRs", "pod1"}), "pod1 podCIDR podCIDRs ");
  EXPECT_EQ(KeysOf({"1a", "10"}), "\"10\" 1a ");
  EXPECT_EQ(KeysOf({"x01", "x1", "x001"}), "x1 x01 x001 ");
  EXPECT_EQ(KeysOf({"a100", "a20", "a110"}), "a20 a100 a110 ");
  EXPECT_EQ(KeysOf({"é", "z", "~"}), "\"~\" z é ");
}

TEST(EmitYaml, QuotesKeysLikeValues) {
  EXPECT_EQ(KeysOf({"on"}), "\"on\" ");
  EXPECT_EQ(KeysOf({"<<"}), "\"<<\" ");
  EXPECT_EQ(Emit(json::Value{{std::string(129, 'x'), 1}}),
            "? " + std::string(129, 'x') + "\n: 1\n");
}

TEST(EmitYaml, WritesTextThatParsesToTheSameValue) {
  const json::Value value = json::Parse(
      R"({"a": ["yes", "", " x", "a\nb", "a\n\n", "\n", "<<", "é\u2028", 1.5, null, {"1": {"<<": 2}}],
          "b": {"k: v": [[], {}, [[]]], "- x": "#", "\t": "\u0000"}})");
  EXPECT_EQ(Parse(Emit(value)).value, value);
}

}  // namespace
}  // namespace yaml
