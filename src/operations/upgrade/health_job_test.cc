// SPDX-License-Identifier: Apache-2.0
#include "upgrade/health_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "base/fake_error.h"
#include "host/fake_host.h"
#include "json/value.h"
#include "kube/fake_server.h"

namespace upgrade {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;
using testing::IsEmpty;

json::Value WithCondition(const std::string& type, const std::string& status) {
  return {{"status", {{"conditions", json::Value::array({{{"type", type}, {"status", status}}})}}}};
}

TEST(Job, EndsByItsConditions) {
  EXPECT_EQ(EndOf(json::Value::object()), JobEnd::kRunning);
  EXPECT_EQ(EndOf(WithCondition("Complete", "True")), JobEnd::kComplete);
  EXPECT_EQ(EndOf(WithCondition("Failed", "True")), JobEnd::kFailed);
  EXPECT_EQ(EndOf(WithCondition("Failed", "False")), JobEnd::kRunning);
  EXPECT_EQ(EndOf(WithCondition("FailureTarget", "True")), JobEnd::kRunning);
}

TEST(Job, RunsUnprivilegedOnAnyNodeAndIsForgottenByTheCluster) {
  const json::Value job = HealthJob("x", "registry/pause:1");
  const json::Value& spec = job["spec"];
  EXPECT_EQ(spec["backoffLimit"], 0);
  EXPECT_EQ(spec["ttlSecondsAfterFinished"], 65);
  EXPECT_EQ(spec["activeDeadlineSeconds"], 65);
  const json::Value& pod = spec["template"]["spec"];
  EXPECT_EQ(pod["restartPolicy"], "Never");
  EXPECT_EQ(pod["securityContext"],
            (json::Value{{"runAsUser", 999}, {"runAsGroup", 999}, {"runAsNonRoot", true}}));
  EXPECT_EQ(pod["tolerations"][0]["key"], "node-role.kubernetes.io/control-plane");
  EXPECT_EQ(pod["containers"][0]["image"], "registry/pause:1");
  EXPECT_EQ(pod["containers"][0]["args"], json::Value::array({"-v"}));
}

// Reports after each pause how much time has passed.
class EventfulClock : public host::FakeClock {
 public:
  std::function<void(seconds passed)> on_pause = [](seconds) {};
  bool Sleep(std::chrono::nanoseconds duration, std::stop_token stop) override {
    const bool slept = FakeClock::Sleep(duration, std::move(stop));
    on_pause(Passed());
    return slept;
  }
  seconds Passed() const { return std::chrono::floor<seconds>(Now() - kStart); }
};

class HealthJobTest : public testing::Test {
 protected:
  void Run() {
    const JobRun run{.client = client_, .clock = clock_, .image = "registry/pause:1"};
    WaitForHealthJob(StartHealthJob(run), run);
  }
  std::string Failure() {
    return base::MessageOf([&] { Run(); });
  }
  std::vector<json::Value> Jobs() { return client_.List(kube::resources::kJob, "kube-system"); }
  void End(const char* condition) {
    for (json::Value job : Jobs()) {
      job["status"] = WithCondition(condition, "True")["status"];
      server_.Put(kube::resources::kJob, job);
    }
  }
  void PutPods(const json::Value& status) {
    for (const json::Value& job : Jobs()) {
      server_.Put(kube::resources::kPod,
                  {{"metadata",
                    {{"name", "pod"},
                     {"namespace", "kube-system"},
                     {"labels", {{"batch.kubernetes.io/job-name", job["metadata"]["name"]}}},
                     {"ownerReferences",
                      json::Value::array({{{"kind", "Job"}, {"name", job["metadata"]["name"]}}})}}},
                   {"spec", {{"nodeName", "a"}}},
                   {"status", status}});
    }
  }
  void Lead(const std::string& holder, seconds renewed) {
    server_.Put(
        kube::resources::kLease,
        {{"metadata", {{"name", "kube-controller-manager"}, {"namespace", "kube-system"}}},
         {"spec", {{"holderIdentity", holder}, {"renewTime", std::to_string(renewed.count())}}}});
  }
  std::size_t Started() {
    const auto requests = server_.Requests();
    return static_cast<std::size_t>(std::ranges::count_if(
        requests, [](const std::string& each) { return each.starts_with("POST "); }));
  }

  EventfulClock clock_;
  kube::FakeApiServer server_;
  kube::Client client_{server_.NewTransport(), clock_, {}};
};

TEST_F(HealthJobTest, IsRemovedWhenItIsComplete) {
  clock_.on_pause = [&](seconds) { End("Complete"); };
  Run();
  EXPECT_THAT(Jobs(), IsEmpty());
}

TEST_F(HealthJobTest, SucceedsWhenItsPodHasSucceeded) {
  clock_.on_pause = [&](seconds) { PutPods({{"phase", "Succeeded"}}); };
  Run();
  EXPECT_LT(clock_.Passed(), seconds(1));
  EXPECT_THAT(Jobs(), IsEmpty());
}

TEST_F(HealthJobTest, NeedsNoRightToReadPods) {
  server_.Inject({.what = "GET /api/v1/namespaces/kube-system/pods",
                  .status = 403,
                  .reason = "Forbidden",
                  .times = -1});
  clock_.on_pause = [&](seconds passed) {
    if (passed >= seconds(2)) {
      End("Complete");
    }
  };
  Run();
  EXPECT_LT(clock_.Passed(), seconds(4));
}

TEST_F(HealthJobTest, FailsAtOnceWhenTheJobHasFailed) {
  clock_.on_pause = [&](seconds) { End("Failed"); };
  EXPECT_THAT(Failure(), HasSubstr("failed"));
  EXPECT_LT(clock_.Passed(), seconds(1));
  EXPECT_THAT(Jobs(), IsEmpty());
}

TEST_F(HealthJobTest, FailsAfterAMinuteIfNoLeaderIsElected) {
  EXPECT_THAT(Failure(), HasSubstr("not ready after 1m0s: it is not complete; "
                                   "kube-controller-manager has made no Pod of it"));
  EXPECT_EQ(clock_.Passed(), seconds(60));
  EXPECT_THAT(Jobs(), IsEmpty());
}

TEST_F(HealthJobTest, NamesThePodThatDelaysIt) {
  clock_.on_pause = [&](seconds) { PutPods({{"phase", "Pending"}, {"startTime", "now"}}); };
  EXPECT_THAT(Failure(), HasSubstr("; Pod pod on node a is Pending"));
  EXPECT_EQ(Started(), 1U);
  EXPECT_THAT(Jobs(), IsEmpty());
}

TEST_F(HealthJobTest, IsTriedOnceMoreWhenItsPodHasJustStarted) {
  clock_.on_pause = [&](seconds passed) {
    PutPods({{"phase", "Running"}, {"startTime", "now"}});
    if (passed >= seconds(61)) {
      End("Complete");
    }
  };
  Run();
  EXPECT_EQ(Started(), 2U);
}

TEST_F(HealthJobTest, IsTriedOnceMoreWhenTheKubeletHasNotNoticed) {
  clock_.on_pause = [&](seconds) { PutPods({{"phase", "Pending"}}); };
  EXPECT_THAT(Failure(), HasSubstr("; the kubelet of node a has not taken notice of Pod pod"));
  EXPECT_EQ(Started(), 2U);
  clock_.on_pause = [&, begin = clock_.Passed()](seconds passed) {
    PutPods({{"phase", "Pending"}});
    if (passed - begin >= seconds(61)) {
      End("Complete");
    }
  };
  Run();
  EXPECT_EQ(Started(), 4U);
}

TEST_F(HealthJobTest, FailsAfterAMinuteIfTheLeaderIgnoresIt) {
  Lead("a_1", seconds(0));
  clock_.on_pause = [&](seconds passed) { Lead("a_1", passed); };
  EXPECT_THAT(Failure(), HasSubstr("by a_1)"));
  EXPECT_LT(clock_.Passed(), seconds(63));
  EXPECT_EQ(Started(), 1U);
}

TEST_F(HealthJobTest, IsStartedAgainIfALeaderWasElectedLate) {
  for (const seconds comes : {seconds(58), seconds(200)}) {
    const seconds begin = clock_.Passed();
    Lead("a_1", begin);
    clock_.on_pause = [&, begin](seconds passed) {
      if (passed - begin >= comes) {
        Lead("a_2", passed);
      }
      if (passed - begin >= std::max(comes, seconds(65))) {
        End("Complete");
      }
    };
    Run();
    EXPECT_LT(clock_.Passed() - begin, comes + seconds(10));
    EXPECT_THAT(Jobs(), IsEmpty());
  }
  EXPECT_EQ(Started(), 4U);
}

TEST_F(HealthJobTest, WaitsForANewLeaderAfterTheLeaseWasReleased) {
  Lead("a_1", seconds(0));
  clock_.on_pause = [&](seconds passed) {
    Lead(passed < seconds(100) ? "" : "a_2", passed < seconds(100) ? seconds(30) : passed);
    if (passed >= seconds(101)) {
      End("Complete");
    }
  };
  Run();
  EXPECT_EQ(Started(), 2U);
}

TEST_F(HealthJobTest, FailsInTimeIfTheLeaderKeepsChanging) {
  clock_.on_pause = [&](seconds passed) { Lead("a_" + std::to_string(passed.count()), passed); };
  EXPECT_THAT(Failure(), HasSubstr("kube-controller-manager has made no Pod of it"));
  EXPECT_LE(clock_.Passed(), seconds(421));
}

TEST_F(HealthJobTest, NeedsNoLeases) {
  server_.Inject({.what = "GET /apis/coordination.k8s.io/v1/namespaces/kube-system/leases",
                  .status = 403,
                  .reason = "Forbidden",
                  .times = -1});
  server_.SetText("/readyz", 200, "ok");
  clock_.on_pause = [&](seconds) { End("Complete"); };
  Run();
  EXPECT_THAT(Jobs(), IsEmpty());
  clock_.on_pause = [](seconds) {};
  EXPECT_THAT(Failure(), HasSubstr("kube-controller-manager has made no Pod of it"));
}

TEST_F(HealthJobTest, FailsWithoutALeaderInTime) {
  Lead("a_1", seconds(0));
  EXPECT_THAT(Failure(), HasSubstr("(its Lease was last renewed at 0 by a_1)"));
  EXPECT_EQ(clock_.Passed(), seconds(360));
  EXPECT_EQ(Started(), 1U);
}

}  // namespace
}  // namespace upgrade
