// SPDX-License-Identifier: Apache-2.0
#include "cli/colors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/fake_error.h"

namespace cli {
namespace {

const std::string kRed = "\x1b[1;31m";
const std::string kYellow = "\x1b[1;33m";
const std::string kGreen = "\x1b[32m";
const std::string kBold = "\x1b[1m";
const std::string kEnd = "\x1b[0m";

TEST(LinePainter, PaintsTheWordsThatSayIt) {
  LinePainter painter;
  EXPECT_EQ(painter.Paint("error: no such file"), kRed + "error:" + kEnd + " no such file");
  EXPECT_EQ(painter.Paint("\t[WARNING Swap]: it is on"),
            kYellow + "\t[WARNING Swap]" + kEnd + ": it is on");
  EXPECT_EQ(painter.Paint("  FAILED node-name a, not b"),
            kRed + "  FAILED " + kEnd + "node-name a, not b");
  EXPECT_EQ(painter.Paint("CERTIFICATE   EXPIRES"), kBold + "CERTIFICATE   EXPIRES" + kEnd);
  EXPECT_EQ(painter.Paint("apiserver   <invalid>   no"),
            "apiserver   " + kRed + "<invalid>" + kEnd + "   no");
}

TEST(LinePainter, LeavesEverythingElse) {
  LinePainter painter;
  for (const char* line : {"", "[init] Using Kubernetes version: v1.37.2", "an error: inside",
                           "+ not in a diff", "- neither", "SHOUTING", "[ERROR without an end"}) {
    EXPECT_EQ(painter.Paint(line), line);
  }
}

TEST(LinePainter, SignsCountWithinADiff) {
  LinePainter painter;
  EXPECT_EQ(painter.Paint("@@ -1,2 +1,2 @@"), "\x1b[36m@@ -1,2 +1,2 @@" + kEnd);
  EXPECT_EQ(painter.Paint("-old"), kRed + "-old" + kEnd);
  EXPECT_EQ(painter.Paint("+new"), kGreen + "+new" + kEnd);
  EXPECT_EQ(painter.Paint(" same"), " same");
  EXPECT_EQ(painter.Paint("The end"), "The end");
  EXPECT_EQ(painter.Paint("-flag"), "-flag");
}

class ColorsTest : public ::testing::Test {
 protected:
  std::ostringstream out_;
  std::ostringstream err_;
};

TEST_F(ColorsTest, OnlyWhereATerminalIs) {
  {
    const Colors colors(out_, err_, {.out_is_terminal = true});
    out_ << "note: a\n";
    err_ << "note: b\n";
  }
  EXPECT_EQ(out_.str(), "\x1b[36mnote:" + kEnd + " a\n");
  EXPECT_EQ(err_.str(), "note: b\n");
}

TEST_F(ColorsTest, NobodyIsAskedTwiceForNone) {
  const Colors wish(out_, err_, {.out_is_terminal = true, .no_color = "1"});
  const Colors dumb(out_, err_, {.out_is_terminal = true, .terminal = "dumb"});
  out_ << "note: a\n";
  EXPECT_EQ(out_.str(), "note: a\n");
}

TEST_F(ColorsTest, AFlagIsStronger) {
  Colors colors(out_, err_, {.out_is_terminal = true, .no_color = "1"});
  colors.Choose("always");
  err_ << "error: a\n";
  colors.Choose("never");
  err_ << "error: b\n";
  EXPECT_EQ(err_.str(), kRed + "error:" + kEnd + " a\nerror: b\n");
  EXPECT_THAT(base::Thrown([&] { colors.Choose("sometimes"); }).message(),
              ::testing::HasSubstr("none of auto, always, never"));
}

TEST_F(ColorsTest, PiecesOfALineAreNotHeldBack) {
  Colors colors(out_, err_, {.err_is_terminal = true});
  err_ << "error: " << std::flush;
  EXPECT_EQ(err_.str(), kRed + "error:" + kEnd + " ");
  err_ << "note: it is the same line" << std::flush << '\n' << "Sure? [y/N]: " << std::flush;
  EXPECT_EQ(err_.str(), kRed + "error:" + kEnd + " note: it is the same line\nSure? [y/N]: ");
}

}  // namespace
}  // namespace cli
