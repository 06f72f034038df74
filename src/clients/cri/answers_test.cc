// SPDX-License-Identifier: Apache-2.0
#include "cri/answers.h"

#include <gtest/gtest.h>

namespace cri {
namespace {

using Kind = base::Error::Kind;

TEST(CallError, HasKindAndEndpoint) {
  struct Case {
    int code;
    std::string message;
    Kind kind;
    std::string text;
  };
  for (const Case& c : std::initializer_list<Case>{
           {14, "gone", Kind::kUnavailable,
            "cannot connect to the container runtime at unix:///x: gone: is it running?"},
           {14, "cannot connect to /x: permission denied", Kind::kUnavailable,
            "cannot connect to the container runtime at unix:///x: permission denied: run this as "
            "root"},
           {4, "Deadline Exceeded", Kind::kTimeout,
            "the container runtime at unix:///x does not answer in time"},
           {1, "CANCELLED", Kind::kOther, "the container runtime at unix:///x answers: CANCELLED"},
           {12, "unknown service runtime.v1.RuntimeService", Kind::kOther,
            "the container runtime at unix:///x does not offer version v1 of the CRI: unknown "
            "service runtime.v1.RuntimeService"},
           {5, "no such container", Kind::kNotFound,
            "the container runtime at unix:///x answers: no such container"},
           {2, "failed to pull", Kind::kOther,
            "the container runtime at unix:///x answers: failed to pull"}}) {
    const base::Error error = CallError("unix:///x", c.code, c.message);
    EXPECT_EQ(error.kind(), c.kind) << c.code;
    EXPECT_EQ(error.message(), c.text) << c.code;
  }
}

TEST(NoAnswer, ExplainsWhyTheRuntimeIsUnreachable) {
  struct Case {
    base::Error error;
    Kind kind;
    std::string text;
  };
  for (const Case& c : std::initializer_list<Case>{
           {{Kind::kUnavailable, "cannot connect to /x: connection refused"},
            Kind::kUnavailable,
            "cannot connect to the container runtime at unix:///x: connection refused: is it "
            "running?"},
           {{Kind::kTimeout, "slow"},
            Kind::kTimeout,
            "the container runtime at unix:///x does not answer in time"},
           {{Kind::kInvalid, "the answer is larger than 16384 KiB from /x"},
            Kind::kOther,
            "the container runtime at unix:///x cannot be queried: the answer is larger than 16384 "
            "KiB from /x"}}) {
    const base::Error error = NoAnswer("unix:///x", c.error);
    EXPECT_EQ(error.kind(), c.kind) << c.text;
    EXPECT_EQ(error.message(), c.text);
  }
}

TEST(Endpoint, IsAUnixSocketWhenGivenAsAPath) {
  EXPECT_EQ(WithScheme("/run/x.sock"), "unix:///run/x.sock");
  EXPECT_EQ(WithScheme("unix:///run/x.sock"), "unix:///run/x.sock");
}

TEST(Condition, ReportsReadinessWithTheReason) {
  RuntimeStatus status;
  AddCondition({"RuntimeReady", true, "", ""}, status);
  AddCondition({"NetworkReady", false, "NetworkPluginNotReady", "cni"}, status);
  AddCondition({"SomethingElse", false, "Reason", "text"}, status);
  EXPECT_TRUE(status.runtime_ready);
  EXPECT_FALSE(status.network_ready);
  EXPECT_EQ(status.runtime_message, "");
  AddCondition({"RuntimeReady", false, "Starting", "wait"}, status);
  EXPECT_FALSE(status.runtime_ready);
  EXPECT_EQ(status.runtime_message, "Starting: wait");
  AddCondition({"RuntimeReady", false, "", "wait"}, status);
  EXPECT_EQ(status.runtime_message, "wait");
}

TEST(SandboxImage, IsReadFromVerboseRuntimeInfo) {
  EXPECT_EQ(SandboxImageIn(R"({"a":1,"sandboxImage":"registry.k8s.io/pause:3.10","b":2})"),
            "registry.k8s.io/pause:3.10");
  EXPECT_EQ(SandboxImageIn(R"({"sandboxImage": "x"})"), "x");
  EXPECT_EQ(SandboxImageIn(R"({"sandboxImage":)"), "");
  EXPECT_EQ(SandboxImageIn(R"({"sandboxImage":"cut)"), "");
  EXPECT_EQ(SandboxImageIn("{}"), "");
}

}  // namespace
}  // namespace cri
