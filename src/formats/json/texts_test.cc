// SPDX-License-Identifier: Apache-2.0
#include "json/texts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/value.h"

namespace json {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(TextsIn, KeepsPositionsWithEmptyTextForOtherTypes) {
  EXPECT_THAT(TextsIn(Parse(R"(["b", 1, null, "a", ["c"]])")), ElementsAre("b", "", "", "a", ""));
  for (const char* none : {"[]", "null", R"("a")", R"({"a": "b"})"}) {
    EXPECT_THAT(TextsIn(Parse(none)), IsEmpty()) << none;
  }
}

}  // namespace
}  // namespace json
