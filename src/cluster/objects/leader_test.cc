// SPDX-License-Identifier: Apache-2.0
#include "objects/leader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fake_error.h"
#include "host/fake_host.h"
#include "json/rfc3339.h"
#include "json/value.h"
#include "kube/fake_server.h"

namespace objects {
namespace {

using components::Component;
using std::chrono::hours;

// Changes the cluster at each wait.
class MeddlingClock : public host::FakeClock {
 public:
  std::function<void()> on_wait = [] {};
  bool Sleep(std::chrono::nanoseconds duration, std::stop_token stop) override {
    on_wait();
    return FakeClock::Sleep(duration, std::move(stop));
  }
};

class LeaderTest : public testing::Test {
 protected:
  void SetUp() override {
    fake_.machine.hostname = "one";
    for (const Component component : kElecting) {
      fake_.files.Write(components::ManifestPath(component), "kind: Pod\n", {});
    }
  }
  // Stores a Lease that `holder` acquired `ago` before the component's manifest was written.
  void Lead(Component component, const std::string& holder, std::chrono::seconds ago) {
    const auto written = fake_.files.Stat(components::ManifestPath(component))->modified;
    const auto acquired = std::chrono::floor<std::chrono::seconds>(written) - ago;
    server_.Put(kube::resources::kLease,
                {{"metadata", {{"name", Name(component)}, {"namespace", "kube-system"}}},
                 {"spec",
                  {{"holderIdentity", holder},
                   {"leaseDurationSeconds", 15},
                   {"acquireTime", json::FormatRfc3339(acquired)},
                   {"renewTime", "2026-11-24T10:00:00.000000Z"}}}});
  }
  void Release() { ReleaseLeases({.client = client_, .host = host_}); }
  std::string Holder(Component component) { return FindLeader(client_, component)->holder; }

  host::FakeHost fake_;
  MeddlingClock clock_;
  host::Host host_ = fake_.With(clock_);
  kube::FakeApiServer server_;
  kube::Client client_{server_.NewTransport(), clock_, {}};
};

TEST_F(LeaderTest, ReadsHolderAndRenewalFromTheLease) {
  EXPECT_EQ(FindLeader(client_, Component::kScheduler), std::nullopt);
  Lead(Component::kScheduler, "one_1", hours(1));
  EXPECT_EQ(FindLeader(client_, Component::kScheduler),
            (Leader{.holder = "one_1", .renewed = "2026-11-24T10:00:00.000000Z"}));
}

TEST_F(LeaderTest, ReleasesTheLeaseOfASilentReplacedHolder) {
  const struct {
    const char* what;
    std::string holder;
    std::chrono::seconds ago;
    bool released;
  } cases[] = {
      {"this machine's, replaced since", "one_1", hours(1), true},
      {"this machine's, since its manifest was written", "one_1", hours(-1), false},
      {"another machine's", "two_1", hours(1), false},
      {"a machine's whose name begins alike", "one_two_1", hours(1), false},
      {"nobody's", "", hours(1), false},
  };
  for (const auto& each : cases) {
    Lead(Component::kControllerManager, each.holder, each.ago);
    Release();
    EXPECT_EQ(Holder(Component::kControllerManager), each.released ? "" : each.holder) << each.what;
  }
}

TEST_F(LeaderTest, KeepsTheLeaseOfARenewingOrSucceededHolder) {
  Lead(Component::kControllerManager, "one_1", hours(1));
  Lead(Component::kScheduler, "one_1", hours(1));
  clock_.on_wait = [&] { Lead(Component::kControllerManager, "one_2", hours(1)); };
  Release();
  EXPECT_EQ(Holder(Component::kControllerManager), "one_2");
  EXPECT_EQ(Holder(Component::kScheduler), "");
}

TEST_F(LeaderTest, ReleasesTheLeaseOfAnEndedHolderWithAnUnchangedManifest) {
  Lead(Component::kScheduler, "one_1", hours(-1));
  const auto acquired =
      fake_.files.Stat(components::ManifestPath(Component::kScheduler))->modified + hours(1);
  const auto release = [&](std::chrono::seconds later) {
    ReleaseLeases({.client = client_, .host = host_, .all_before = acquired + later});
    return Holder(Component::kScheduler);
  };
  EXPECT_EQ(release(std::chrono::seconds(-5)), "one_1");
  EXPECT_EQ(release(std::chrono::seconds(5)), "");
}

TEST_F(LeaderTest, DoesNotWaitIfThereIsNoLeaseToRelease) {
  clock_.on_wait = [] { FAIL() << "waits"; };
  Release();
  Lead(Component::kScheduler, "two_1", hours(1));
  Release();
}

TEST_F(LeaderTest, LeavesALeaseToExpireIfItCannotBeReleased) {
  Lead(Component::kScheduler, "one_1", hours(1));
  server_.Inject({.what = "PUT ", .status = 403, .reason = "Forbidden", .times = -1});
  Release();
  EXPECT_EQ(Holder(Component::kScheduler), "one_1");
}

TEST_F(LeaderTest, AnInterruptEndsTheWatch) {
  Lead(Component::kScheduler, "one_1", hours(1));
  std::stop_source source;
  source.request_stop();
  EXPECT_EQ(base::InterruptionOf([&] {
              ReleaseLeases({.client = client_, .host = host_, .stop = source.get_token()});
            }),
            "interrupted");
  EXPECT_EQ(Holder(Component::kScheduler), "one_1");
}

TEST_F(LeaderTest, IsTheLeaderOnceItRenewsTheLease) {
  constexpr const char* kSince = "2026-11-24T09:00:00.000000Z";
  const auto problem = [&](const std::string& holder, const std::string& acquired,
                           const std::string& renewed) {
    server_.Put(
        kube::resources::kLease,
        {{"metadata", {{"name", "kube-scheduler"}, {"namespace", "kube-system"}}},
         {"spec",
          {{"holderIdentity", holder}, {"acquireTime", acquired}, {"renewTime", renewed}}}});
    return LeadProbe(client_, host_, Component::kScheduler, kSince)({}).has_value();
  };
  const std::string before = "2026-11-24T08:59:00.000000Z";
  const std::string then = "2026-11-24T09:00:01.000000Z";
  const std::string later = "2026-11-24T09:00:05.000000Z";
  EXPECT_TRUE(LeadProbe(client_, host_, Component::kScheduler, kSince)({})) << "no Lease";
  EXPECT_TRUE(problem("one_a", before, later)) << "of the process before";
  EXPECT_TRUE(problem("one_b", then, "2026-11-24T09:00:02.900000Z")) << "it may end at once";
  EXPECT_FALSE(problem("one_b", then, later));
  EXPECT_TRUE(problem("", then, later)) << "given back";
  EXPECT_FALSE(problem("two_c", before, before)) << "another machine's";
}

TEST_F(LeaderTest, DoesNotWaitWithoutLeaderElection) {
  const auto elects = [&](const std::string& argument) {
    fake_.files.Write(
        components::ManifestPath(Component::kScheduler),
        "kind: Pod\nspec:\n  containers:\n  - command:\n    - kube-scheduler\n    - " + argument +
            "\n",
        {});
    return Elects(fake_.files, Component::kScheduler);
  };
  EXPECT_TRUE(elects("--leader-elect=true"));
  EXPECT_FALSE(elects("--leader-elect=false"));
  EXPECT_FALSE(elects("--leader-elect-resource-name=other"));
  fake_.files.Remove(components::ManifestPath(Component::kScheduler));
  EXPECT_FALSE(Elects(fake_.files, Component::kScheduler));
}

}  // namespace
}  // namespace objects
