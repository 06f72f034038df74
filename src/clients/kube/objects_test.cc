// SPDX-License-Identifier: Apache-2.0
#include "kube/objects.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "json/value.h"

namespace kube {
namespace {

using testing::HasSubstr;

TEST(Secret, HoldsBase64) {
  const json::Value secret = Secret({"n", "s"}, {{"k", "value"}, {"empty", ""}}, "some/type");
  EXPECT_EQ(secret.dump(), R"({"apiVersion":"v1","data":{"empty":"","k":"dmFsdWU="},)"
                           R"("kind":"Secret","metadata":{"name":"s","namespace":"n"},)"
                           R"("type":"some/type"})");
  EXPECT_EQ(SecretValue(secret, "k"), "value");
  EXPECT_EQ(SecretValue(secret, "empty"), std::nullopt);
  EXPECT_EQ(SecretValue(secret, "none"), std::nullopt);
  EXPECT_THAT([] { SecretValue({{"data", {{"k", "!"}}}}, "k"); },
              testing::ThrowsMessage<base::Error>(HasSubstr("key \"k\"")));
}

TEST(FindCondition, FindsTheConditionOfItsType) {
  const json::Value object = {
      {"status",
       {{"conditions",
         json::Value::array({{{"type", "A"}}, {{"type", "B"}, {"status", "True"}}})}}}};
  ASSERT_NE(FindCondition(object, "B"), nullptr);
  EXPECT_EQ(FindCondition(object, "B")->at("status"), "True");
  EXPECT_EQ(FindCondition(object, "C"), nullptr);
  EXPECT_EQ(FindCondition({{"status", {{"conditions", "none"}}}}, "A"), nullptr);
  EXPECT_EQ(FindCondition(json::Value::object(), "A"), nullptr);
}

}  // namespace
}  // namespace kube
