// SPDX-License-Identifier: Apache-2.0
#include "fleet/timeline.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "fleet/fake_fleet.h"
#include "json/rfc3339.h"

namespace fleet {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;

json::Value Row(const char* node, const char* stage, const char* begin, const char* end) {
  json::Value row = {{"name", node}, {"stage", stage}, {"message", "why"}};
  if (*begin != '\0') {
    row["startTime"] = begin;
  }
  if (*end != '\0') {
    row["completionTime"] = end;
  }
  return row;
}

json::Value Object(json::Value rows) {
  json::Value object = FakeOperation({{"reboot", json::Value::object()}});
  object["status"] = {{"phase", "Failed"},
                      {"message", "w: why"},
                      {"startTime", "2026-01-01T00:00:00Z"},
                      {"nodes", std::move(rows)}};
  return object;
}

const std::chrono::sys_seconds kNow = json::ParseRfc3339("2026-01-01T00:02:00Z").value();

TEST(RunOf, HasABarForEachNodeThatHasBegun) {
  const timeline::RunRecord run = RunOf(
      Object(json::Value::array({Row("cp", "Done", "2026-01-01T00:00:02Z", "2026-01-01T00:00:40Z"),
                                 Row("v", "Running", "2026-01-01T00:00:42Z", ""),
                                 Row("w", "Failed", "2026-01-01T00:00:41Z", "2026-01-01T00:01:00Z"),
                                 Row("x", "Pending", "", "")})),
      kNow);
  ASSERT_EQ(run.bars.size(), 3);
  EXPECT_EQ(run.bars[0].phase, "cp");
  EXPECT_EQ(run.bars[0].begin, seconds(2));
  EXPECT_EQ(run.bars[0].end, seconds(40));
  EXPECT_EQ(run.bars[1].phase, "w") << "it began first";
  EXPECT_EQ(run.bars[1].error, "why");
  EXPECT_EQ(run.bars[2].end, seconds(120)) << "not finished";
  EXPECT_EQ(run.length, seconds(120));
  EXPECT_EQ(run.error, "w: why");
  EXPECT_TRUE(run.finished);
}

TEST(RunOf, NeedsANodeThatHasBegun) {
  for (json::Value rows : {json::Value("none"), json::Value::array({Row("x", "Pending", "", "")}),
                           json::Value::array({Row("x", "Done", "never", "2026")})}) {
    EXPECT_THAT(base::MessageOf([&] { RunOf(Object(rows), kNow); }), HasSubstr("has not begun"));
  }
}

}  // namespace
}  // namespace fleet
