// SPDX-License-Identifier: Apache-2.0
#include "cri/patient.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "cri/fake_runtime.h"

namespace cri {
namespace {

using base::Error;
using base::Thrown;
using Kind = base::Error::Kind;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;

class PatientTest : public testing::Test {
 protected:
  PatientTest() {
    auto fake = std::make_unique<FakeRuntime>();
    fake_ = fake.get();
    runtime_ = Patient(std::move(fake), {.pause =
                                             [this](milliseconds duration) {
                                               paused_ += duration;
                                               return !stopped_;
                                             },
                                         .limit = seconds(10)});
  }

  FakeRuntime* fake_;
  std::unique_ptr<Runtime> runtime_;
  milliseconds paused_{0};
  bool stopped_ = false;
};

TEST_F(PatientTest, WaitsForARuntimeThatRestarts) {
  fake_->containers = {{.id = "c1", .state = Container::State::kRunning}};
  fake_->Fail("StopContainer", Error(Kind::kUnavailable, "Broken pipe"), 1);
  fake_->Fail("Containers", Error(Kind::kUnavailable, "No such file or directory"), 4);
  runtime_->StopContainer("c1", seconds(1));
  EXPECT_EQ(runtime_->Containers(AnyContainer).front().state, Container::State::kExited);
  EXPECT_GT(paused_, milliseconds(0));
  EXPECT_LT(paused_, seconds(10));
}

TEST_F(PatientTest, GivesUpIfTheRuntimeDoesNotReturn) {
  fake_->Fail("Sandboxes", Error(Kind::kUnavailable, "nobody answers"), 1'000);
  EXPECT_EQ(Thrown([&] { runtime_->Sandboxes(); }).message(), "nobody answers");
  EXPECT_EQ(paused_, seconds(10));
}

TEST_F(PatientTest, DoesNotRetryAnAnswer) {
  fake_->Fail("StopSandbox", Error(Kind::kNotFound, "no such sandbox"));
  EXPECT_EQ(Thrown([&] { runtime_->StopSandbox("s1"); }).kind(), Kind::kNotFound);
  EXPECT_EQ(paused_, seconds(0));
  EXPECT_THAT(fake_->calls(), ElementsAre("StopSandbox s1"));
}

TEST_F(PatientTest, AnInterruptEndsTheWait) {
  stopped_ = true;
  fake_->Fail("Version", Error(Kind::kUnavailable, "nobody answers"), 1'000);
  EXPECT_EQ(base::InterruptionOf([&] { runtime_->Version(); }), "stopped: nobody answers");
}

}  // namespace
}  // namespace cri
