// SPDX-License-Identifier: Apache-2.0
#include "fleet/windows.h"

#include <gmock/gmock.h>

#include "json/rfc3339.h"

namespace fleet {
namespace {

using testing::HasSubstr;

// Saturdays from 22:00 for four hours.
MaintenanceWindow Saturdays(const std::string& zone = "") {
  return {.start = "0 22 * * 6", .duration = std::chrono::hours(4), .time_zone = zone};
}

std::string WaitAt(const std::string& time, const std::vector<MaintenanceWindow>& windows) {
  return WaitFor(windows, json::ParseRfc3339(time).value());
}

bool IsOpen(const std::string& time, const MaintenanceWindow& window) {
  return WaitAt(time, {window}).empty();
}

TEST(WaitFor, IsOpenFromTheStartForTheDuration) {
  EXPECT_FALSE(IsOpen("2026-01-03T21:59:59Z", Saturdays()));
  EXPECT_TRUE(IsOpen("2026-01-03T22:00:00Z", Saturdays()));
  EXPECT_TRUE(IsOpen("2026-01-04T01:59:59Z", Saturdays()));
  EXPECT_FALSE(IsOpen("2026-01-04T02:00:00Z", Saturdays()));
  EXPECT_FALSE(IsOpen("2026-01-04T22:00:00Z", Saturdays())) << "a Sunday";
}

TEST(WaitFor, SaysWhenTheNextWindowBegins) {
  EXPECT_EQ(WaitAt("2026-01-04T03:00:00Z", {Saturdays()}),
            "outside the maintenance windows; the next one begins at 2026-01-10T22:00:00Z");
  const MaintenanceWindow mondays{
      .start = "30 5 * * 1", .duration = std::chrono::hours(1), .time_zone = {}};
  EXPECT_THAT(WaitAt("2026-01-04T03:00:00Z", {Saturdays(), mondays}),
              HasSubstr("2026-01-05T05:30:00Z"));
  const MaintenanceWindow never{
      .start = "0 0 31 2 *", .duration = std::chrono::hours(1), .time_zone = {}};
  EXPECT_EQ(WaitAt("2026-01-04T03:00:00Z", {never}), "outside the maintenance windows");
}

TEST(WaitFor, NeverWaitsWithoutWindows) { EXPECT_EQ(WaitAt("2026-01-04T03:00:00Z", {}), ""); }

TEST(WaitFor, FollowsTheClockOfTheTimeZone) {
  // 22:00 in Berlin is 21:00 UTC in winter and 20:00 UTC in summer.
  EXPECT_TRUE(IsOpen("2026-01-03T21:00:00Z", Saturdays("Europe/Berlin")));
  EXPECT_FALSE(IsOpen("2026-01-03T20:59:00Z", Saturdays("Europe/Berlin")));
  EXPECT_TRUE(IsOpen("2026-07-04T20:00:00Z", Saturdays("Europe/Berlin")));
  // The Saturday before summer time begins: the next window is an hour earlier in UTC.
  EXPECT_THAT(WaitAt("2026-03-29T03:00:00Z", {Saturdays("Europe/Berlin")}),
              HasSubstr("2026-04-04T20:00:00Z"));
}

TEST(WaitFor, LeavesOutAStartThatTheClockSkips) {
  const MaintenanceWindow night{
      .start = "30 2 * * *", .duration = std::chrono::minutes(10), .time_zone = "Europe/Berlin"};
  EXPECT_THAT(WaitAt("2026-03-28T12:00:00Z", {night}), HasSubstr("2026-03-30T00:30:00Z"));
}

TEST(WaitFor, ReadsListsRangesAndSteps) {
  const auto open = [](const char* start, const char* time) {
    return IsOpen(time, {.start = start, .duration = std::chrono::minutes(1), .time_zone = "UTC"});
  };
  EXPECT_TRUE(open("*/15 1-3 * * *", "2026-01-04T02:45:00Z"));
  EXPECT_FALSE(open("*/15 1-3 * * *", "2026-01-04T04:45:00Z"));
  EXPECT_TRUE(open("0,30 0 * * *", "2026-01-04T00:30:00Z"));
  EXPECT_TRUE(open("0 0 * * 7", "2026-01-04T00:00:00Z")) << "7 is Sunday, too";
  EXPECT_TRUE(open("0 0 1 * 5", "2026-01-01T00:00:00Z")) << "a Thursday, and the first";
  EXPECT_TRUE(open("0 0 1 * 5", "2026-01-02T00:00:00Z")) << "a Friday";
  EXPECT_FALSE(open("0 0 1 * 5", "2026-01-03T00:00:00Z"));
  EXPECT_FALSE(open("0 0 1 2 *", "2026-01-01T00:00:00Z"));
}

TEST(ProblemOf, NamesTheField) {
  EXPECT_EQ(ProblemOf(Saturdays("Europe/Berlin")), "");
  EXPECT_EQ(ProblemOf(Saturdays("Europe/Nowhere")), "timeZone: \"Europe/Nowhere\" is unknown");
  MaintenanceWindow window = Saturdays();
  window.duration = std::chrono::hours(169);
  EXPECT_EQ(ProblemOf(window), "duration: must be between 1m and 168h");
  for (const char* start :
       {"", "0 22 * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *", "* * * * 8",
        "5-1 * * * *", "*/0 * * * *", "a * * * *", "1, * * * *", "-1 * * * *"}) {
    window.start = start;
    EXPECT_THAT(ProblemOf(window), testing::StartsWith("start: ")) << start;
  }
}

}  // namespace
}  // namespace fleet
