// SPDX-License-Identifier: Apache-2.0
#include "cli/suggest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(EditDistance, CountsEdits) {
  EXPECT_EQ(EditDistance("", ""), 0U);
  EXPECT_EQ(EditDistance("", "abc"), 3U);
  EXPECT_EQ(EditDistance("init", "init"), 0U);
  EXPECT_EQ(EditDistance("inti", "init"), 2U);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3U);
  EXPECT_EQ(EditDistance("INIT", "init"), 0U);
}

TEST(Similar, ReturnsNamesThatAreSimilarOrHaveThePrefix) {
  const std::vector<std::string> names = {"certs", "init", "join", "token", "upgrade"};
  EXPECT_THAT(Similar("inti", names), ElementsAre("init"));
  EXPECT_THAT(Similar("joi", names), ElementsAre("join"));
  EXPECT_THAT(Similar("up", names), ElementsAre("upgrade"));
  EXPECT_THAT(Similar("CERTS", names), ElementsAre("certs"));
  EXPECT_THAT(Similar("initialise", names), IsEmpty());
}

TEST(DidYouMean, SuggestsSimilarNamesOnly) {
  const std::vector<std::string> names = {"--config", "--dry-run"};
  EXPECT_EQ(DidYouMean("--dryrun", names), "\n\nDid you mean this?\n\t--dry-run\n");
  EXPECT_EQ(DidYouMean("--nope", names), "");
}

}  // namespace
}  // namespace cli
