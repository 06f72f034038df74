// SPDX-License-Identifier: Apache-2.0
#include "workflow/status_line.h"

#include <gtest/gtest.h>

#include <sstream>

namespace workflow {
namespace {

using std::chrono::seconds;

StatusLine::Time At(int s) { return StatusLine::Time(seconds(s)); }

TEST(StatusLine, ShowsWaitsOfASecondAndMore) {
  std::ostringstream out;
  StatusLine line(out, 80);
  line.Draw(At(0));
  line.Set(0, "waiting", At(10));
  line.Draw(At(10));
  EXPECT_EQ(out.str(), "");
  line.Draw(At(11));
  EXPECT_EQ(out.str(), "waiting 1s");
  line.Draw(At(12));
  EXPECT_EQ(out.str(), "waiting 1s\r\x1b[Kwaiting 2s");
}

TEST(StatusLine, KeepsCountingWhenTheTextChanges) {
  std::ostringstream out;
  StatusLine line(out, 80);
  line.Set(0, "one", At(0));
  line.Set(0, "two", At(5));
  line.Draw(At(7));
  EXPECT_EQ(out.str(), "two 7s");
}

TEST(StatusLine, ShowsTheFirstStepThatWaits) {
  std::ostringstream out;
  StatusLine line(out, 80);
  line.Set(2, "later", At(0));
  line.Set(1, "earlier", At(0));
  line.Draw(At(1));
  line.Set(1, std::nullopt, At(1));
  line.Draw(At(1));
  EXPECT_EQ(out.str(), "earlier 1s\r\x1b[Klater 1s");
  EXPECT_FALSE(line.empty());
  line.Set(2, std::nullopt, At(1));
  EXPECT_TRUE(line.empty());
}

TEST(StatusLine, HidesOnlyALineThatIsShown) {
  std::ostringstream out;
  StatusLine line(out, 80);
  line.Hide();
  EXPECT_EQ(out.str(), "");
  line.Set(0, "x", At(0));
  line.Draw(At(1));
  line.Hide();
  line.Hide();
  EXPECT_EQ(out.str(), "x 1s\r\x1b[K");
}

TEST(StatusLine, FitsTheTerminal) {
  std::ostringstream out;
  StatusLine line(out, 10);
  line.Set(0, "w\u00e4iting for ever", At(0));
  line.Draw(At(5));
  EXPECT_EQ(out.str(), "w\u00e4itin 5s");
}

}  // namespace
}  // namespace workflow
