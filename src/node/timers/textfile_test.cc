// SPDX-License-Identifier: Apache-2.0
#include "timers/textfile.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "host/fake_host.h"

namespace timers {
namespace {

constexpr const char* kDirectory = "/var/lib/prometheus/node-exporter";
const Textfile kUsual{.wanted = "", .usual_name = "x.prom"};

TEST(Textfile, IsTheUsersFileOrIsInNodeExportersDirectory) {
  host::FakeHost fake;
  const Textfile mine{.wanted = "/srv/mine.prom", .usual_name = "x.prom"};
  EXPECT_EQ(TextfilePath(fake.files, mine), "/srv/mine.prom");
  EXPECT_EQ(TextfilePath(fake.files, kUsual), std::nullopt);
  WriteTextfile(kUsual, []() -> std::string { throw base::Error("not called"); }, fake.host);
  fake.files.MakeDirectories(kDirectory, 0755);
  EXPECT_EQ(TextfilePath(fake.files, kUsual), "/var/lib/prometheus/node-exporter/x.prom");
}

TEST(Textfile, ThrowsOnlyIfTheUserNamedThePath) {
  host::FakeHost fake;
  fake.files.MakeDirectories(kDirectory, 0755);
  const auto fails = []() -> std::string { throw base::Error("no facts"); };
  EXPECT_NO_THROW(WriteTextfile(kUsual, fails, fake.host));
  EXPECT_THROW(
      WriteTextfile({.wanted = "/srv/mine.prom", .usual_name = "x.prom"}, fails, fake.host),
      base::Error);
  WriteTextfile(kUsual, [] { return "x 1\n"; }, fake.host);
  EXPECT_EQ(fake.files.Read("/var/lib/prometheus/node-exporter/x.prom"), "x 1\n");
}

}  // namespace
}  // namespace timers
