// SPDX-License-Identifier: Apache-2.0
#include "inventories/answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.h"

namespace inventories {
namespace {

using base::Error;
using judgement::Source;
using testing::HasSubstr;
using testing::SizeIs;

constexpr const char* kHead = R"({"apiVersion":"approver.slipway/v1alpha1","kind":"Inventory",)";

std::string With(const std::string& rest) { return kHead + rest + "}"; }

std::string Refusal(const std::string& text, Source source = Source::kExec) {
  try {
    ReadAnswer(text, source);
    return "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::kInvalid);
    return error.message();
  }
}

TEST(ReadAnswer, ReadsEntriesAndTheirTimes) {
  const Answer answer = ReadAnswer(
      With(R"("maxAgeSeconds":30,"items":[{"hostname":"a","addresses":["10.0.0.1"],"use":"once",)"
           R"("createdAt":"2026-01-31T12:00:00Z"},{"hostname":"b","providerID":"x"}])"),
      Source::kExec);
  EXPECT_EQ(answer.max_age, std::chrono::seconds(30));
  ASSERT_THAT(answer.entries, SizeIs(2));
  EXPECT_TRUE(answer.entries[0].one_time);
  EXPECT_TRUE(answer.entries[0].HasWindow());
  EXPECT_EQ(answer.entries[0].created, judgement::Time(std::chrono::seconds(1'769'860'800)));
  EXPECT_EQ(answer.entries[1].provider_id, "x");
  EXPECT_FALSE(answer.entries[1].HasWindow());
}

TEST(ReadAnswer, AnEmptyListIsAnAnswer) {
  const Answer answer = ReadAnswer(With(R"("items":[])"), Source::kHttp);
  EXPECT_THAT(answer.entries, SizeIs(0));
  EXPECT_EQ(answer.max_age, std::chrono::seconds(0));
}

TEST(ReadAnswer, BoundsTheCacheTime) {
  EXPECT_EQ(
      ReadAnswer(With(R"("maxAgeSeconds":18446744073709551615,"items":[])"), Source::kExec).max_age,
      kLongestAge);
}

TEST(ReadAnswer, RefusesMalformedAnswers) {
  struct Row {
    std::string text, says;
  };
  for (const Row& row : std::initializer_list<Row>{
           {"", "JSON"},
           {"<html>", "JSON"},
           {"hostname: a", "JSON"},
           {With(R"("items":[])") + "x", "JSON"},
           {With(R"("items":[])") + With(R"("items":[])"), "JSON"},
           {"[]", "must be an object, is a list"},
           {"null", "must be an object, is a null"},
           {"{}", "apiVersion must be approver.slipway/v1alpha1"},
           {R"({"apiVersion":"approver.slipway/v1","kind":"Inventory","items":[]})", "apiVersion"},
           {R"({"apiVersion":"approver.slipway/v1alpha1","items":[]})", "kind must be Inventory"},
           {With(R"("x":1)"), "unknown field \"x\""},
           {With(R"("kind":"Inventory","items":[])"), "\"kind\" twice"},
           {With(R"("items":{})"), "items must be a list"},
           {With(R"("items":null)"), "items must be a list"},
           {With(R"("maxAgeSeconds":-1,"items":[])"), "maxAgeSeconds"},
           {With(R"("maxAgeSeconds":1.5,"items":[])"), "maxAgeSeconds"},
           {With(R"("maxAgeSeconds":"1","items":[])"), "maxAgeSeconds"},
           {With(R"("items":["a"])"), "entry 1"},
           {With(R"("items":[{}])"), "hostname is missing"},
           {With(R"("items":[{"hostname":"a","addresses":"10.0.0.1"}])"), "must be a list"},
           {With(R"("items":[{"hostname":"A"}])"), "hostname"},
           {With(R"("items":[{"hostname":"a"},{"hostname":"a"}])"), "twice"},
           {With(R"("items":[{"hostname":"a","hostname":"b"}])"), "\"hostname\" twice"},
           {With(R"("items":[{"hostname":"a","use":"often"}])"), "use must be"},
           {With(R"("items":[{"hostname":"a","createdAt":"today"}])"), "createdAt"},
           {With(R"("items":[{"hostname":"a","createdAt":1}])"), "createdAt"},
           {With(R"("items":[{"hostname":"a","ready":true}])"), "unknown field"}}) {
    const std::string refusal = Refusal(row.text);
    EXPECT_NE(refusal, "accepted") << row.text;
    if (row.says != "JSON") {
      EXPECT_THAT(refusal, HasSubstr(row.says)) << row.text;
    }
  }
}

TEST(ReadAnswer, RefusesTooManyEntries) {
  std::string items;
  for (std::size_t i = 0; i <= kMostEntries; ++i) {
    items += (i == 0 ? "" : ",") + (R"({"hostname":"n)" + std::to_string(i) + "\"}");
  }
  EXPECT_THAT(Refusal(With("\"items\":[" + items + "]")), HasSubstr("at most 20000 entries"));
}

TEST(ReadAnswer, ReadsTheAgeOfAnHttpAnswerFromItsHeader) {
  EXPECT_THAT(Refusal(With(R"("maxAgeSeconds":1,"items":[])"), Source::kHttp),
              HasSubstr("unknown field \"maxAgeSeconds\""));
}

}  // namespace
}  // namespace inventories
