// SPDX-License-Identifier: Apache-2.0
#include "certs/remaining.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace certs {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

TEST(ParseRemaining, ReadsWeeksDaysAndGoDurations) {
  const struct {
    std::string_view text;
    base::Duration want;
  } kCases[] = {{"30d", hours(720)},
                {"2w", hours(336)},
                {"1w2d", hours(216)},
                {"36h", hours(36)},
                {"0", hours(0)},
                {"0d", hours(0)},
                {"1d12h30m", minutes(36 * 60 + 30)},
                {"90m", minutes(90)}};
  for (const auto& [text, want] : kCases) {
    EXPECT_EQ(ParseRemaining(text), want) << text;
  }
}

TEST(ParseRemaining, RefusesOtherFormats) {
  for (const std::string_view text :
       {"", "30", "d", "-1d", "-5h", "1d-5h", "1d2d", "2d1w", "3y", "1.5d", "30 d", "+1d",
        "99999999d", "9999999999999d", "300000000h", "36500d1h", "1d12", "w"}) {
    EXPECT_THROW(ParseRemaining(text), base::Error) << text;
  }
}

}  // namespace
}  // namespace certs
