// SPDX-License-Identifier: Apache-2.0
#include "cli/colors.h"

#include <gtest/gtest.h>

#include <string>

namespace cli {
namespace {

const std::string kRed = "\x1b[1;31m";
const std::string kYellow = "\x1b[1;33m";
const std::string kGreen = "\x1b[32m";
const std::string kBold = "\x1b[1m";
const std::string kEnd = "\x1b[0m";

TEST(LinePainter, PaintsSeveritiesAndHeadings) {
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

TEST(LinePainter, LeavesOtherLinesUnpainted) {
  LinePainter painter;
  for (const char* line : {"", "[init] Using Kubernetes version: v1.37.2", "an error: inside",
                           "+ not in a diff", "- neither", "SHOUTING", "[ERROR without an end"}) {
    EXPECT_EQ(painter.Paint(line), line);
  }
}

TEST(LinePainter, PaintsSignsOnlyWithinADiff) {
  LinePainter painter;
  EXPECT_EQ(painter.Paint("@@ -1,2 +1,2 @@"), "\x1b[36m@@ -1,2 +1,2 @@" + kEnd);
  EXPECT_EQ(painter.Paint("-old"), kRed + "-old" + kEnd);
  EXPECT_EQ(painter.Paint("+new"), kGreen + "+new" + kEnd);
  EXPECT_EQ(painter.Paint(" same"), " same");
  EXPECT_EQ(painter.Paint("The end"), "The end");
  EXPECT_EQ(painter.Paint("-flag"), "-flag");
}

}  // namespace
}  // namespace cli
