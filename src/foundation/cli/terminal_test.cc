// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/fake_error.h"

namespace cli {
namespace {

const std::string kRedError = "\x1b[1;31merror:\x1b[0m";
const std::string kCyanNote = "\x1b[36mnote:\x1b[0m";

// Hostile output: a title change, a cleared screen, C1's CSI as one code point and as one byte, a
// bidirectional override, a carriage return; then harmless text.
const std::string kHostile = "\x1b]0;x\a\x1b[2J\xC2\x9B\x9B\xE2\x80\xAE\rcaf\xC3\xA9\n\tend";
const std::string kShown = "\\x1b]0;x\\a\\x1b[2J\\u009b\\x9b\\u202e\\rcaf\xC3\xA9\n\tend";

class TerminalTest : public ::testing::Test {
 protected:
  std::ostringstream out_;
  std::ostringstream err_;
};

TEST_F(TerminalTest, EscapesTextForPeopleOnEveryStream) {
  for (const bool is_terminal : {false, true}) {
    out_.str("");
    err_.str("");
    {
      const Terminal terminal(out_, err_,
                              {.out_is_terminal = is_terminal, .err_is_terminal = is_terminal});
      out_ << kHostile << std::flush;
      err_ << kHostile << '\n' << '\x1b' << std::flush;
    }
    EXPECT_EQ(out_.str(), kShown) << is_terminal;
    EXPECT_EQ(err_.str(), kShown + "\n\\x1b") << is_terminal;
  }
}

TEST_F(TerminalTest, EscapesStructuredOutputOnATerminalOnly) {
  {
    const Terminal terminal(out_, err_, {.out_is_terminal = true});
    out_ << Exact{kHostile} << std::flush;
    err_ << "before " << Exact{kHostile} << "\x1b after";
  }
  EXPECT_EQ(out_.str(), kShown);
  EXPECT_EQ(err_.str(), "before " + kHostile + "\\x1b after");
}

TEST_F(TerminalTest, EscapesJsonAsJson) {
  const Terminal terminal(out_, err_, {.out_is_terminal = true, .terminal = "dumb"});
  out_ << Exact{"{\"a\": \"\x7f\xC2\x9B\xE2\x80\xAE\"}"};
  EXPECT_EQ(out_.str(), R"({"a": "\u007f\u009b\u202e"})");
}

TEST_F(TerminalTest, DoesNotColorStructuredOutputInAFile) {
  Terminal terminal(out_, err_, {});
  terminal.ChooseColors("always");
  out_ << "note: a\n" << Exact{"note: b\n"} << "note: c\n";
  EXPECT_EQ(out_.str(), kCyanNote + " a\nnote: b\n" + kCyanNote + " c\n");
}

TEST_F(TerminalTest, PassesItsOwnCursorCodesAndEscapesOthers) {
  const Terminal terminal(out_, err_, {.out_is_terminal = true});
  out_ << "waiting" << std::flush << ClearLine{} << "note: " << std::flush << "\r\x1b[K\n";
  EXPECT_EQ(out_.str(), "waiting\r\x1b[K" + kCyanNote + " \\r\\x1b[K\n");
}

TEST_F(TerminalTest, ClearsLinesAboveTheCursor) {
  const Terminal terminal(out_, err_, {});
  out_ << "a\nb\n" << ClearLines{2} << "c\n" << ClearLines{0} << std::flush;
  EXPECT_EQ(out_.str(), "a\nb\n\x1b[2A\r\x1b[Jc\n\r\x1b[J");
}

TEST_F(TerminalTest, EscapesCodePointsThatArriveInPieces) {
  {
    const Terminal terminal(out_, err_, {});
    out_ << "\xE2" << std::flush << "\x80" << '\xA6' << "\xE2\x80" << std::flush << "\xAE";
    out_ << "\xE2\x80\n" << std::flush;
    out_ << "end\xE2\x80" << std::flush;
    EXPECT_EQ(out_.str(), "\xE2\x80\xA6\\u202e\\xe2\\x80\nend");
  }
  EXPECT_TRUE(out_.str().ends_with("end\\xe2\\x80"));
}

TEST_F(TerminalTest, DoesNotChangeOutputWithoutATerminal) {
  out_ << Exact{"\x1b"} << ClearLine{};
  EXPECT_EQ(out_.str(), "\x1b\r\x1b[K");
  {
    const Terminal terminal(out_, err_, {});
  }
  out_ << "\x1b";
  EXPECT_EQ(out_.str(), "\x1b\r\x1b[K\x1b");
}

// Fails every write, like a full disk.
class FullBuffer : public std::streambuf {};

TEST_F(TerminalTest, SetsTheErrorStateOfTheStreamWhenOutputIsLost) {
  FullBuffer full;
  for (const auto& write :
       {+[](std::ostream& out) { out << "text"; }, +[](std::ostream& out) { out << Exact{"text"}; },
        +[](std::ostream& out) { out << ClearLine{}; }}) {
    std::ostream out(&full);
    const Terminal terminal(out, err_, {});
    write(out);
    EXPECT_TRUE(out.bad());
  }
}

TEST_F(TerminalTest, ColorsOutputOnATerminal) {
  const Terminal terminal(out_, err_, {.out_is_terminal = true});
  out_ << "note: a\n";
  err_ << "note: b\n";
  EXPECT_EQ(out_.str(), kCyanNote + " a\n");
  EXPECT_EQ(err_.str(), "note: b\n");
}

TEST_F(TerminalTest, ReadsNoColorOnce) {
  for (const Terminal::Facts& facts :
       {Terminal::Facts{.out_is_terminal = true, .no_color = "1"},
        Terminal::Facts{.out_is_terminal = true, .terminal = "dumb"}}) {
    out_.str("");
    const Terminal terminal(out_, err_, facts);
    out_ << "note: a\n";
    EXPECT_EQ(out_.str(), "note: a\n");
  }
}

TEST_F(TerminalTest, PrefersTheColorFlagToTheEnvironment) {
  Terminal terminal(out_, err_, {.out_is_terminal = true, .no_color = "1"});
  terminal.ChooseColors("always");
  err_ << "error: a\n";
  terminal.ChooseColors("never");
  err_ << "error: b\n";
  EXPECT_EQ(err_.str(), kRedError + " a\nerror: b\n");
  EXPECT_THAT(base::Thrown([&] { terminal.ChooseColors("sometimes"); }).message(),
              ::testing::HasSubstr("is not auto, always or never"));
}

TEST_F(TerminalTest, ColorsALineWrittenInPiecesOnce) {
  const Terminal terminal(out_, err_, {.err_is_terminal = true});
  err_ << "error: " << std::flush;
  EXPECT_EQ(err_.str(), kRedError + " ");
  err_ << "note: it is the same line" << std::flush << '\n' << "Sure? [y/N]: " << std::flush;
  EXPECT_EQ(err_.str(), kRedError + " note: it is the same line\nSure? [y/N]: ");
}

}  // namespace
}  // namespace cli
