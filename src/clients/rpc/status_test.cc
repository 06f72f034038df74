// SPDX-License-Identifier: Apache-2.0
#include "rpc/status.h"

#include <gtest/gtest.h>

namespace rpc {
namespace {

TEST(LastCause, IsTheEndOfTheChain) {
  EXPECT_EQ(LastCause("last error: UNKNOWN: unix:/run/x.sock: Connection refused"),
            "Connection refused");
  EXPECT_EQ(LastCause("no such image"), "no such image");
  EXPECT_EQ(LastCause(""), "");
}

}  // namespace
}  // namespace rpc
