// SPDX-License-Identifier: Apache-2.0
#include "json/value.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/fake_error.h"
#include "json/budget.h"

namespace json {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string ParseFailure(std::string_view text) {
  return base::MessageOf([&] { Parse(text); }, base::Error::Kind::kInvalid);
}

TEST(Json, ReadsEveryKindOfValue) {
  const Value value = Parse(R"({"b": [1, -2, 1.5, true, null, "x"], "a": {}})");
  EXPECT_EQ(Compact(value), R"({"a":{},"b":[1,-2,1.5,true,null,"x"]})");
}

TEST(Json, ReportsLineAndColumnOfAnError) {
  EXPECT_THAT(ParseFailure("{\n  \"a\": x\n}"), StartsWith("line 2, column 8: syntax error"));
  EXPECT_THAT(ParseFailure(""), StartsWith("line 1, column 1: attempting to parse an empty input"));
  EXPECT_THAT(ParseFailure("[1] 2"), HasSubstr("line 1, column 5"));
}

TEST(Json, NestingIsBounded) {
  const std::string deep(kMaxDepth, '[');
  EXPECT_NO_THROW(Parse(deep + std::string(kMaxDepth, ']')));
  const std::string deeper = std::string(kMaxDepth + 2, '[') + std::string(kMaxDepth + 2, ']');
  EXPECT_THAT(ParseFailure(deeper), HasSubstr("more than 1000 deep"));
}

TEST(Json, MemoryIsBounded) {
  std::string lists = "[";
  for (int i = 0; i < 1'200'000; ++i) {
    lists += "[],";
  }
  EXPECT_THAT(ParseFailure(lists + "[]]"), HasSubstr("more than 64 MiB of memory"));
  Budget small(10'000);
  EXPECT_NO_THROW(Parse(R"({"a": [1, 2, 3]})", small));
  EXPECT_THROW(Parse(std::string(5000, '1') + "x", small), base::Error);
  EXPECT_THROW(Parse('"' + std::string(10'000, 'x') + '"', small), base::Error);
  EXPECT_THROW(Parse("1", small), base::Error) << "texts that are kept together share a budget";
}

TEST(Json, SkipsUnusedFieldsWithoutCost) {
  constexpr std::string_view kUnread[] = {"a", "b"};
  const auto read = [&](std::string_view text, std::size_t bytes = kMostMemory) {
    Budget budget(bytes);
    return Compact(Parse(text, budget, kUnread));
  };
  EXPECT_EQ(read(R"({"a":1,"c":2,"b":[{"a":{}},[3]]})"), R"({"c":2})");
  EXPECT_EQ(read(R"({"c":{"a":{"c":1,"d":{"a":[]}},"e":"a"},"d":[{"b":"x"},{"b":null,"f":4}]})"),
            R"({"c":{"e":"a"},"d":[{},{"f":4}]})");
  EXPECT_EQ(read(R"(["a",{"c":"b"}])"), R"(["a",{"c":"b"}])");
  std::string many = R"({"a":[0)";
  for (int i = 0; i < 10'000; ++i) {
    many += R"(,{"c":"d"})";
  }
  EXPECT_EQ(read(many + R"(],"c":{}})", 1'000), R"({"c":{}})");
  EXPECT_THROW(read(R"({"a":[1,}})"), base::Error) << "it has to be JSON all the same";
}

TEST(Json, TheLastOfDuplicateKeysCounts) {
  EXPECT_EQ(Compact(Parse(R"({"a":{"b":1},"a":{"c":2},"d":3,"d":null})")),
            R"({"a":{"c":2},"d":null})");
}

TEST(Json, StringsAndNumbersAreBounded) {
  const std::string fits(20 << 20, 'x');
  EXPECT_NO_THROW(Parse("[\"" + fits.substr(2) + "\", \"\\\"" + fits.substr(4) + "\"]"));
  for (const std::string& word : {'"' + fits + '"', '"' + fits, std::string(21 << 20, '1')}) {
    EXPECT_THAT(ParseFailure("[" + word), HasSubstr("a string or number of more than 20"));
    EXPECT_THAT(ParseFailure(R"([" \" {" , )" + word), HasSubstr("more than 20 MiB"));
  }
}

TEST(Json, ErrorsQuoteOnlyAShortExcerpt) {
  EXPECT_LT(ParseFailure('"' + std::string(1'000'000, 'x')).size(), 500);
  EXPECT_LT(ParseFailure(std::string(1'000'000, '1') + "x").size(), 500);
}

TEST(Json, TryParseAcceptsAnyInput) {
  EXPECT_EQ(TryParse("{\"a\": 1}"), (Value{{"a", 1}}));
  for (const std::string text : {"", "<html>", "[1", "1e999"}) {
    EXPECT_TRUE(TryParse(text).is_null()) << text;
  }
  EXPECT_TRUE(TryParse(std::string(10'000'000, '[')).is_null());
}

TEST(Budget, ChargesTheSizeOfAValue) {
  EXPECT_LT(cost::Of(1), 100);
  EXPECT_GT(cost::Of(std::string(1000, 'x')), 1000);
  EXPECT_GT(cost::Of(Value{{std::string(1000, 'x'), {1, 2}}}), 1200);
  Budget budget(10);
  EXPECT_TRUE(budget.Spend(10));
  EXPECT_FALSE(budget.Spend(1));
}

TEST(Json, NumberOutOfRangeIsRefused) {
  EXPECT_THAT(ParseFailure("1e999"), HasSubstr("out of range"));
}

TEST(Json, StringsAreEscapedAsGoEscapesThem) {
  EXPECT_EQ(Compact(Value("<a>&\"\\/")), R"("\u003ca\u003e\u0026\"\\/")");
  EXPECT_EQ(Compact(Value("\b\f\n\r\t\x01\x7f")), "\"\\b\\f\\n\\r\\t\\u0001\x7f\"");
  EXPECT_EQ(Compact(Value("é\u2028\u2029")), "\"é\\u2028\\u2029\"");
  EXPECT_EQ(Compact(Value("a\xff")), "\"a\\ufffd\"");
}

TEST(Json, PrettyIsIndentedAndKeepsEmptyOnOneLine) {
  const Value value = {{"list", {1, 2}}, {"none", Value::array()}, {"object", Value::object()}};
  EXPECT_EQ(Pretty(value, 2),
            "{\n  \"list\": [\n    1,\n    2\n  ],\n  \"none\": [],\n  \"object\": {}\n}");
  EXPECT_EQ(Pretty(Value{{"a", 1}}), "{\n    \"a\": 1\n}");
}

TEST(Json, OrderedKeepsTheOrderUntilItIsSorted) {
  Ordered value;
  value["kind"] = "Images";
  value["apiVersion"] = "v1";
  value["list"].push_back({{"z", 1}, {"a", 2}});
  EXPECT_EQ(Compact(value), R"({"kind":"Images","apiVersion":"v1","list":[{"z":1,"a":2}]})");
  EXPECT_EQ(Compact(Sorted(value)),
            R"({"apiVersion":"v1","kind":"Images","list":[{"a":2,"z":1}]})");
}

TEST(Json, AtReturnsNullForAMissingMember) {
  const Value value = {{"metadata", {{"name", "x"}, {"count", 3}}}};
  EXPECT_EQ(At(value, {"metadata", "count"}), 3);
  EXPECT_EQ(At(value, {}), value);
  EXPECT_TRUE(At(value, {"metadata", "labels", "a"}).is_null());
  EXPECT_TRUE(At(value, {"metadata", "name", "a"}).is_null());
  EXPECT_EQ(TextAt(value, {"metadata", "name"}), "x");
  EXPECT_EQ(TextAt(value, {"metadata", "count"}), "");
}

TEST(Json, ReplacesInvalidUtf8) { EXPECT_EQ(WithValidUtf8("a\xffé\xc3"), "a\uFFFDé\uFFFD"); }

TEST(Json, KindsHaveNames) {
  const std::pair<Value, std::string> cases[] = {{nullptr, "null"},
                                                 {true, "boolean"},
                                                 {1, "number"},
                                                 {1U, "number"},
                                                 {1.5, "number"},
                                                 {"x", "string"},
                                                 {Value::array(), "list"},
                                                 {Value::object(), "object"}};
  for (const auto& [value, kind] : cases) {
    EXPECT_EQ(KindOf(value), kind);
  }
}

}  // namespace
}  // namespace json
