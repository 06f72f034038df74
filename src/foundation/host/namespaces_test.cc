// SPDX-License-Identifier: Apache-2.0
#include "host/namespaces.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

#include "base/error.h"

namespace host {
namespace {

int StatusOf(const std::string& script, std::map<std::string, std::string> environment = {},
             const std::stop_token& stop = {}) {
  return RunAttached({.argv = {"/bin/sh", "-c", script}, .environment = std::move(environment)},
                     stop);
}

TEST(RunAttached, ReturnsTheExitStatus) {
  EXPECT_EQ(StatusOf("exit 0"), 0);
  EXPECT_EQ(StatusOf("exit 3"), 3);
}

TEST(RunAttached, ReturnsTheSignalThatEndedTheProgram) {
  EXPECT_EQ(StatusOf("kill -KILL $$"), 128 + SIGKILL);
}

TEST(RunAttached, ReportsAProgramThatDoesNotExist) {
  EXPECT_EQ(RunAttached({.argv = {"/nonexistent"}, .environment = {}}, {}), 127);
}

TEST(RunAttached, PassesOnlyTheGivenEnvironment) {
  ASSERT_EQ(::setenv("SLIPWAY_OUTER", "x", 1), 0);
  EXPECT_EQ(StatusOf("test -z \"$SLIPWAY_OUTER\" && test \"$SLIPWAY_INNER\" = y",
                     {{"SLIPWAY_INNER", "y"}}),
            0);
}

TEST(RunAttached, SendsSigtermOnAStopRequest) {
  std::stop_source stop;
  std::jthread stops([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    stop.request_stop();
  });
  EXPECT_EQ(StatusOf("trap 'exit 5' TERM; while :; do sleep 0.01; done", {}, stop.get_token()), 5);
}

TEST(EnterNamespaces, NamesTheNamespaceIfTheProcessIsMissing) {
  try {
    EnterNamespaces(0);
    FAIL() << "process 0 has no namespaces";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::Error::Kind::kNotFound);
    EXPECT_NE(error.message().find("/proc/0/ns/cgroup"), std::string::npos) << error.message();
  }
}

}  // namespace
}  // namespace host
