// SPDX-License-Identifier: Apache-2.0
#include "kube/leader_election.h"

#include <gtest/gtest.h>

#include <limits>
#include <thread>

#include "host/fake_host.h"
#include "kube/fake_server.h"

namespace kube {
namespace {

LeaderOptions Options(const std::string& identity) {
  return {.name_space = "ns",
          .name = "lease",
          .identity = identity,
          .lease_duration = std::chrono::seconds(137),
          .renew_deadline = std::chrono::seconds(107),
          .retry_period = std::chrono::seconds(26)};
}

std::string Holder(FakeApiServer& server) {
  return json::TextAt(*server.Find(resources::kLease, "ns", "lease"), {"spec", "holderIdentity"});
}

// A Lease that the first elector holds.
class HeldLeaseTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(one_.Acquire({})); }

  void RefuseRenewals(int status, const std::string& reason, const std::string& message,
                      int times) {
    server_.Inject({.what = "PUT /apis/coordination.k8s.io",
                    .status = status,
                    .reason = reason,
                    .message = message,
                    .times = times});
  }

  FakeApiServer server_;
  std::shared_ptr<Transport> transport_ = server_.NewTransport();
  host::FakeClock clock_;
  LeaderElector one_{*transport_, clock_, Options("one")};
};

TEST(LeaderElector, TheFirstElectorHoldsAndReleasesTheLease) {
  FakeApiServer server;
  const auto transport = server.NewTransport();
  host::FakeClock clock;
  LeaderElector one(*transport, clock, Options("one"));
  EXPECT_TRUE(one.Acquire({}));
  EXPECT_EQ(Holder(server), "one");
  std::stop_source stop;
  std::jthread ends([&] { stop.request_stop(); });
  EXPECT_TRUE(one.Keep(stop.get_token()));
  one.Release();
  EXPECT_EQ(Holder(server), "");
  LeaderElector two(*transport, clock, Options("two"));
  EXPECT_TRUE(two.Acquire({}));
  EXPECT_EQ(Holder(server), "two");
}

TEST_F(HeldLeaseTest, OthersTakeOverAnUnrenewedLease) {
  LeaderElector two(*transport_, clock_, Options("two"));
  EXPECT_TRUE(two.Acquire({}));
  EXPECT_GE(clock_.Steady().time_since_epoch(), std::chrono::seconds(137))
      << "it saw it first at 0";
  EXPECT_FALSE(one_.Keep({}));
}

TEST_F(HeldLeaseTest, ToleratesAnyDurationFromTheServer) {
  json::Value lease = *server_.Find(resources::kLease, "ns", "lease");
  lease["spec"]["leaseDurationSeconds"] = std::numeric_limits<std::int64_t>::min();
  server_.Put(resources::kLease, lease);
  LeaderElector two(*transport_, clock_, Options("two"));
  EXPECT_TRUE(two.Acquire({})) << "that has expired";
}

TEST_F(HeldLeaseTest, AStopEndsTheWait) {
  LeaderOptions patient = Options("two");
  LeaderElector two(*transport_, clock_, patient);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(two.Acquire(stop.get_token()));
}

TEST_F(HeldLeaseTest, ToleratesFailuresUntilTheDeadline) {
  RefuseRenewals(503, "ServiceUnavailable", "later", -1);
  EXPECT_FALSE(one_.Keep({}));
  EXPECT_GE(clock_.Steady().time_since_epoch(), std::chrono::seconds(107));
  EXPECT_LT(clock_.Steady().time_since_epoch(), std::chrono::seconds(137))
      << "before another leads";
}

TEST_F(HeldLeaseTest, ToleratesAConflictingWrite) {
  RefuseRenewals(409, "Conflict", "the object has been modified", 1);
  RefuseRenewals(503, "ServiceUnavailable", "later", -1);
  const auto begin = clock_.Steady();
  EXPECT_FALSE(one_.Keep({}));
  EXPECT_GE(clock_.Steady() - begin, std::chrono::seconds(107)) << "not at the conflict";
}

// A transport whose updates last until their timeout, by the fake clock.
class Hanging : public Transport {
 public:
  Hanging(std::unique_ptr<Transport> inner, host::FakeClock& clock)
      : inner_(std::move(inner)), clock_(clock) {}
  json::Value Do(const Call& call, std::stop_token stop) override {
    if (call.verb != Verb::kUpdate) {
      return inner_->Do(call, std::move(stop));
    }
    clock_.Sleep(call.within.value_or(std::chrono::seconds(10)), {});
    throw base::Error(base::Error::Kind::kTimeout, "no answer");
  }
  std::string GetPath(const std::string& path, std::stop_token stop) override {
    return inner_->GetPath(path, std::move(stop));
  }
  void Watch(const Call& call, const std::string& version, const OnEvent& on_event,
             std::stop_token stop) override {
    inner_->Watch(call, version, on_event, std::move(stop));
  }

 private:
  std::unique_ptr<Transport> inner_;
  host::FakeClock& clock_;
};

TEST(LeaderElector, EndsAnAttemptAtTheDeadline) {
  struct Case {
    int deadline, retry;  // seconds
  };
  for (const Case& c : {Case{107, 26}, Case{10, 2}, Case{10, 9}, Case{10, 30}}) {
    FakeApiServer server;
    host::FakeClock clock;
    Hanging transport(server.NewTransport(), clock);
    LeaderOptions options = Options("one");
    options.renew_deadline = std::chrono::seconds(c.deadline);
    options.retry_period = std::chrono::seconds(c.retry);
    LeaderElector one(transport, clock, options);
    ASSERT_TRUE(one.Acquire({}));
    const auto begin = clock.Steady();
    EXPECT_FALSE(one.Keep({}));
    EXPECT_EQ(clock.Steady() - begin, std::chrono::seconds(c.deadline))
        << c.deadline << "/" << c.retry;
  }
}

}  // namespace
}  // namespace kube
