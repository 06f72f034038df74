// SPDX-License-Identifier: Apache-2.0
#include "controller/approval.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/fake_error.h"

namespace controller {
namespace {

using testing::SizeIs;

constexpr std::chrono::sys_seconds kNow{std::chrono::seconds(0)};

json::Value Object() {
  return {{"metadata",
           {{"name", "a"},
            {"uid", "u"},
            {"resourceVersion", "7"},
            {"labels", {{"team", "x"}}},
            {"ownerReferences", {{{"uid", "o"}}}}}},
          {"spec", {{"request", "cGVt"}}},
          {"status",
           {{"conditions",
             {{{"type", "X"}, {"status", "True"}, {"lastUpdateTime", "2026-01-01T00:00:00Z"}}}}}}};
}

TEST(ApprovalCall, RefusesFieldsOfTheWrongType) {
  json::Value object = Object();
  object["status"] = 7;
  EXPECT_EQ(base::MessageOf([&] { ApprovalCall(object, kNow); }),
            "status of CertificateSigningRequest \"a\" must be an object, not a number");
}

TEST(ApprovalCall, AddsOneConditionAndChangesNothingElse) {
  const kube::Call call = ApprovalCall(Object(), kNow);
  EXPECT_EQ(call.name, "a");
  EXPECT_EQ(call.subresource, "approval");
  const json::Value& conditions = call.body["status"]["conditions"];
  ASSERT_THAT(conditions, SizeIs(2));
  EXPECT_EQ(conditions[1]["type"], "Approved");
  EXPECT_EQ(conditions[1]["reason"], "NodeCSRApprove");
  EXPECT_EQ(conditions[1]["lastUpdateTime"], "1970-01-01T00:00:00Z");
  json::Value rest = call.body;
  rest["status"]["conditions"].erase(1);
  rest.erase("apiVersion");
  rest.erase("kind");
  EXPECT_EQ(rest, Object());
}

TEST(ApprovalCall, AddsTheFirstConditionToARequestWithoutStatus) {
  json::Value object = Object();
  object.erase("status");
  EXPECT_THAT(ApprovalCall(object, kNow).body["status"]["conditions"], SizeIs(1));
}

TEST(ApprovalCall, IsBoundToUidAndResourceVersion) {
  for (const char* part : {"uid", "resourceVersion"}) {
    json::Value object = Object();
    object["metadata"].erase(part);
    EXPECT_THROW(ApprovalCall(object, kNow), base::Error) << part;
  }
}

}  // namespace
}  // namespace controller
