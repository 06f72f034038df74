#include "kube/wait.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/fake_server.h"

namespace kube {
namespace {

using base::Error;
using testing::ElementsAre;
using testing::HasSubstr;

template <typename Body>
Error Thrown(Body body) {
  try {
    body();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error";
  return Error("none");
}

TEST(Backoff, DoublesUpToItsMost) {
  Backoff backoff(milliseconds(10), milliseconds(50), std::chrono::hours(1));
  std::vector<long> pauses;
  for (int i = 0; i < 5; ++i) {
    pauses.push_back(backoff.Next()->count());
  }
  EXPECT_THAT(pauses, ElementsAre(10, 20, 40, 50, 50));
}

TEST(Backoff, NeverGoesBeyondItsLimit) {
  Backoff backoff(std::chrono::hours(1), std::chrono::hours(1), milliseconds(200));
  EXPECT_LE(*backoff.Next(), milliseconds(200));
  EXPECT_FALSE(Backoff(milliseconds(1), milliseconds(1), milliseconds(0)).Next());
}

TEST(WaitUntil, ReturnsWhenTheProbeIsContent) {
  int calls = 0;
  WaitUntil([&](const std::stop_token&) { return ++calls == 3 ? "" : "not yet"; },
            {.first = milliseconds(1)});
  EXPECT_EQ(calls, 3);
}

TEST(WaitUntil, EndsAtTheLimitWithTheLastReason) {
  const Error error = Thrown([] {
    WaitUntil([](const std::stop_token&) { return "port closed"; },
              {.first = milliseconds(1), .limit = milliseconds(5)});
  });
  EXPECT_EQ(error.kind(), Error::Kind::kTimeout);
  EXPECT_EQ(error.message(), "not ready after 5ms: port closed");
}

TEST(WaitUntil, EndsWithTheCulprit) {
  int looks = 0;
  const Error error = Thrown([&] {
    WaitUntil([](const std::stop_token&) { return "port closed"; },
              {.first = milliseconds(1),
               .culprit = [&]() -> std::optional<Error> {
                 return ++looks < 2 ? std::nullopt : std::optional(Error("etcd exited"));
               },
               .culprit_every = milliseconds(2)});
  });
  EXPECT_EQ(error.message(), "etcd exited");
  EXPECT_EQ(looks, 2);
}

TEST(WaitUntil, EndsWhenStopped) {
  std::stop_source stop;
  const Error error = Thrown([&] {
    WaitUntil(
        [&](const std::stop_token&) {
          stop.request_stop();
          return "port closed";
        },
        {.first = std::chrono::hours(1), .most = std::chrono::hours(1), .stop = stop.get_token()});
  });
  EXPECT_EQ(error.kind(), Error::Kind::kCancelled);
}

TEST(Probes, AreContentWithStatus200Only) {
  FakeApiServer server;
  const Probe path = PathProbe(server.NewTransport(), "/livez");
  const Probe url = UrlProbe(server.Url() + "/livez");
  EXPECT_EQ(path({}), "");
  EXPECT_EQ(url({}), "");
  server.SetText("/livez", 500, "etcd failed");
  EXPECT_THAT(path({}), HasSubstr("500: etcd failed"));
  EXPECT_EQ(url({}), server.Url() + "/livez answered with status 500");
  server.SetText("/livez", 204, "");
  EXPECT_NE(url({}), "");
  EXPECT_THAT(UrlProbe("http://127.0.0.1:1/healthz")({}), HasSubstr("connection refused"));
}

}  // namespace
}  // namespace kube
