// SPDX-License-Identifier: Apache-2.0
// Leader election, and the end of a controller that loses the lease.

#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <mutex>
#include <system_error>

#include "base/error.h"
#include "controller/fake_controller.h"

namespace controller {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;  // sanitizers need more memory than the limit
#elif defined(__has_feature)
constexpr bool kSanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool kSanitized = false;
#endif

// An API server without threads of its own. It stores only a Lease.
class Bare : public kube::Transport {
 public:
  json::Value Do(const kube::Call& call, std::stop_token) override {
    const std::lock_guard lock(mutex_);
    if (call.resource.resource != kube::resources::kLease.resource) {
      return {{"metadata", {{"resourceVersion", "1"}}}, {"items", json::Value::array()}};
    }
    lease_ = call.verb == kube::Verb::kGet ? lease_ : call.body;
    if (lease_.is_null()) {
      throw base::Error(base::Error::Kind::kNotFound, "no lease");
    }
    return lease_;
  }
  std::string GetPath(const std::string&, std::stop_token) override {
    throw base::Error(base::Error::Kind::kNotFound, "nothing");
  }
  void Watch(const kube::Call&, const std::string&, const OnEvent&, std::stop_token stop) override {
    host::RealClock().Sleep(std::chrono::hours(1), stop);
  }
  std::string Holder() {
    const std::lock_guard lock(mutex_);
    return json::TextAt(lease_, {"spec", "holderIdentity"});
  }

 private:
  std::mutex mutex_;
  json::Value lease_;  // guarded by mutex_
};

// Returns whether this limit is effective: some systems only pretend to set it.
bool IsKept(const rlimit& limit, const rlimit& before) {
  rlimit now{};
  const bool kept = setrlimit(RLIMIT_AS, &limit) == 0 && getrlimit(RLIMIT_AS, &now) == 0 &&
                    now.rlim_cur == limit.rlim_cur;
  return setrlimit(RLIMIT_AS, &before) == 0 && kept;
}

TEST(Controller, EndsWithAnErrorIfNoThreadIsAvailable) {
  if (kSanitized) {
    GTEST_SKIP() << "a limit on memory is not a place for a sanitizer";
  }
  host::FakeHost fake;
  Settings settings;
  settings.leader = {.retry_period = std::chrono::milliseconds(10),
                     .name = "lease",
                     .name_space = "ns",
                     .identity = "me"};
  settings.workers = 10'000;
  std::ifstream statm("/proc/self/statm");
  rlim_t pages = 0;
  statm >> pages;
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  const rlim_t most = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + (rlim_t{400} << 20U);
  const rlimit limited{.rlim_cur = most, .rlim_max = before.rlim_max};
  if (!IsKept(limited, before)) {
    GTEST_SKIP() << "an emulator takes no limits on memory";
  }
  for (const bool elect : {false, true}) {
    const auto bare = std::make_shared<Bare>();
    settings.leader.elect = elect;
    Controller controller(settings, {.management = bare, .workload = bare, .servers = {}},
                          fake.host);
    ASSERT_EQ(setrlimit(RLIMIT_AS, &limited), 0);
    EXPECT_THROW(controller.Run({}), std::system_error) << elect;
    ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
    EXPECT_EQ(bare->Holder(), "") << "others may lead now";
  }
}

TEST_F(ControllerTest, ReleasesTheLeaseAfterAnUnknownRenewalError) {
  settings_.leader = {.elect = true,
                      .retry_period = std::chrono::milliseconds(10),
                      .name = "lease",
                      .name_space = "ns",
                      .identity = "me"};
  std::atomic<int> renewals = 0;
  const auto thrower = std::make_shared<Thrower>(transport_, [&](const kube::Call& call) {
    return call.verb == kube::Verb::kUpdate &&
           call.resource.resource == kube::resources::kLease.resource && ++renewals == 1;
  });
  Controller controller(settings_, {.management = thrower, .workload = thrower}, host_);
  EXPECT_THROW(controller.Run({}), std::logic_error);
  EXPECT_EQ(json::TextAt(server_.Find(kube::resources::kLease, "ns", "lease").value(),
                         {"spec", "holderIdentity"}),
            "");
}

TEST_F(ControllerTest, QueuesNothingWithoutTheLease) {
  settings_.leader = {.elect = true,
                      .lease_duration = std::chrono::hours(1),
                      .retry_period = std::chrono::milliseconds(10),
                      .name = "lease",
                      .name_space = "ns",
                      .identity = "me"};
  json::Value lease{{"metadata", {{"name", "lease"}, {"namespace", "ns"}}},
                    {"spec", {{"holderIdentity", "another"}, {"leaseDurationSeconds", 3600}}}};
  server_.Put(kube::resources::kLease, lease);
  PutMachine("panda");
  clock_.Set(judgement::kMachineMade + std::chrono::seconds(60));
  Start();
  server_.Put(kube::resources::kCsr, evidence::CsrObject(judgement::FakeWorld::Client(), "a"));
  const auto says = [this](const std::string& metric) {
    return controller_->MetricsText().find(metric) != std::string::npos;
  };
  Until("it knows the request", [&] { return says("mapi_current_pending_csr 1\n"); });
  EXPECT_TRUE(says("machine_approver_queue_depth 0\n"));
  lease["spec"]["holderIdentity"] = "";
  server_.Put(kube::resources::kLease, lease);
  UntilApproved("a");
}

TEST_F(ControllerTest, EndsWithAllItsThreadsWhenTheLeaseIsLost) {
  settings_.leader = {.elect = true,
                      .lease_duration = std::chrono::seconds(30),
                      .renew_deadline = std::chrono::seconds(20),
                      .retry_period = std::chrono::milliseconds(10),
                      .name = "lease",
                      .name_space = "ns",
                      .identity = "me"};
  Controller controller(settings_, {.management = transport_, .workload = transport_}, host_);
  std::jthread thief([this] {
    Until("it leads",
          [this] { return server_.Find(kube::resources::kLease, "ns", "lease").has_value(); });
    json::Value lease = *server_.Find(kube::resources::kLease, "ns", "lease");
    lease["spec"]["holderIdentity"] = "another";
    server_.Put(kube::resources::kLease, std::move(lease));
  });
  EXPECT_THROW(controller.Run({}), base::Error);
}

}  // namespace
}  // namespace controller
