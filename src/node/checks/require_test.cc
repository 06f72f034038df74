// SPDX-License-Identifier: Apache-2.0
#include "checks/require.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "workflow/fake_context.h"

namespace checks {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Check Fails(const std::string& id, const std::string& what) {
  return {.id = id, .judge = [what](const std::stop_token&) -> Findings {
            Finding finding = Refuse(what);
            finding.evidence = "OS: Linux\nCONFIG_X: missing";
            return {finding};
          }};
}

TEST(Require, PrintsNothingWithoutErrors) {
  workflow::FakeContext context;
  Require(
      std::vector<Check>{{.id = "A", .judge = [](const std::stop_token&) { return Findings(); }}},
      {}, context);
  EXPECT_THAT(context.lines, IsEmpty());
  EXPECT_THAT(context.remarks, IsEmpty());
}

TEST(Require, ReportsAllErrorsTogetherAndThrows) {
  workflow::FakeContext context;
  const std::vector<Check> checks = {Fails("A", "no a"), Fails("B", "no b")};
  EXPECT_EQ(base::Thrown([&] { Require(checks, {}, context); }).message(),
            "preflight checks failed");
  ASSERT_EQ(context.remarks.size(), 1U);
  EXPECT_THAT(context.remarks.front(), HasSubstr("\t[ERROR A]: no a\n\t[ERROR B]: no b\n"));
  EXPECT_THAT(context.lines, ElementsAre(HasSubstr("verification failed"), "OS: Linux",
                                         "CONFIG_X: missing", "OS: Linux", "CONFIG_X: missing"));
}

TEST(Require, PrintsTheEvidenceOfErrorsOnly) {
  workflow::FakeContext context;
  Require(std::vector<Check>{{.id = "A",
                              .judge = [](const std::stop_token&) -> Findings {
                                return {{.severity = Severity::kWarning,
                                         .what = "swap is on",
                                         .evidence = "/proc/swaps"}};
                              }}},
          {}, context);
  EXPECT_THAT(context.remarks, ElementsAre("\t[WARNING A]: swap is on"));
  EXPECT_THAT(context.lines, IsEmpty());
}

TEST(Require, ReportsAnIgnoredErrorAsAWarning) {
  workflow::FakeContext context;
  Require(std::vector<Check>{Fails("A", "no a")}, {"a"}, context);
  EXPECT_THAT(context.remarks, ElementsAre("\t[WARNING A]: no a"));
  EXPECT_THAT(context.lines,
              ElementsAre(HasSubstr("verification failed"), "OS: Linux", "CONFIG_X: missing"));
}

}  // namespace
}  // namespace checks
