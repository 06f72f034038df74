// SPDX-License-Identifier: Apache-2.0
#include "controller/approval.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace controller {
namespace {

using judgement::Csr;
using testing::SizeIs;

TEST(ApprovalCall, IsForTheRequestThatWasJudgedOrForNone) {
  const std::chrono::sys_seconds now{std::chrono::seconds(0)};
  EXPECT_THROW(ApprovalCall({.name = "a", .uid = "u"}, now), base::Error);
  EXPECT_THROW(ApprovalCall({.name = "a", .resource_version = "7"}, now), base::Error);
  EXPECT_NO_THROW(ApprovalCall({.name = "a", .uid = "u", .resource_version = "7"}, now));
}

TEST(ApprovalCall, KeepsConditionsAndTheVersionJudged) {
  const Csr csr{.name = "a",
                .uid = "u",
                .resource_version = "7",
                .conditions = {{.type = "X", .status = "True", .reason = "r", .message = "m"}}};
  const kube::Call call = ApprovalCall(csr, std::chrono::sys_seconds(std::chrono::seconds(0)));
  EXPECT_EQ(call.subresource, "approval");
  EXPECT_EQ(json::TextAt(call.body, {"metadata", "resourceVersion"}), "7");
  const json::Value& conditions = call.body["status"]["conditions"];
  ASSERT_THAT(conditions, SizeIs(2));
  EXPECT_EQ(conditions[1]["type"], "Approved");
  EXPECT_EQ(conditions[1]["reason"], "NodeCSRApprove");
  EXPECT_EQ(conditions[1]["lastUpdateTime"], "1970-01-01T00:00:00Z");
}

}  // namespace
}  // namespace controller
