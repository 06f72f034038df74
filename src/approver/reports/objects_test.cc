// SPDX-License-Identifier: Apache-2.0
#include "reports/objects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reports {
namespace {

using judgement::Csr;
using judgement::Decision;
using judgement::Verdict;
using testing::SizeIs;

TEST(EventCall, HasTheSameNameForTheSameReason) {
  const Csr csr{.name = std::string(253, 'a'), .uid = "u"};
  Verdict verdict{.decision = Decision::kIgnore,
                  .reason = judgement::Reason::kParseError,
                  .message = "why",
                  .rules = {}};
  const auto name = [&] {
    return json::TextAt(EventCall(csr, verdict, {"ns", "me"}, {}).body, {"metadata", "name"});
  };
  const std::string first = name();
  EXPECT_EQ(first, name());
  EXPECT_THAT(first, SizeIs(253));
  verdict.reason = judgement::Reason::kBadPem;
  EXPECT_NE(first, name());
}

TEST(EventCall, TruncatesHostileTexts) {
  const Csr csr{.name = "a", .uid = "u"};
  const Verdict verdict{
      .decision = Decision::kIgnore,
      .reason = judgement::Reason::kParseError,
      .message = std::string(1023, 'a') + "\xC3\xA4" + std::string(70'000, '\xFF'),
      .rules = {}};
  const std::string message =
      json::TextAt(EventCall(csr, verdict, {"ns", "me"}, {}).body, {"message"});
  EXPECT_EQ(message, std::string(1023, 'a') + "\xEF\xBF\xBD");
}

TEST(LeaderEventCall, IsAboutTheLease) {
  const kube::Call call = LeaderEventCall("lease", {"ns", "me"}, {});
  EXPECT_EQ(json::TextAt(call.body, {"involvedObject", "kind"}), "Lease");
  EXPECT_EQ(json::TextAt(call.body, {"reason"}), "LeaderElection");
  EXPECT_EQ(json::TextAt(call.body, {"message"}), "me became leader");
}

}  // namespace
}  // namespace reports
