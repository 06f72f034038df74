// SPDX-License-Identifier: Apache-2.0
#include "preflight/require.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "workflow/fake_context.h"

namespace preflight {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Check Fails(const std::string& name, const std::string& text) {
  return {.name = name, .run = [text](std::stop_token) {
            Verdict verdict = Verdict::Error(text);
            verdict.details = {{.name = "CONFIG_X", .value = "missing"}};
            return verdict;
          }};
}

TEST(Require, IsSilentWhereAllIsWell) {
  workflow::FakeContext context;
  Require(std::vector<Check>{{.name = "A", .run = [](std::stop_token) { return Verdict(); }}}, {},
          context);
  EXPECT_THAT(context.lines, IsEmpty());
  EXPECT_THAT(context.remarks, IsEmpty());
}

TEST(Require, TellsAllErrorsTogetherAndEnds) {
  workflow::FakeContext context;
  const std::vector<Check> checks = {Fails("A", "no a"), Fails("B", "no b")};
  EXPECT_EQ(base::Thrown([&] { Require(checks, {}, context); }).message(),
            "preflight checks failed");
  ASSERT_EQ(context.remarks.size(), 1U);
  EXPECT_THAT(context.remarks.front(), HasSubstr("\t[ERROR A]: no a\n\t[ERROR B]: no b\n"));
  EXPECT_THAT(context.lines, ElementsAre(HasSubstr("verification failed"), "CONFIG_X: missing",
                                         "CONFIG_X: missing"));
}

TEST(Require, AnIgnoredErrorIsAWarning) {
  workflow::FakeContext context;
  Require(std::vector<Check>{Fails("A", "no a")}, {"a"}, context);
  EXPECT_THAT(context.remarks, ElementsAre("\t[WARNING A]: no a"));
}

}  // namespace
}  // namespace preflight
