// SPDX-License-Identifier: Apache-2.0
#include "kube/line_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "base/error.h"

namespace kube {
namespace {

using base::Error;
using testing::ElementsAre;

// Feeds `text` in pieces of `size` bytes, and returns its lines. The last element is "too long" if
// a line is too long.
std::vector<std::string> Lines(std::string_view text, std::size_t size, std::size_t longest) {
  LineReader reader(longest);
  std::vector<std::string> lines;
  try {
    for (; !text.empty(); text.remove_prefix(std::min(size, text.size()))) {
      reader.Feed(text.substr(0, size), [&](std::string_view line) {
        lines.emplace_back(line);
        return true;
      });
    }
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::kInvalid);
    lines.emplace_back("too long");
  }
  return lines;
}

TEST(LineReader, ReadsLinesHoweverTheStreamIsSplit) {
  struct Case {
    std::string text;
    std::vector<std::string> lines;
  };
  for (const Case& c : std::initializer_list<Case>{{"", {}},
                                                   {"a", {}},
                                                   {"a\n", {"a"}},
                                                   {"\n\n", {"", ""}},
                                                   {"a\r\nbc\nd", {"a\r", "bc"}},
                                                   {"1234\n12345\nx\n", {"1234", "too long"}},
                                                   {"1\n12345", {"1", "too long"}}}) {
    for (std::size_t size = 1; size <= c.text.size() + 1; ++size) {
      EXPECT_EQ(Lines(c.text, size, 4), c.lines) << c.text << " by " << size;
    }
  }
}

TEST(LineReader, EndsWhenItsReaderEnds) {
  LineReader reader;
  std::vector<std::string> lines;
  EXPECT_FALSE(reader.Feed("a\nb\nc\n", [&](std::string_view line) {
    lines.emplace_back(line);
    return line != "b";
  }));
  EXPECT_THAT(lines, ElementsAre("a", "b"));
}

}  // namespace
}  // namespace kube
