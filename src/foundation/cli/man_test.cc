// SPDX-License-Identifier: Apache-2.0
#include "cli/man.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cli {
namespace {

using testing::ElementsAre;
using testing::Field;

void Nothing(Invocation&) {}

Command Root() {
  return {
      .name = "tool",
      .summary = "The tool",
      .flags = {{.name = "rootfs", .help = "Another root.", .persistent = true}},
      .children = [] {
        return std::vector<Command>{
            {.name = "init",
             .summary = "Set up",
             .long_text = "Set `it` up.\n\nRows:\n\n  a  b\n  c  d",
             .example = "# all-in-one\ntool init --port 1",
             .flags =
                 {{.name = "port", .type = FlagType::kInt32, .default_text = "1", .help = "Port."}},
             .run = Nothing,
             .children = [] {
               return std::vector<Command>{{.name = "part", .summary = "No text", .run = Nothing},
                                           {.name = "dark",
                                            .summary = "x",
                                            .long_text = "Dark.",
                                            .hidden = true,
                                            .run = Nothing}};
             }}};
      }};
}

const ManEdition kEdition = {.date = "2026-01-31", .version = "Slipway 1"};

std::string PageOf(std::string_view file) {
  for (const ManPage& page : ManPages(Root(), kEdition)) {
    if (page.file == file) {
      return page.text;
    }
  }
  return "";
}

TEST(ManPages, ExistForEveryCommandWithAText) {
  EXPECT_THAT(ManPages(Root(), kEdition),
              ElementsAre(Field(&ManPage::file, "tool.8"), Field(&ManPage::file, "tool-init.8"),
                          Field(&ManPage::file, "tool-init-dark.8"),
                          Field(&ManPage::file, "tool-completion.8")));
}

TEST(ManPages, HaveEverySection) {
  EXPECT_EQ(PageOf("tool-init.8"), R"(.TH "TOOL-INIT" 8 "2026-01-31" "Slipway 1"
.SH NAME
tool\-init \- Set up
.SH SYNOPSIS
\fBtool init\fR [flags]
.br
\fBtool init\fR [command]
.SH DESCRIPTION
Set \fBit\fR up.
.PP
Rows:
.PP
.nf
.RS 4
a  b
c  d
.RE
.fi
.SH EXAMPLES
.PP
.nf
.RS 4
# all\-in\-one
tool init \-\-port 1
.RE
.fi
.SH COMMANDS
.TP
\fBpart\fR
No text
.SH OPTIONS
.TP
\fB\-h, \-\-help\fR
Show this help for init.
.TP
\fB\-\-port int32\fR
Port. (default 1)
.SH "GLOBAL OPTIONS"
.TP
\fB\-\-rootfs string\fR
Another root.
.SH "SEE ALSO"
\fBtool\fR(8),
\fBtool\-init\-dark\fR(8)
)");
}

struct TextCase {
  std::string_view name;
  std::string_view text;
  std::string_view page;
};

class ManTexts : public testing::TestWithParam<TextCase> {};

TEST_P(ManTexts, AreEscapedForRoff) { EXPECT_EQ(ManText(GetParam().text), GetParam().page); }

INSTANTIATE_TEST_SUITE_P(
    All, ManTexts,
    testing::Values(TextCase{"Lines", "one\ntwo\n\nthree", "one\ntwo\n.PP\nthree\n"},
                    TextCase{"CommandOfRoff", ".so x\n'x", "\\&.so x\n\\&'x\n"},
                    TextCase{"Backslash", "a\\b", "a\\eb\n"},
                    TextCase{"Bold", "`a-b` and `c`", "\\fBa\\-b\\fR and \\fBc\\fR\n"},
                    TextCase{"BeyondAscii", "age1… of °", "age1\\[u2026] of \\[u00B0]\n"},
                    TextCase{"LoneQuote", "a ` b", "a ` b\n"},
                    TextCase{"BlankLineInRows", "  a\n\n   b",
                             ".PP\n.nf\n.RS 4\na\n\n b\n.RE\n.fi\n"}),
    [](const auto& text_case) { return std::string(text_case.param.name); });

}  // namespace
}  // namespace cli
