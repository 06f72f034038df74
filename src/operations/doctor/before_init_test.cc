// SPDX-License-Identifier: Apache-2.0
#include "doctor/before_init.h"

#include <gtest/gtest.h>

namespace doctor {
namespace {

TEST(FindingOf, NothingIsBrokenBeforeInit) {
  const diagnosis::Finding refused =
      FindingOf({preflight::Severity::kError, "Swap", "swap is used by /dev/sda2"});
  EXPECT_EQ(refused.severity, diagnosis::Severity::kWarning);
  EXPECT_EQ(refused.what, "init would refuse, for Swap: swap is used by /dev/sda2");
  EXPECT_EQ(refused.culprit, "Swap");
  const diagnosis::Finding warned =
      FindingOf({preflight::Severity::kWarning, "Hostname", "unknown"});
  EXPECT_EQ(warned.severity, diagnosis::Severity::kNote);
  EXPECT_EQ(warned.what, "init would warn of Hostname: unknown");
}

}  // namespace
}  // namespace doctor
