// SPDX-License-Identifier: Apache-2.0
#include "base/growth.h"

#include <gtest/gtest.h>

namespace base {
namespace {

TEST(AppendWithin, MovesALargeTextOnlyOnce) {
  constexpr std::size_t kLimit = 8 << 20;
  const std::string piece(100'000, 'x');
  std::string text;
  int moves = 0;
  while (text.size() + piece.size() <= kLimit) {
    const char* before = text.data();
    const bool large = text.size() > (1 << 20);
    AppendWithin(kLimit, text, piece);
    moves += large && text.data() != before ? 1 : 0;
  }
  EXPECT_LE(moves, 1);
  EXPECT_EQ(text, std::string(text.size(), 'x'));
}

TEST(AppendWithin, ReservesLittleForASmallString) {
  std::string text;
  AppendWithin(64 << 20, text, std::string(1000, 'x'));
  EXPECT_LT(text.capacity(), 10'000U);
}

TEST(Fitted, ReleasesUnusedCapacity) {
  std::string text;
  text.reserve(8 << 20);
  text.assign(2 << 20, 'x');
  const std::string fitted = Fitted(std::move(text));
  EXPECT_EQ(fitted, std::string(2 << 20, 'x'));
  EXPECT_LT(fitted.capacity(), 3U << 20);
}

}  // namespace
}  // namespace base
