// SPDX-License-Identifier: Apache-2.0
#include "config/merged_args.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace config {
namespace {

using testing::ElementsAre;

const Args kDefaults{{"b", "1"}, {"a", "2"}, {"c", "3"}};

TEST(MergedArgs, PutsReplacingEntriesLast) {
  EXPECT_THAT(
      MergedArgs(kDefaults, {{"z", ""}, {"b", "x"}, {"b", "y"}}),
      ElementsAre(Arg{"a", "2"}, Arg{"c", "3"}, Arg{"z", ""}, Arg{"b", "x"}, Arg{"b", "y"}));
}

TEST(MergedArgs, KeepsThePositionOfAMergedDefault) {
  EXPECT_THAT(MergedArgs(kDefaults, {{"b", ",4", "append"}, {"a", "0,", "prepend"}}),
              ElementsAre(Arg{"a", "0,2"}, Arg{"b", "1,4"}, Arg{"c", "3"}));
}

TEST(MergedArgs, MergesNothingWithoutADefault) {
  EXPECT_THAT(MergedArgs({}, {{"z", "1", "append"}}), ElementsAre());
}

TEST(MergedArgs, UsesTheMergeMethodOfTheLastEntry) {
  EXPECT_THAT(MergedArgs({{"a", "2"}}, {{"a", "x"}, {"a", ",4", "append"}}),
              ElementsAre(Arg{"a", "2,4"}, Arg{"a", "x"}));
  EXPECT_THAT(MergedArgs({{"a", "2"}}, {{"a", ",4", "append"}, {"a", "x"}}),
              ElementsAre(Arg{"a", "x"}));
}

TEST(MergeMethods, AreFoundByPath) {
  const json::Value object = json::Parse(
      R"({"apiServer": {"extraArgs": [{"name": "a"}, {"name": "b", "mergeMethod": "append"}]}})");
  EXPECT_THAT(MergeMethodPaths(object), ElementsAre("apiServer.extraArgs[1]"));
}

}  // namespace
}  // namespace config
