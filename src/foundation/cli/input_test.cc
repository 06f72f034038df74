// SPDX-License-Identifier: Apache-2.0
#include "cli/input.h"

#include <gtest/gtest.h>

#include <sstream>

#include "base/error.h"

namespace cli {
namespace {

TEST(Input, IsReadToItsEnd) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{65'536},
                                 std::size_t{65'537}, std::size_t{1} << 20}) {
    std::istringstream in(std::string(size, 'x'));
    EXPECT_EQ(ReadInput(in).size(), size);
  }
}

TEST(Input, IsReadLineByLine) {
  std::istringstream in("a\r\n\nb");
  EXPECT_EQ(ReadLine(in), "a\r");
  EXPECT_EQ(ReadLine(in), "");
  EXPECT_EQ(ReadLine(in), "b");
  EXPECT_EQ(ReadLine(in), "");
}

TEST(Input, IsBounded) {
  std::istringstream line(std::string((64 << 10) + 1, 'x'));
  EXPECT_THROW(ReadLine(line), base::Error);
  std::istringstream text(std::string((64 << 20) + 1, 'x'));
  EXPECT_THROW(ReadInput(text), base::Error);
}

}  // namespace
}  // namespace cli
