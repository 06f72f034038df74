// SPDX-License-Identifier: Apache-2.0
// The blocks that Go's encoding/pem finds in an input; fuzz/request_vs_go compares the reader with
// it.
#include "pki/pem_text.h"

#include <gmock/gmock.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/strings.h"

namespace pki {
namespace {

const std::string kHi = "-----BEGIN A B-----\naGk=\n-----END A B-----\n";
const std::string kHo = "-----BEGIN C-----\naG8=\n-----END C-----\n";

// Returns the blocks of an input: "label: bytes", and "label+: bytes" with headers.
std::vector<std::string> Read(const std::string& text) {
  std::vector<std::string> found;
  ForEachPemBlock(text, [&](const PemBlock& block) {
    found.push_back(std::string(block.label) + (block.has_headers ? "+: " : ": ") +
                    std::string(block.bytes));
    return true;
  });
  return found;
}

TEST(ForEachPemBlock, FindsTheSameBlocksAsGo) {
  const auto end_with = [&](const std::string& tail) {
    return kHi.substr(0, kHi.size() - 1) + tail;
  };
  struct Case {
    std::string name;
    std::string text;
    std::vector<std::string> found;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"nothing", "", {}},
           {"two blocks and words around them",
            "a\n" + kHi + "b\n\n" + kHo + "c",
            {"A B: hi", "C: ho"}},
           {"CRLF", base::ReplaceAll(kHi, "\n", "\r\n"), {"A B: hi"}},
           {"no line end at the end", end_with(""), {"A B: hi"}},
           {"blanks and tabs at line ends", base::ReplaceAll(kHi, "\n", " \t\n"), {"A B: hi"}},
           {"a CR at the end", end_with("\r"), {}},
           {"something behind END", end_with("x\n") + kHo, {"C: ho"}},
           {"empty lines behind BEGIN", base::ReplaceAll(kHi, "aGk=", "\n\naGk="), {"A B: hi"}},
           {"empty lines and blanks within",
            base::ReplaceAll(kHi, "aGk=", "a\n\n G\tk\n="),
            {"A B: hi"}},
           {"spare bits", base::ReplaceAll(kHi, "aGk=", "aGl="), {"A B: hi"}},
           {"no padding", base::ReplaceAll(kHi, "aGk=", "aGk") + kHo, {"C: ho"}},
           {"a vertical tab", base::ReplaceAll(kHi, "aGk=", "\vaGk="), {}},
           {"an empty block", base::ReplaceAll(kHi, "aGk=\n", ""), {"A B: "}},
           {"headers", base::ReplaceAll(kHi, "aGk=", "k: v\nl:\n\naGk="), {"A B+: hi"}},
           {"headers alone", base::ReplaceAll(kHi, "aGk=", "k: v") + kHo, {"C: ho"}},
           {"headers over END",
            base::ReplaceAll(kHi, "aGk=\n-----END A B-----", "-----END A B-----: v") + kHo,
            {}},
           {"words before BEGIN", "x" + kHi + kHo, {"C: ho"}},
           {"a mark of byte order", "\xEF\xBB\xBF" + kHi, {}},
           {"BEGIN alone", "-----BEGIN A B-----\n" + kHi, {"A B: hi"}},
           {"another END", base::ReplaceAll(kHi, "END A", "END B") + kHo, {"C: ho"}},
           {"END behind END", kHi + "-----END " + kHi, {"A B: hi"}},
           {"END behind a damaged block",
            base::ReplaceAll(kHi, "=", "") + "-----END " + kHo,
            {"C: ho"}},
           {"END alone", "\n-----END A B-----\n" + kHi, {"A B: hi"}},
           {"BEGIN in END", "\n-----END " + kHi, {"A B: hi"}}}) {
    EXPECT_EQ(Read(c.text), c.found) << c.name;
  }
}

TEST(ForEachPemBlock, EndsWhenTheVisitorReturnsFalse) {
  int count = 0;
  ForEachPemBlock(kHi + kHo, [&](const PemBlock&) { return ++count == 0; });
  EXPECT_EQ(count, 1);
}

TEST(ForEachPemBlock, RefusesOverlongText) {
  EXPECT_THROW(Read(std::string(kLongestPem + 1, '\n')), base::Error);
}

}  // namespace
}  // namespace pki
