// SPDX-License-Identifier: Apache-2.0
#include "control_plane/images.h"

#include <gmock/gmock.h>

#include <stdexcept>
#include <thread>

#include "base/error.h"
#include "base/fake_error.h"
#include "cri/fake_runtime.h"
#include "host/clock.h"

namespace control_plane {
namespace {

using components::Component;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

PodChange Change(PodChange::What what) {
  return {.component = Component::kScheduler,
          .pod = {{"spec", {{"containers", json::Value::array({{{"image", "patched:1"}}})}}}},
          .what = what};
}

host::Clock& Clock() {
  static host::RealClock clock;
  return clock;
}

std::string Problem(const PodChange& change, const PullContext& context) {
  return base::MessageOf([&] { RequireImages(std::span(&change, 1), context); });
}

TEST(RequireImages, PullsMissingImagesOfReplacements) {
  cri::FakeRuntime runtime;
  std::vector<std::optional<std::string>> progress;
  const PullContext context{
      .clock = Clock(), .runtime = runtime, .progress = [&](std::optional<std::string_view> what) {
        progress.emplace_back(what);
      }};
  EXPECT_EQ(Problem(Change(PodChange::What::kRestart), context), "");
  EXPECT_THAT(runtime.calls(), Not(Contains("PullImage patched:1")));
  EXPECT_EQ(Problem(Change(PodChange::What::kReplace), context), "");
  EXPECT_THAT(runtime.calls(), Contains("PullImage patched:1"));
  EXPECT_THAT(progress, ElementsAre("pulling patched:1", std::nullopt));
}

TEST(RequireImages, RequiresLocalImagesWhenPullingIsForbidden) {
  cri::FakeRuntime runtime;
  const PullContext context{.clock = Clock(), .runtime = runtime, .policy = "Never"};
  EXPECT_THAT(
      Problem(Change(PodChange::What::kReplace), context),
      HasSubstr("the image patched:1 of kube-scheduler cannot be obtained: it is not here"));
  runtime.images.insert("patched:1");
  EXPECT_EQ(Problem(Change(PodChange::What::kReplace), context), "");
}

// A runtime that pulls until it is stopped.
class SlowRuntime : public cri::FakeRuntime {
 public:
  void PullImage(const std::string&, std::stop_token stop) override {
    while (!stop.stop_requested()) {
      Clock().Sleep(std::chrono::milliseconds(1), stop);
    }
    throw base::Interrupted("stopped");
  }
};

TEST(RequireImages, APullThatTakesTooLongEndsTheUpgradeBeforeItBegins) {
  SlowRuntime runtime;
  const PullContext context{
      .clock = Clock(), .runtime = runtime, .limit = std::chrono::milliseconds(20)};
  EXPECT_THAT(Problem(Change(PodChange::What::kReplace), context),
              HasSubstr("pulling it takes longer than"));
}

TEST(RequireImages, AnInterruptIsNotATimeout) {
  SlowRuntime runtime;
  std::stop_source stop;
  stop.request_stop();
  const PullContext context{.clock = Clock(), .runtime = runtime, .stop = stop.get_token()};
  EXPECT_THROW(Problem(Change(PodChange::What::kReplace), context), base::Interrupted);
}

// The runtime throws an exception other than base::Error. RequireImages must pass it on and not
// terminate the process.
TEST(RequireImages, EveryExceptionReachesTheCaller) {
  class Broken : public cri::FakeRuntime {
   public:
    void PullImage(const std::string&, std::stop_token) override { throw std::runtime_error("x"); }
  };
  Broken runtime;
  EXPECT_THROW(Problem(Change(PodChange::What::kReplace), {.clock = Clock(), .runtime = runtime}),
               std::runtime_error);
}

}  // namespace
}  // namespace control_plane
