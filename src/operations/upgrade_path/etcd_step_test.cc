// SPDX-License-Identifier: Apache-2.0
#include "upgrade_path/etcd_step.h"

#include <gmock/gmock.h>

namespace upgrade_path {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Optional;

TEST(EtcdStep, NamesMembersThatAreTooOldForTheNextMinor) {
  EXPECT_THAT(
      FindEtcdStepHazard({{"one", "3.6.8-0"}, {"two", "3.6.11-0"}, {"three", "3.6.5-0"}},
                         "3.7.0-0"),
      Optional(AllOf(HasSubstr("3.6.11 or later"), HasSubstr("one (3.6.8-0), three (3.6.5-0)"),
                     HasSubstr("etcd.local.imageTag"))));
  EXPECT_THAT(FindEtcdStepHazard({{"one", "3.5.24-0"}, {"two", "3.5.26-0"}}, "3.6.5-0"),
              Optional(AllOf(HasSubstr("3.5.26 or later"), HasSubstr(": one (3.5.24-0)."))));
}

TEST(EtcdStep, HasNoHazardWhereNoMemberWaitsForAnother) {
  EXPECT_EQ(FindEtcdStepHazard({{"one", "3.6.8-0"}}, "3.7.0-0"), std::nullopt) << "one member";
  EXPECT_EQ(FindEtcdStepHazard({{"one", "3.6.11-0"}, {"two", "3.6.12-0"}}, "3.7.1-0"),
            std::nullopt);
  EXPECT_EQ(FindEtcdStepHazard({{"one", "3.6.5-0"}, {"two", "3.6.5-0"}}, "3.6.8-0"), std::nullopt)
      << "a patch";
  EXPECT_EQ(FindEtcdStepHazard({{"one", "3.7.0-0"}, {"two", "3.7.0-0"}}, "3.7.1-0"), std::nullopt);
  EXPECT_EQ(FindEtcdStepHazard({{"one", "own"}, {"two", "own"}}, "3.7.1-0"), std::nullopt);
  EXPECT_EQ(FindEtcdStepHazard({{"one", "3.6.5-0"}, {"two", "3.6.5-0"}}, "own"), std::nullopt);
}

}  // namespace
}  // namespace upgrade_path
