// SPDX-License-Identifier: Apache-2.0
#include "config/explanation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/value.h"

namespace config {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(Explanation, NamesKindVersionTypeAndMeaning) {
  const auto found = FindFields("ClusterConfiguration.networking.podSubnet");
  ASSERT_FALSE(found.empty());
  EXPECT_THAT(TextOf({found, Depth::kOneLevel}),
              AllOf(StartsWith("KIND:     ClusterConfiguration\nVERSION:  kubeadm.k8s.io/"),
                    HasSubstr("FIELD:    networking.podSubnet <string>\n"),
                    HasSubstr("\nDESCRIPTION:\n    "), Not(HasSubstr("FIELDS:"))));
  const json::Ordered object = ObjectOf({found, Depth::kOneLevel});
  EXPECT_EQ(json::Compact(object["kind"]), R"("FieldExplanation")");
  EXPECT_EQ(object["explained"][0]["path"], "networking.podSubnet");
}

TEST(Explanation, HasTheRequestedDepth) {
  const auto found = FindFields("ClusterConfiguration.etcd");
  ASSERT_FALSE(found.empty());
  EXPECT_THAT(TextOf({found, Depth::kOneLevel}), Not(HasSubstr("dataDir")));
  EXPECT_THAT(TextOf({found, Depth::kAll}), HasSubstr("dataDir"));
  EXPECT_FALSE(ObjectOf({found, Depth::kOneLevel})["explained"][0]["fields"][0].contains("fields"));
  EXPECT_TRUE(ObjectOf({found, Depth::kAll})["explained"][0]["fields"][0].contains("fields"));
}

}  // namespace
}  // namespace config
