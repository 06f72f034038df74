// SPDX-License-Identifier: Apache-2.0
#include "kube/lease.h"

#include <gtest/gtest.h>

#include "host/fake_host.h"
#include "kube/fake_server.h"

namespace kube {
namespace {

TEST(MicroTime, HasSixFractionalDigitsAsTheKubeletWrites) {
  host::FakeClock clock;
  const std::string first = MicroTime(clock);
  clock.Advance(std::chrono::microseconds(1'000'045));
  const std::string second = MicroTime(clock);
  EXPECT_EQ(second.size(), std::string("2026-01-31T23:59:59.123456Z").size());
  EXPECT_TRUE(second.ends_with("1.000045Z")) << second;
  EXPECT_LT(first, second);
}

TEST(RenewalProbe, RecognizesALaterRenewalInTheSameSecond) {
  FakeApiServer server;
  host::FakeClock clock;
  const auto renew = [&] {
    server.Put(resources::kLease, {{"metadata", {{"name", "a"}, {"namespace", "kube-node-lease"}}},
                                   {"spec", {{"renewTime", MicroTime(clock)}}}});
  };
  renew();
  clock.Advance(std::chrono::milliseconds(100));
  Client client(server.NewTransport(), clock, {.limit = {}});
  const Probe probe =
      RenewalProbe(client, {.name_space = "kube-node-lease", .name = "a"}, MicroTime(clock));
  EXPECT_TRUE(probe({}));
  clock.Advance(std::chrono::milliseconds(100));
  renew();
  EXPECT_FALSE(probe({}));
}

}  // namespace
}  // namespace kube
