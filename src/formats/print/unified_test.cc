// SPDX-License-Identifier: Apache-2.0
#include "print/unified.h"

#include <gtest/gtest.h>

namespace print {
namespace {

// Two inputs with a line for each letter, and the hunks without the header.
struct Row {
  std::string from;
  std::string to;
  int context;
  std::string hunks;
};

std::string LinesOf(const std::string& letters) {
  std::string text;
  for (const char letter : letters) {
    text += letter + std::string("\n");
  }
  return text;
}

TEST(Unified, ShowsChangesWithTheirContext) {
  const Row rows[] = {
      {"abc", "abc", 3, ""},
      {"abc", "aXc", 0, "@@ -2 +2 @@\n-b\n+X\n"},
      {"abcde", "abXde", 1, "@@ -2,3 +2,3 @@\n b\n-c\n+X\n d\n"},
      {"abcdefghi", "abcdXfghi", -1, "@@ -2,7 +2,7 @@\n b\n c\n d\n-e\n+X\n f\n g\n h\n"},
      {"abc", "abcd", 0, "@@ -3,0 +4 @@\n+d\n"},
      {"abc", "bc", 0, "@@ -1 +0,0 @@\n-a\n"},
      {"abc", "ac", 1, "@@ -1,3 +1,2 @@\n a\n-b\n c\n"},
      {"", "ab", 3, "@@ -1 +1,3 @@\n+a\n+b\n \n"},
      {"ab", "", 3, "@@ -1,3 +1 @@\n-a\n-b\n \n"},
      // Changes that are far apart give two hunks, and near changes give one.
      {"abcdefgh", "XbcdefgY", 1, "@@ -1,2 +1,2 @@\n-a\n+X\n b\n@@ -7,3 +7,3 @@\n g\n-h\n+Y\n \n"},
      {"abcd", "XbcY", 1, "@@ -1,5 +1,5 @@\n-a\n+X\n b\n c\n-d\n+Y\n \n"},
      // The longest run counts, not the first.
      {"xabcy", "abxabcz", 0, "@@ -0,0 +1,2 @@\n+a\n+b\n@@ -5 +7 @@\n-y\n+z\n"},
  };
  for (const Row& row : rows) {
    const std::string diff =
        Unified(LinesOf(row.from), LinesOf(row.to), {"old", "new"}, row.context);
    EXPECT_EQ(diff, row.hunks.empty() ? "" : "--- old\n+++ new\n" + row.hunks)
        << row.from << " " << row.to;
  }
}

TEST(Unified, MarksAMissingFinalLineBreak) {
  EXPECT_EQ(Unified("a", "a\n", {"old", "new"}, 0), "--- old\n+++ new\n@@ -1,0 +2 @@\n+\n");
}

TEST(Unified, DoesNotMatchFrequentLinesOfALongText) {
  // 250 lines "same", each preceded by a unique line. Only the unique lines are anchors.
  std::string from;
  for (int i = 0; i < 250; ++i) {
    from += "line " + std::to_string(i) + "\nsame\n";
  }
  std::string to = from;
  to.replace(to.find("line 100\n"), 9, "other\n");
  EXPECT_EQ(Unified(from, to, {"a", "b"}, 0), "--- a\n+++ b\n@@ -201 +201 @@\n-line 100\n+other\n");
}

}  // namespace
}  // namespace print
