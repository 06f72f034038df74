// SPDX-License-Identifier: Apache-2.0
#include "reports/scrape_access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "host/fake_host.h"

namespace reports {
namespace {

using base::Error;
using Answer = ScrapeAccess::Answer;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// Answers both reviews and records the requests.
class Reviews : public kube::Transport {
 public:
  json::Value token_status = {
      {"authenticated", true},
      {"user",
       {{"username", "prometheus"}, {"uid", "7"}, {"groups", {"g"}}, {"extra", {{"k", {"v"}}}}}}};
  json::Value access_status = {{"allowed", true}};
  bool fails = false;
  std::vector<json::Value> asked;

  json::Value Do(const kube::Call& call, std::stop_token) override {
    asked.push_back(call.body);
    if (fails) {
      throw Error(Error::Kind::kUnavailable, "nobody answers");
    }
    json::Value answer = call.body;
    answer["status"] = call.resource.kind == "TokenReview" ? token_status : access_status;
    return answer;
  }
  std::string GetPath(const std::string&, std::stop_token) override { return ""; }
  void Watch(const kube::Call&, const std::string&, const OnEvent&, std::stop_token) override {}
};

class ScrapeAccessTest : public testing::Test {
 protected:
  std::shared_ptr<Reviews> reviews_ = std::make_shared<Reviews>();
  host::FakeClock clock_;
  ScrapeAccess access_{reviews_, clock_};
};

TEST_F(ScrapeAccessTest, RefusesAMissingTokenWithoutAReview) {
  EXPECT_EQ(access_.MayGet("/metrics", ""), Answer::kUnknown);
  EXPECT_EQ(access_.MayGet("/metrics", std::nullopt), Answer::kUnknown);
  EXPECT_THAT(reviews_->asked, IsEmpty());
}

TEST_F(ScrapeAccessTest, PassesTheUserOfTheTokenToTheAccessReview) {
  EXPECT_EQ(access_.MayGet("/metrics", "t"), Answer::kAllowed);
  ASSERT_THAT(reviews_->asked, SizeIs(2));
  EXPECT_EQ(json::Compact(reviews_->asked[0]["spec"]), R"({"token":"t"})");
  const json::Value& spec = reviews_->asked[1]["spec"];
  EXPECT_EQ(spec["user"], "prometheus");
  EXPECT_EQ(spec["uid"], "7");
  EXPECT_EQ(spec["groups"], json::Value({"g"}));
  EXPECT_EQ(json::Compact(spec["extra"]), R"({"k":["v"]})");
  EXPECT_EQ(json::Compact(spec["nonResourceAttributes"]), R"({"path":"/metrics","verb":"get"})");
}

TEST_F(ScrapeAccessTest, AllowsOnlyAnUnambiguousReview) {
  struct Row {
    json::Value token, access;
    Answer want;
  };
  const json::Value known = reviews_->token_status;
  for (const Row& row : std::initializer_list<Row>{
           {known, {{"allowed", true}}, Answer::kAllowed},
           {known, {{"allowed", false}}, Answer::kForbidden},
           {known, {{"allowed", true}, {"denied", true}}, Answer::kForbidden},
           {known, {{"allowed", "true"}}, Answer::kForbidden},
           {known, json::Value(), Answer::kForbidden},
           {{{"authenticated", false}}, {{"allowed", true}}, Answer::kUnknown},
           {{{"user", {{"username", "x"}}}}, {{"allowed", true}}, Answer::kUnknown},
           {{{"authenticated", true}}, {{"allowed", true}}, Answer::kUnknown},
           {json::Value(), {{"allowed", true}}, Answer::kUnknown}}) {
    const auto reviews = std::make_shared<Reviews>();
    reviews->token_status = row.token;
    reviews->access_status = row.access;
    EXPECT_EQ(ScrapeAccess(reviews, clock_).MayGet("/metrics", "t"), row.want)
        << json::Compact(row.token) << json::Compact(row.access);
  }
}

TEST_F(ScrapeAccessTest, RemembersAnswersForAWhile) {
  access_.MayGet("/metrics", "t");
  reviews_->access_status = {{"allowed", false}};
  EXPECT_EQ(access_.MayGet("/metrics", "t"), Answer::kAllowed);
  EXPECT_EQ(access_.MayGet("/metrics", "another"), Answer::kForbidden);
  EXPECT_EQ(access_.MayGet("/other", "t"), Answer::kForbidden);
  clock_.Advance(ScrapeAccess::kAllowedFor);
  EXPECT_EQ(access_.MayGet("/metrics", "t"), Answer::kForbidden);
  reviews_->access_status = {{"allowed", true}};
  EXPECT_EQ(access_.MayGet("/metrics", "t"), Answer::kForbidden);
  clock_.Advance(ScrapeAccess::kRefusedFor);
  EXPECT_EQ(access_.MayGet("/metrics", "t"), Answer::kAllowed);
}

TEST_F(ScrapeAccessTest, RetriesAReviewThatFailed) {
  reviews_->fails = true;
  EXPECT_EQ(access_.MayGet("/metrics", "t"), Answer::kNotKnown);
  reviews_->fails = false;
  EXPECT_EQ(access_.MayGet("/metrics", "t"), Answer::kAllowed);
}

TEST_F(ScrapeAccessTest, EvictsAnswersWhenManyTokensAreTried) {
  access_.MayGet("/metrics", "first");
  reviews_->access_status = {{"allowed", false}};
  for (std::size_t i = 0; i < ScrapeAccess::kMostRemembered; ++i) {
    access_.MayGet("/metrics", std::to_string(i));
  }
  EXPECT_EQ(access_.MayGet("/metrics", "first"), Answer::kForbidden) << "asked again";
}

}  // namespace
}  // namespace reports
