// SPDX-License-Identifier: Apache-2.0
#include "yaml/kyaml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yaml/yaml.h"

namespace yaml {
namespace {

json::Ordered Ordered(std::string_view text) { return json::Ordered::parse(text); }

TEST(Kyaml, WritesFlowStyleInTheOrderGiven) {
  EXPECT_EQ(
      EmitKyaml(Ordered(R"({"kind": "Images", "apiVersion": "v1", "images": ["b", "a"],
                                  "none": [], "empty": {}, "n": null})")),
      "---\n{\n  kind: \"Images\",\n  apiVersion: \"v1\",\n  images: [\n    \"b\",\n    \"a\",\n"
      "  ],\n  none: [],\n  empty: {},\n  \"n\": null,\n}\n");
}

TEST(Kyaml, WritesListsOfObjectsWithCuddledBrackets) {
  EXPECT_EQ(EmitKyaml(Ordered(R"({"e": [[], {}, [[1], {"a": [{"b": 1}]}]], "g": [1, [2]]})")),
            "---\n{\n  e: [[], {}, [[\n    1,\n  ], {\n    a: [{\n      b: 1,\n    }],\n  }]],\n"
            "  g: [\n    1,\n    [\n      2,\n    ],\n  ],\n}\n");
}

TEST(Kyaml, QuotesAmbiguousKeys) {
  for (const std::string key : {"none", "null1", "1e", "1-1", "1.2.3", "_", "x", "é", "a.b/c-d_e",
                                "1e400", "0x", "20-20", "9999-99-99", "_x", "1a"}) {
    EXPECT_EQ(EmitKyaml(json::Ordered{{key, 1}}), "---\n{\n  " + key + ": 1,\n}\n");
  }
  for (const std::string key :
       {"",    "Yes", "T",   "f",   "Inf", "nan", "nuLL", "y",   "1_0", "0o7",        "2020-1-1",
        "1.2", "a-",  "a.",  "a/",  "-a",  "_1",  "12_",  "1e3", "off", "infinity",   "a b",
        "a:b", "$a",  "a,b", "a#b", "<<",  "=",   "~",    "@",   "a'b", "2001-12-14", "+1"}) {
    EXPECT_EQ(EmitKyaml(json::Ordered{{key, 1}}), "---\n{\n  \"" + key + "\": 1,\n}\n");
  }
}

TEST(Kyaml, QuotesKeysThatReadersWouldSplit) {
  for (const std::string key : {"\u2028a", "a\u2029b", "a\u0085b", "a\u00a0b", "\ufeffa"}) {
    const std::string text = EmitKyaml(json::Ordered{{key, 1}});
    EXPECT_THAT(text, testing::HasSubstr("\"")) << text;
    EXPECT_EQ(Parse(text).value, (json::Value{{key, 1}}));
  }
}

TEST(Kyaml, StringsAreEscaped) {
  const std::pair<std::string, std::string> cases[] = {
      {"a", "a"},
      {"yes", "yes"},
      {"a\"b\\", "a\\\"b\\\\"},
      {"\t", "\t"},
      {"\x01\x07", "\\x01\\a"},
      {"\x1b\r", "\\e\\r"},
      {"é<&>", "é<&>"},
      {"\u2028\u00a0", "\\L\\_"},
      {"\u200b", "\\u200b"},
      {"\U000e0001", "\\U000e0001"},
      {"a\xff", "a\uFFFD"},
      {"\x7f", "\\x7f"},
  };
  for (const auto& [text, want] : cases) {
    EXPECT_EQ(EmitKyaml(text), "---\n\"" + want + "\"\n");
  }
}

TEST(Kyaml, WritesEachLineOfAStringOnItsOwnLine) {
  EXPECT_EQ(EmitKyaml(json::Ordered{{"k", "a\n  b \"q\"\n\tc\n\nd"}}),
            "---\n{\n  k: \"\\\n     a\\n\\\n    \\  b \\\"q\\\"\\n\\\n    \\\tc\\n\\\n     \\n\\\n"
            "     d\\\n    \",\n}\n");
  EXPECT_EQ(
      EmitKyaml(json::Ordered{{"k", {"\n", "a\n "}}}),
      "---\n{\n  k: [\n    \"\\\n       \\n\\\n      \",\n    \"\\\n       a\\n\\\n      \\ \\\n"
      "      \",\n  ],\n}\n");
}

TEST(Kyaml, WritesNumbersAsJsonDoes) {
  EXPECT_EQ(EmitKyaml(Ordered("[1e-7, 1e+21, 1234567.5, true]")),
            "---\n[\n  1e-7,\n  1e+21,\n  1234567.5,\n  true,\n]\n");
}

TEST(Kyaml, WritesLongKeysThatParseBack) {
  for (const std::string unit : {"k", "-", "\xC3\xA9", "\xE2\x80\x8B", "\n", "\"", " ", "?", "'"}) {
    for (const std::size_t length :
         {127, 128, 170, 171, 511, 512, 1021, 1022, 1023, 1024, 1025, 1026, 5000}) {
      std::string key;
      for (std::size_t i = 0; i < length; ++i) {
        key += unit;
      }
      const json::Ordered value = {{"a", {{key, {{key, "b\nc"}}}}}, {key + "z", {1, {{key, 2}}}}};
      EXPECT_EQ(Parse(EmitKyaml(value)).value, json::Sorted(value)) << unit << " x " << length;
    }
  }
}

TEST(Kyaml, MarksOnlyKeysOfMoreThan1024Characters) {
  const std::string plain(1024, 'k');
  EXPECT_EQ(EmitKyaml(json::Ordered{{plain, 1}}), "---\n{\n  " + plain + ": 1,\n}\n");
  EXPECT_EQ(EmitKyaml(json::Ordered{{plain + "k", 1}}), "---\n{\n  ? " + plain + "k: 1,\n}\n");
  const std::string quoted(1022, ' ');
  EXPECT_EQ(EmitKyaml(json::Ordered{{quoted, 1}}), "---\n{\n  \"" + quoted + "\": 1,\n}\n");
  EXPECT_EQ(EmitKyaml(json::Ordered{{quoted + " ", 1}}),
            "---\n{\n  ? \"" + quoted + " \": 1,\n}\n");
  std::string accents;
  for (int i = 0; i < 1024; ++i) {
    accents += "\xC3\xA9";
  }
  EXPECT_EQ(EmitKyaml(json::Ordered{{accents, 1}}), "---\n{\n  " + accents + ": 1,\n}\n");
}

TEST(Kyaml, WritesYamlThatParsesToTheSameValue) {
  const json::Ordered value = Ordered(
      R"({"a": ["yes", "", " x", "a\nb", "a\n\n", "\n", "a\n b ", "é\u2028\u0085", 1.5, null,
          {"1": {"<<": 2}}], "b": {"k: v": [[], {}, [[]]], "- x": "#", "\t": "\u0000\u001f"}})");
  EXPECT_EQ(Parse(EmitKyaml(value)).value, json::Sorted(value));
}

}  // namespace
}  // namespace yaml
