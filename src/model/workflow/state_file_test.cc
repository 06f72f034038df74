// SPDX-License-Identifier: Apache-2.0
#include "workflow/state_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/fake_error.h"
#include "host/fake_host.h"
#include "json/value.h"

namespace workflow {
namespace {

constexpr StateFile kFile{.path = "/var/lib/slipway/count.json",
                          .refusal = "{} is not a count: {}; remove it if nobody counts"};

std::optional<int> Load(const host::Files& files) {
  return LoadStateFile(files, kFile, [](const json::Value& json) {
    const int count = json.at("count").get<int>();
    if (count < 0) {
      throw base::Error("it is negative");
    }
    return count;
  });
}

TEST(StateFile, RoundTripsAndIsReadableByRootOnly) {
  host::FakeHost fake;
  EXPECT_EQ(kFile.path, "/var/lib/slipway/count.json");
  EXPECT_EQ(Load(fake.files), std::nullopt);
  SaveStateFile(fake.files, kFile.path, {{"count", 3}});
  EXPECT_EQ(Load(fake.files), 3);
  EXPECT_EQ(fake.files.Read("/var/lib/slipway/count.json"), "{\n  \"count\": 3\n}\n");
  EXPECT_EQ(fake.files.Stat("/var/lib/slipway/count.json")->mode, 0600U);
  EXPECT_EQ(fake.files.Stat("/var/lib/slipway")->mode, 0700U);
}

TEST(StateFile, RefusesOtherContentWithAReadableError) {
  struct Case {
    const char* text;
    const char* why;
  };
  for (const Case& c : {Case{"{}", "a field is missing, or of another type"},
                        Case{"[1]", "a field is missing, or of another type"},
                        Case{R"({"count": "3"})", "a field is missing, or of another type"},
                        Case{R"({"count": -1})", "it is negative"}}) {
    host::FakeHost fake;
    fake.files.Write(kFile.path, c.text, {});
    const base::Error error = base::Thrown([&] { Load(fake.files); });
    EXPECT_EQ(error.kind(), base::Error::Kind::kInvalid);
    EXPECT_EQ(error.message(), std::string("/var/lib/slipway/count.json is not a count: ") + c.why +
                                   "; remove it if nobody counts");
  }
}

TEST(StateFile, RefusesInvalidJsonWithItsPosition) {
  host::FakeHost fake;
  fake.files.Write(kFile.path, "{", {});
  EXPECT_THAT(base::MessageOf([&] { Load(fake.files); }), testing::HasSubstr("line 1"));
}

}  // namespace
}  // namespace workflow
