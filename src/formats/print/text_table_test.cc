// SPDX-License-Identifier: Apache-2.0
#include "print/text_table.h"

#include <gtest/gtest.h>

namespace print {
namespace {

TEST(TextTable, PadsAllCellsButTheLast) {
  EXPECT_EQ(TextTable({{"NAME", "EXPIRES"}, {"a-long-name-here", "no"}}),
            "NAME               EXPIRES\n"
            "a-long-name-here   no\n");
}

TEST(TextTable, KeepsAMinimumWidth) { EXPECT_EQ(TextTable({{"A", "B"}}), "A         B\n"); }

TEST(TextTable, TakesRowsOfDifferentLength) {
  EXPECT_EQ(TextTable({{"A", "B", "C"}, {"!MISSING! something"}, {}}),
            "A         B         C\n!MISSING! something\n\n");
}

TEST(TextTable, EscapesInvisibleCharacters) {
  EXPECT_EQ(TextTable({{"a\x1b[2J\n", "caf\xC3\xA9\xE2\x80\xAE"}}),
            "a\\x1b[2J\\n   caf\xC3\xA9\\u202e\n");
}

}  // namespace
}  // namespace print
