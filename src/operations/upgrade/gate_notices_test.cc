#include "upgrade/gate_notices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace upgrade {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

TEST(GateNotices, TellOfGatesThatAreGoingOrGone) {
  EXPECT_THAT(GateNotices({{"PublicKeysECDSA", true}, {"NoSuchGate", false}}),
              ElementsAre(StartsWith("feature gate NoSuchGate is not known"),
                          StartsWith("feature gate PublicKeysECDSA is deprecated")));
  EXPECT_THAT(GateNotices({{"RootlessControlPlane", true}}), ElementsAre());
}

}  // namespace
}  // namespace upgrade
