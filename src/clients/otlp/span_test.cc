// SPDX-License-Identifier: Apache-2.0
#include "otlp/span.h"

#include <gtest/gtest.h>

#include "json/value.h"

namespace otlp {
namespace {

constexpr const char* kTrace = "0af7651916cd43dd8448eb211c80319c";
constexpr const char* kSpan = "b7ad6b7169203331";

TEST(ParseTraceparent, ReadsTheExampleOfTheRecommendation) {
  const auto context = ParseTraceparent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
  ASSERT_TRUE(context);
  EXPECT_EQ(context->trace_id, kTrace);
  EXPECT_EQ(context->span_id, kSpan);
  EXPECT_EQ(ToTraceparent(*context), "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
}

TEST(ParseTraceparent, AcceptsMoreFieldsOfALaterVersionOnly) {
  const std::string text = std::string(kTrace) + "-" + kSpan + "-00-more";
  EXPECT_TRUE(ParseTraceparent("cc-" + text));
  EXPECT_FALSE(ParseTraceparent("00-" + text));
}

TEST(ParseTraceparent, RefusesMalformedValues) {
  for (const char* text : {"", "00", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
                           "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                           "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
                           "00-00000000000000000000000000000000-b7ad6b7169203331-01",
                           "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
                           "00-0af7651916cd43dd8448eb211c80319-b7ad6b7169203331-01",
                           "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0x"}) {
    EXPECT_FALSE(ParseTraceparent(text)) << text;
  }
}

TEST(TraceIdOf, IsTheSameForEachProcessWithTheSeed) {
  EXPECT_EQ(TraceIdOf("a"), TraceIdOf("a"));
  EXPECT_NE(TraceIdOf("a"), TraceIdOf("b"));
  EXPECT_TRUE(ParseTraceparent(ToTraceparent({TraceIdOf("a"), SpanIdOf(TraceIdOf("a"), "x")})));
}

TEST(ToRequest, HasTheFieldsOfTheProtocol) {
  const std::chrono::system_clock::time_point begin{std::chrono::milliseconds(1'700'000'000'123)};
  const json::Value request = ToRequest({{.context = {.trace_id = kTrace, .span_id = kSpan},
                                          .parent_id = "00f067aa0ba902b7",
                                          .name = "kubeadm init",
                                          .begin = begin,
                                          .end = begin + std::chrono::seconds(2),
                                          .attributes = {{"node", "cp-1"}},
                                          .failed = true},
                                         {.context = {.trace_id = kTrace, .span_id = kSpan},
                                          .parent_id = "",
                                          .name = "root",
                                          .begin = begin,
                                          .end = begin - std::chrono::seconds(1)}},
                                        {.name = "kubeadm", .version = "1", .host = "cp-1"});
  const json::Value& spans = request.at("resourceSpans").at(0).at("scopeSpans").at(0).at("spans");
  EXPECT_EQ(spans.at(0).at("parentSpanId"), "00f067aa0ba902b7");
  EXPECT_EQ(spans.at(0).at("startTimeUnixNano"), "1700000000123000000") << "64 bits are strings";
  EXPECT_EQ(spans.at(0).at("endTimeUnixNano"), "1700000002123000000");
  EXPECT_EQ(spans.at(0).at("status"), json::Value({{"code", 2}}));
  EXPECT_FALSE(spans.at(1).contains("parentSpanId"));
  EXPECT_EQ(spans.at(1).at("status"), json::Value({{"code", 1}}));
  EXPECT_EQ(spans.at(1).at("endTimeUnixNano"), spans.at(1).at("startTimeUnixNano"))
      << "the clock was set back";
}

}  // namespace
}  // namespace otlp
