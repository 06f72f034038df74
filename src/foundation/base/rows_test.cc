// SPDX-License-Identifier: Apache-2.0
#include "base/rows.h"

#include <gtest/gtest.h>

#include <array>
#include <string_view>

namespace base {
namespace {

struct Row {
  int key;
  std::string_view name;
};
constexpr std::array<Row, 2> kRows{{{1, "one"}, {2, "two"}}};

TEST(RowOf, FindsTheRowOfAKey) { EXPECT_EQ(RowOf(kRows, 2, &Row::key).name, "two"); }

TEST(RowOf, ThrowsForAMissingRow) { EXPECT_THROW(RowOf(kRows, 3, &Row::key), std::logic_error); }

}  // namespace
}  // namespace base
