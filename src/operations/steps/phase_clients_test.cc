// SPDX-License-Identifier: Apache-2.0
#include "steps/phase_clients.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/fake_error.h"
#include "host/fake_host.h"
#include "workflow/fake_context.h"

namespace steps {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Fails on every second call.
class FailsOnce : public kube::Transport {
 public:
  json::Value Do(const kube::Call&, std::stop_token) override {
    if (++calls_ % 2 == 1) {
      throw base::Error(base::Error::Kind::kUnavailable, "away");
    }
    return json::Value::object();
  }
  std::string GetPath(const std::string&, std::stop_token) override { return "ok"; }
  void Watch(const kube::Call&, const std::string&, const OnEvent&, std::stop_token) override {}

 private:
  int calls_ = 0;
};

TEST(PhaseClients, ReportRetriesToTheirOwnPhase) {
  host::FakeClock clock;
  PhaseClients clients(std::make_shared<FailsOnce>(), clock, {});
  workflow::FakeContext one;
  workflow::FakeContext other;
  const auto ask = [](kube::Client& client) {
    client.Retry("", [&] { client.Get({kube::resources::kNode, "", "n"}); });
  };
  EXPECT_EQ(&clients.Of(one), &clients.Of(one));
  ask(clients.Of(one));
  EXPECT_THAT(one.retries, ElementsAre("away"));
  EXPECT_THAT(other.retries, IsEmpty());
  ask(clients.Of(other));
  EXPECT_THAT(other.retries, ElementsAre("away"));
  EXPECT_THAT(one.retries, ElementsAre("away"));
}

TEST(PhaseClients, EndRetriesWithThePhase) {
  host::FakeClock clock;
  PhaseClients clients(std::make_shared<FailsOnce>(), clock, {});
  workflow::FakeContext phase;
  phase.stop.request_stop();
  kube::Client& client = clients.Of(phase);
  EXPECT_EQ(base::InterruptionOf(
                [&] { client.Retry("", [&] { client.Get({kube::resources::kNode, "", "n"}); }); }),
            "stopped: away");
}

}  // namespace
}  // namespace steps
