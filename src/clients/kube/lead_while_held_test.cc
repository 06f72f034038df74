// SPDX-License-Identifier: Apache-2.0
#include "kube/lead_while_held.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "host/clock.h"
#include "kube/fake_server.h"

namespace kube {
namespace {

class LeadWhileHeldTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(elector_.Acquire({})); }

  bool Lead(const std::function<void(const std::stop_token& stop)>& lead,
            const std::stop_token& stop = {}) {
    return LeadWhileHeld(elector_, lead, stop);
  }
  std::string Holder() {
    return json::TextAt(*server_.Find(resources::kLease, "ns", "lease"),
                        {"spec", "holderIdentity"});
  }

  FakeApiServer server_;
  host::RealClock clock_;
  std::unique_ptr<Transport> transport_ = server_.NewTransport();
  LeaderElector elector_{
      *transport_, clock_, {.name_space = "ns", .name = "lease", .identity = "me"}};
};

TEST_F(LeadWhileHeldTest, ReleasesTheLeaseAfterTheWork) {
  std::string during;
  EXPECT_TRUE(Lead([&](const std::stop_token&) { during = Holder(); }));
  EXPECT_EQ(during, "me");
  EXPECT_EQ(Holder(), "");
}

TEST_F(LeadWhileHeldTest, ReleasesTheLeaseAfterAFailure) {
  EXPECT_THROW(Lead([](const std::stop_token&) { throw base::Error("failed"); }), base::Error);
  EXPECT_EQ(Holder(), "");
}

TEST_F(LeadWhileHeldTest, PassesAStopRequestToTheWork) {
  std::stop_source stop;
  EXPECT_TRUE(Lead(
      [&](const std::stop_token& ends) {
        stop.request_stop();
        while (!ends.stop_requested()) {
          clock_.Sleep(std::chrono::milliseconds(1), {});
        }
      },
      stop.get_token()));
  EXPECT_EQ(Holder(), "");
}

}  // namespace
}  // namespace kube
