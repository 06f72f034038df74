// SPDX-License-Identifier: Apache-2.0
#include "kube/wait.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fake_error.h"
#include "host/fake_host.h"
#include "kube/fake_server.h"

namespace kube {
namespace {

using base::Error;
using Kind = base::Error::Kind;
using base::Thrown;
using testing::ElementsAre;
using testing::HasSubstr;

std::optional<NotYet> Closed(const std::stop_token& /*stop*/) { return NotYet{"port closed"}; }

TEST(Backoff, DoublesUpToItsMaximum) {
  host::FakeClock clock;
  Backoff backoff(clock, milliseconds(10), milliseconds(50), std::chrono::hours(1));
  std::vector<long> pauses;
  for (int i = 0; i < 5; ++i) {
    pauses.push_back(backoff.Next()->count());
  }
  EXPECT_THAT(pauses, ElementsAre(10, 20, 40, 50, 50));
}

TEST(Backoff, NeverGoesBeyondItsLimit) {
  host::FakeClock clock;
  Backoff backoff(clock, std::chrono::hours(1), std::chrono::hours(1), milliseconds(200));
  EXPECT_EQ(backoff.Next(), milliseconds(200));
  clock.Advance(milliseconds(150));
  EXPECT_EQ(backoff.Next(), milliseconds(50));
  clock.Advance(milliseconds(50));
  EXPECT_EQ(backoff.Next(), std::nullopt);
  EXPECT_EQ(backoff.Spent(), milliseconds(200));
}

TEST(WaitUntil, ReturnsWhenTheProbeSucceeds) {
  host::FakeClock clock;
  int calls = 0;
  const auto took = WaitUntil(
      [&](const std::stop_token&) {
        return ++calls == 3 ? std::nullopt : std::optional(NotYet{"not yet"});
      },
      {.clock = clock, .first = milliseconds(1)});
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(took, milliseconds(3));
}

TEST(WaitUntil, EndsAtTheLimitWithTheLastReason) {
  host::FakeClock clock;
  const Error error = Thrown([&] {
    WaitUntil(Closed, {.clock = clock, .first = milliseconds(1), .limit = std::chrono::hours(1)});
  });
  EXPECT_EQ(error.kind(), Error::Kind::kTimeout);
  EXPECT_EQ(error.message(), "not ready after 1h0m0s: port closed");
}

TEST(WaitUntil, ReportsTheFailedComponent) {
  host::FakeClock clock;
  int looks = 0;
  const Error error = Thrown([&] {
    WaitUntil(Closed, {.clock = clock,
                       .first = milliseconds(1),
                       .culprit = [&]() -> std::optional<Error> {
                         return ++looks < 2 ? std::nullopt : std::optional(Error("etcd exited"));
                       },
                       .culprit_every = milliseconds(2)});
  });
  EXPECT_EQ(error.message(), "etcd exited");
  EXPECT_EQ(looks, 2);
}

TEST(WaitUntil, EndsWhenStopped) {
  host::FakeClock clock;
  std::stop_source stop;
  EXPECT_THAT(base::InterruptionOf([&] {
                WaitUntil(
                    [&](const std::stop_token&) {
                      stop.request_stop();
                      return Closed({});
                    },
                    {.clock = clock,
                     .first = std::chrono::hours(1),
                     .most = std::chrono::hours(1),
                     .stop = stop.get_token()});
              }),
              HasSubstr("interrupted while waiting: "));
}

TEST(PatientProbe, RetriesOnlyWhileAServerStarts) {
  const auto asked = [](Kind kind) {
    return PatientProbe(
        [kind](const std::stop_token&) -> std::optional<NotYet> { throw Error(kind, "no"); })({});
  };
  for (const Kind kind : {Kind::kUnavailable, Kind::kTimeout, Kind::kConflict, Kind::kForbidden}) {
    EXPECT_EQ(asked(kind), NotYet{"no"}) << static_cast<int>(kind);
  }
  for (const Kind kind : {Kind::kOther, Kind::kNotFound, Kind::kUnauthorized, Kind::kInvalid}) {
    EXPECT_EQ(Thrown([&] { asked(kind); }).kind(), kind);
  }
}

TEST(PatientProbe, ReturnsTheReasonOfTheProbe) {
  EXPECT_EQ(PatientProbe(Closed)({}), NotYet{"port closed"});
  EXPECT_EQ(PatientProbe([](const std::stop_token&) { return std::nullopt; })({}), std::nullopt);
}

TEST(Probes, SucceedWithStatus200Only) {
  FakeApiServer server;
  const Probe path = PathProbe(server.NewTransport(), "/livez");
  const Probe url = UrlProbe(server.Url() + "/livez");
  EXPECT_EQ(path({}), std::nullopt);
  EXPECT_EQ(url({}), std::nullopt);
  server.SetText("/livez", 500, "etcd failed");
  EXPECT_THAT(path({}).value().why, HasSubstr("500: etcd failed"));
  EXPECT_EQ(url({}), NotYet{server.Url() + "/livez answered with status 500: etcd failed"});
  server.SetText("/livez", 500, "[+]ping ok\n[-]etcd failed\n");
  EXPECT_EQ(url({}), NotYet{server.Url() + "/livez answered with status 500"}) << "a list";
  server.SetText("/livez", 204, "");
  EXPECT_TRUE(url({}));
  EXPECT_THAT(UrlProbe("http://127.0.0.1:1/healthz")({}).value().why,
              HasSubstr("connection refused"));
}

}  // namespace
}  // namespace kube
