// SPDX-License-Identifier: Apache-2.0
#include "host/signals.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <mutex>

namespace host {
namespace {

// Waits until the token is stopped.
void UntilAsked(const std::stop_token& token) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, token, std::chrono::minutes(1), [] { return false; });
}

class SignalsTest : public testing::Test {
 protected:
  SignalsTest() { pthread_sigmask(SIG_BLOCK, nullptr, &before_); }
  ~SignalsTest() override { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

TEST_F(SignalsTest, TheFirstSignalRequestsAStop) {
  for (const int signal : {SIGINT, SIGTERM}) {
    RealSignals signals;
    const std::stop_token token = signals.Interrupt();
    EXPECT_FALSE(token.stop_requested());
    ::kill(::getpid(), signal);
    UntilAsked(token);
    EXPECT_TRUE(token.stop_requested());
    EXPECT_TRUE(signals.Interrupt().stop_requested()) << "it is the same for all who ask";
  }
}

TEST_F(SignalsTest, TheSecondSignalEndsTheProcess) {
  const auto twice = [] {
    RealSignals signals;
    const std::stop_token token = signals.Interrupt();
    ::kill(::getpid(), SIGTERM);
    UntilAsked(token);
    ::kill(::getpid(), SIGTERM);
    ::pause();
  };
  EXPECT_EXIT(twice(), testing::ExitedWithCode(128 + SIGTERM), "");
}

TEST_F(SignalsTest, KeepsDefaultActionsUntilSignalsAreRequested) {
  const auto unasked = [] {
    const RealSignals signals;
    ::kill(::getpid(), SIGTERM);
    ::pause();
  };
  EXPECT_EXIT(unasked(), testing::KilledBySignal(SIGTERM), "");
}

TEST_F(SignalsTest, EndsItsThreadIfNoSignalArrived) {
  RealSignals signals;
  EXPECT_FALSE(signals.Interrupt().stop_requested());
}

}  // namespace
}  // namespace host
