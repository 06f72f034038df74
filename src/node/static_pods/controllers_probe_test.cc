// SPDX-License-Identifier: Apache-2.0
#include "static_pods/controllers_probe.h"

#include <gmock/gmock.h>

#include "host/fake_host.h"
#include "http/fake_server.h"

namespace static_pods {
namespace {

constexpr const char* kLeads = "[+]leaderElection ok\n[+]csrsigning ok\nhealthz check passed\n";
constexpr const char* kWaits = "[+]leaderElection ok\nhealthz check passed\n";

TEST(ListsControllers, NeedsMoreThanTheLeaderElection) {
  EXPECT_TRUE(ListsControllers(kLeads));
  EXPECT_FALSE(ListsControllers(kWaits));
  EXPECT_FALSE(ListsControllers("ok"));
}

TEST(ControllersProbe, WaitsUntilControllersHaveStarted) {
  host::FakeHost fake;
  http::FakeReply reply{.body = kWaits};
  const http::FakeServer server([&](const http::FakeRequest&) { return reply; });
  const kube::Probe probe = ControllersProbe(server.Url() + "/healthz", fake.clock);
  ASSERT_TRUE(probe({}));
  EXPECT_THAT(probe({})->why, testing::HasSubstr("has not started its controllers"));
  reply.body = kLeads;
  EXPECT_EQ(probe({}), std::nullopt);
}

TEST(ControllersProbe, AcceptsLastingHealthWithoutControllers) {
  host::FakeHost fake;
  http::FakeReply reply{.body = kWaits};
  const http::FakeServer server([&](const http::FakeRequest&) { return reply; });
  const kube::Probe probe = ControllersProbe(server.Url() + "/healthz", fake.clock);
  EXPECT_TRUE(probe({}));
  fake.clock.Sleep(std::chrono::seconds(59), {});
  EXPECT_TRUE(probe({}));
  reply.status = 500;  // the controller manager restarts
  EXPECT_TRUE(probe({}));
  reply.status = 200;
  fake.clock.Sleep(std::chrono::seconds(59), {});
  EXPECT_TRUE(probe({}));
  fake.clock.Sleep(std::chrono::seconds(60), {});
  EXPECT_EQ(probe({}), std::nullopt);
}

}  // namespace
}  // namespace static_pods
