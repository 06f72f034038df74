// SPDX-License-Identifier: Apache-2.0
#include "http/rpc/status.h"

#include <gtest/gtest.h>

namespace rpc {
namespace {

TEST(LastCause, IsTheLastPartOfTheMessage) {
  EXPECT_EQ(LastCause("cannot connect to /run/x.sock: connection refused"), "connection refused");
  EXPECT_EQ(LastCause("no such image"), "no such image");
  EXPECT_EQ(LastCause(""), "");
}

}  // namespace
}  // namespace rpc
