// SPDX-License-Identifier: Apache-2.0
// Input that two readers of PEM could read differently is refused, however one of them reads it.
#include "pki/pem_block.h"

#include <gtest/gtest.h>

#include <initializer_list>

#include "base/strings.h"

namespace pki {
namespace {

const std::string kBegin = "-----BEGIN A B-----";
const std::string kEnd = "-----END A B-----";

// Returns a block with the bytes "hello world", or with the given lines.
std::string Block(const std::string& lines = "aGVsbG8g\nd29ybGQ=\n") {
  return kBegin + "\n" + lines + kEnd + "\n";
}

TEST(OnlyPemBlock, ReadsOneCanonicalBlock) {
  for (const std::string& text : std::initializer_list<std::string>{
           Block(), Block("aGVsbG8gd29ybGQ=\n"), Block("a\nGVsbG8gd29y\nbGQ=\n"),
           base::ReplaceAll(Block(), "\n", "\r\n"), Block() + "\n \t\r\n", "\n\r\n \t\n" + Block(),
           Block().substr(0, Block().size() - 1), Block().substr(0, Block().size() - 1) + " \t",
           Block().substr(0, Block().size() - 1) + " \t\r\n",
           kBegin + "\r\naGVsbG8g\nd29ybGQ=\r\n" + kEnd}) {
    EXPECT_EQ(OnlyPemBlock(text, "A B").value_or("refused"), "hello world") << text;
  }
  EXPECT_EQ(OnlyPemBlock(Block(""), "A B").value_or("refused"), "");
  EXPECT_EQ(OnlyPemBlock(Block("aGk=\n"), "A B").value_or("refused"), "hi");
  EXPECT_EQ(OnlyPemBlock(Block("aA==\n"), "A B").value_or("refused"), "h");
  EXPECT_EQ(OnlyPemBlock(Block("aGVs\n"), "A B").value_or("refused"), "hel");
}

TEST(OnlyPemBlock, RefusesAmbiguousInput) {
  const std::string nul(1, '\0');
  const std::string before = "there is something before";
  const std::string other = "it does not begin with";
  const std::string behind_begin = "there is something behind -----BEGIN A B-----";
  const std::string behind_end = "there is something behind -----END A B-----";
  const std::string no_end = "are not followed by -----END A B-----";
  const std::string base64 = "which is not base64";
  const std::string padding = "wrong padding or spare bits";
  struct Case {
    std::string name;
    std::string text;
    std::string why;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"nothing", "", "it is empty"},
           {"white space", " \r\n\t", "it is empty"},
           {"text before", "hi\n" + Block(), before},
           {"a mark of byte order", "\xEF\xBB\xBF" + Block(), before},
           {"NUL before", nul + Block(), before},
           {"form feed before", "\f\n" + Block(), before},
           {"indented", " " + Block(), "not at the beginning of its line"},
           {"CR before", "\r" + Block(), "not at the beginning of its line"},
           {"another label first", "-----BEGIN B-----\naGk=\n-----END B-----\n" + Block(), before},
           {"a broken block first", "-----BEGIN A B-----\n!\n-----END A B-----\n" + Block(),
            base64},
           {"its own label in small letters", base::ToLower(Block()), other},
           {"another label", base::ReplaceAll(Block(), "A B", "C"), other},
           {"a longer label", base::ReplaceAll(Block(), "A B", "A B C"), other},
           {"two blanks in the label", base::ReplaceAll(Block(), "A B", "A  B"), other},
           {"four dashes", Block().substr(1), other},
           {"six dashes", "-" + Block(), before},
           {"more dashes behind BEGIN", base::ReplaceAll(Block(), kBegin, kBegin + "-"),
            behind_begin},
           {"a blank behind BEGIN", base::ReplaceAll(Block(), kBegin, kBegin + " "), behind_begin},
           {"text behind BEGIN", base::ReplaceAll(Block(), kBegin, kBegin + "x"), behind_begin},
           {"two CRs behind BEGIN", base::ReplaceAll(Block(), kBegin, kBegin + "\r\r"),
            behind_begin},
           {"all on one line", base::ReplaceAll(Block(), "\n", ""), behind_begin},
           {"CR alone for line ends", base::ReplaceAll(Block(), "\n", "\r"), behind_begin},
           {"BEGIN alone", kBegin, "it has no line -----END A B-----"},
           {"no END", kBegin + "\naGk=\n", "it has no line -----END A B-----"},
           {"END not on a line of its own", kBegin + "\naGk=" + kEnd, "dashes of a second block"},
           {"END of another label", kBegin + "\naGk=\n-----END C-----\n", no_end},
           {"END in small letters", kBegin + "\naGk=\n-----end A B-----\n", no_end},
           {"END and END again", kBegin + "\naGk=\n-----END C-----\n" + kEnd, no_end},
           {"END indented", kBegin + "\naGk=\n " + kEnd + "\n", "dashes of a second block"},
           {"BEGIN twice", kBegin + "\n" + Block(), no_end},
           {"BEGIN of another within", kBegin + "\n-----BEGIN C-----\naGk=\n" + kEnd, no_end},
           {"BEGIN in the middle of a line", Block("aGk=-----BEGIN \n"),
            "dashes of a second block"},
           {"a header", Block("k: v\n\naGk=\n"), "line 2 of the block is a header"},
           {"a header without a value", Block(":\naGk=\n"), "is a header"},
           {"a header that holds BEGIN", Block("k: -----BEGIN A B-----\n\naGk=\n"),
            "dashes of a second block"},
           {"Proc-Type", Block("Proc-Type: 4,ENCRYPTED\nDEK-Info: X,00\n\naGk=\n"), "is a header"},
           {"a header behind", Block("aGk=\nk: v\n"), "line 3 of the block is a header"},
           {"an empty line first", Block("\naGk=\n"), "line 2 of the block is empty"},
           {"an empty line within", Block("aGVs\n\nbG8=\n"), "line 3 of the block is empty"},
           {"an empty line last", Block("aGk=\n\n"), "line 3 of the block is empty"},
           {"a blank within", Block("aG k=\n"), base64},
           {"a blank at a line's end", Block("aGVs \nbG8=\n"), base64},
           {"a blank at a line's beginning", Block(" aGk=\n"), base64},
           {"a tab", Block("aG\tk=\n"), base64},
           {"CR within", Block("aG\rk=\n"), base64},
           {"two CRs at a line's end", Block("aGk=\r\r\n"), base64},
           {"NUL within", Block("aG" + nul + "k=\n"), base64},
           {"form feed within", Block("aG\fk=\n"), base64},
           {"a letter beyond ASCII", Block("aG\xC3\xA9=\n"), base64},
           {"the alphabet of URLs", Block("__-_\n"), base64},
           {"a dash", Block("aG-=\n"), base64},
           {"padding only", Block("====\n"), padding},
           {"padding missing", Block("aGk\n"), padding},
           {"padding too long", Block("aGk==\n"), padding},
           {"padding after a whole group", Block("aGVs=\n"), padding},
           {"a group of padding", Block("aGVs====\n"), padding},
           {"padding in the middle", Block("aGk=aGk=\n"), padding},
           {"padding in the middle, on lines", Block("aGk=\naGk=\n"), padding},
           {"padding within a group", Block("a=Gk\n"), padding},
           {"padding first", Block("=aGk\n"), padding},
           {"one digit", Block("a\n"), padding},
           {"five digits", Block("aGVsb\n"), padding},
           {"three of padding", Block("a===\n"), padding},
           {"spare bits, two bytes", Block("aGl=\n"), padding},
           {"spare bits, one byte", Block("aB==\n"), padding},
           {"a second block", Block() + Block(), behind_end},
           {"text behind", Block() + "x", behind_end},
           {"text behind END", kBegin + "\naGk=\n" + kEnd + "x\n", behind_end},
           {"a dash behind END", kBegin + "\naGk=\n" + kEnd + "-\n", behind_end},
           {"NUL behind END", kBegin + "\naGk=\n" + kEnd + nul, behind_end},
           {"CR alone behind END", kBegin + "\naGk=\n" + kEnd + "\r", behind_end},
           {"two CRs behind END", kBegin + "\naGk=\n" + kEnd + "\r\r\n", behind_end},
           {"form feed behind", Block() + "\f", behind_end},
       }) {
    const auto block = OnlyPemBlock(c.text, "A B");
    ASSERT_FALSE(block.has_value()) << c.name;
    EXPECT_NE(block.error().find(c.why), std::string::npos) << c.name << ": " << block.error();
  }
}

}  // namespace
}  // namespace pki
