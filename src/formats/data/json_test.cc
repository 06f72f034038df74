#include "data/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "data/budget.h"

namespace data {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string ParseFailure(std::string_view text) {
  try {
    ParseJson(text);
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::Error::Kind::kInvalid);
    return error.message();
  }
  return "";
}

TEST(Json, ReadsEveryKindOfValue) {
  const Json value = ParseJson(R"({"b": [1, -2, 1.5, true, null, "x"], "a": {}})");
  EXPECT_EQ(Compact(value), R"({"a":{},"b":[1,-2,1.5,true,null,"x"]})");
}

TEST(Json, FailureNamesLineAndColumn) {
  EXPECT_THAT(ParseFailure("{\n  \"a\": x\n}"), StartsWith("line 2, column 8: syntax error"));
  EXPECT_THAT(ParseFailure(""), StartsWith("line 1, column 1: attempting to parse an empty input"));
  EXPECT_THAT(ParseFailure("[1] 2"), HasSubstr("line 1, column 5"));
}

TEST(Json, NestingIsBounded) {
  const std::string deep(kMaxDepth, '[');
  EXPECT_NO_THROW(ParseJson(deep + std::string(kMaxDepth, ']')));
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
  EXPECT_NO_THROW(ParseJson(R"({"a": [1, 2, 3]})", small));
  EXPECT_THROW(ParseJson(std::string(5000, '1') + "x", small), base::Error);
  EXPECT_THROW(ParseJson('"' + std::string(10'000, 'x') + '"', small), base::Error);
  EXPECT_THROW(ParseJson("1", small), base::Error) << "texts that are kept together share a budget";
}

TEST(Json, WordsAreBounded) {
  const std::string fits(8 << 20, 'x');
  EXPECT_NO_THROW(ParseJson("[\"" + fits.substr(2) + "\", \"\\\"" + fits.substr(4) + "\"]"));
  for (const std::string& word : {'"' + fits + '"', '"' + fits, std::string(9 << 20, '1')}) {
    EXPECT_THAT(ParseFailure("[" + word), HasSubstr("a string or number of more than 8"));
    EXPECT_THAT(ParseFailure(R"([" \" {" , )" + word), HasSubstr("more than 8 MiB"));
  }
}

TEST(Json, FailureQuotesLittle) {
  EXPECT_LT(ParseFailure('"' + std::string(1'000'000, 'x')).size(), 500);
  EXPECT_LT(ParseFailure(std::string(1'000'000, '1') + "x").size(), 500);
}

TEST(Json, WhatMayBeAnythingIsTriedOnly) {
  EXPECT_EQ(TryParseJson("{\"a\": 1}"), (Json{{"a", 1}}));
  for (const std::string text : {"", "<html>", "[1", "1e999"}) {
    EXPECT_TRUE(TryParseJson(text).is_null()) << text;
  }
  EXPECT_TRUE(TryParseJson(std::string(10'000'000, '[')).is_null());
}

TEST(Budget, CostIsWhatAValueTakes) {
  EXPECT_LT(cost::Of(1), 100);
  EXPECT_GT(cost::Of(std::string(1000, 'x')), 1000);
  EXPECT_GT(cost::Of(Json{{std::string(1000, 'x'), {1, 2}}}), 1200);
  Budget budget(10);
  EXPECT_TRUE(budget.Spend(10));
  EXPECT_FALSE(budget.Spend(1));
}

TEST(Json, NumberOutOfRangeIsRefused) {
  EXPECT_THAT(ParseFailure("1e999"), HasSubstr("out of range"));
}

TEST(Json, StringsAreEscapedAsGoEscapesThem) {
  EXPECT_EQ(Compact(Json("<a>&\"\\/")), R"("\u003ca\u003e\u0026\"\\/")");
  EXPECT_EQ(Compact(Json("\b\f\n\r\t\x01\x7f")), "\"\\b\\f\\n\\r\\t\\u0001\x7f\"");
  EXPECT_EQ(Compact(Json("é\u2028\u2029")), "\"é\\u2028\\u2029\"");
  EXPECT_EQ(Compact(Json("a\xff")), "\"a\\ufffd\"");
}

TEST(Json, PrettyIsIndentedAndKeepsEmptyOnOneLine) {
  const Json value = {{"list", {1, 2}}, {"none", Json::array()}, {"object", Json::object()}};
  EXPECT_EQ(Pretty(value, 2),
            "{\n  \"list\": [\n    1,\n    2\n  ],\n  \"none\": [],\n  \"object\": {}\n}");
  EXPECT_EQ(Pretty(Json{{"a", 1}}), "{\n    \"a\": 1\n}");
}

TEST(Json, OrderedKeepsTheOrderUntilSorted) {
  OrderedJson value;
  value["kind"] = "Images";
  value["apiVersion"] = "v1";
  value["list"].push_back({{"z", 1}, {"a", 2}});
  EXPECT_EQ(Compact(value), R"({"kind":"Images","apiVersion":"v1","list":[{"z":1,"a":2}]})");
  EXPECT_EQ(Compact(Sorted(value)),
            R"({"apiVersion":"v1","kind":"Images","list":[{"a":2,"z":1}]})");
}

TEST(Json, AtFollowsMembersAndForgivesWhatIsMissing) {
  const Json value = {{"metadata", {{"name", "x"}, {"count", 3}}}};
  EXPECT_EQ(At(value, {"metadata", "count"}), 3);
  EXPECT_EQ(At(value, {}), value);
  EXPECT_TRUE(At(value, {"metadata", "labels", "a"}).is_null());
  EXPECT_TRUE(At(value, {"metadata", "name", "a"}).is_null());
  EXPECT_EQ(TextAt(value, {"metadata", "name"}), "x");
  EXPECT_EQ(TextAt(value, {"metadata", "count"}), "");
}

TEST(Json, BytesThatAreNoUtf8AreReplaced) {
  EXPECT_EQ(WithValidUtf8("a\xffé\xc3"), "a\uFFFDé\uFFFD");
}

TEST(Json, KindsHaveNames) {
  const std::pair<Json, std::string> cases[] = {
      {nullptr, "null"}, {true, "boolean"}, {1, "number"},           {1U, "number"},
      {1.5, "number"},   {"x", "string"},   {Json::array(), "list"}, {Json::object(), "object"}};
  for (const auto& [value, kind] : cases) {
    EXPECT_EQ(KindOf(value), kind);
  }
}

}  // namespace
}  // namespace data
