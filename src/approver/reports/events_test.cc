// SPDX-License-Identifier: Apache-2.0
#include "reports/events.h"

#include <gtest/gtest.h>

#include "kube/fake_server.h"
#include "reports/event_allowance.h"

namespace reports {
namespace {

using judgement::Decision;
using judgement::Verdict;

TEST(EventWriter, ForgetsReasonsBeforeTheyFillTheMemory) {
  kube::FakeApiServer server;
  const auto transport = server.NewTransport();
  Metrics metrics;
  EventWriter events(*transport, {"ns", "me"}, metrics);
  const Verdict verdict{.decision = Decision::kIgnore,
                        .reason = judgement::Reason::kParseError,
                        .message = "y",
                        .rules = {}};
  for (std::size_t i = 0; i <= EventWriter::kMostReasons; ++i) {
    events.Tell({.name = "a", .uid = std::to_string(i), .username = std::to_string(i % 100)},
                verdict, {});
  }
  EXPECT_EQ(events.remembered(), 1U);
}

TEST(EventWriter, OneRequesterDoesNotCrowdOutTheOthers) {
  kube::FakeApiServer server;
  const auto transport = server.NewTransport();
  Metrics metrics;
  EventWriter events(*transport, {"ns", "me"}, metrics);
  const Verdict verdict{.decision = Decision::kIgnore,
                        .reason = judgement::Reason::kParseError,
                        .message = "y",
                        .rules = {}};
  for (int i = 0; i < 3 * EventAllowance::kBurst; ++i) {
    events.Tell({.name = "a", .uid = std::to_string(i), .username = "hostile"}, verdict, {});
  }
  EXPECT_EQ(events.remembered(), static_cast<std::size_t>(EventAllowance::kBurst));
  events.Tell({.name = "b", .uid = "other", .username = "other"}, verdict, {});
  EXPECT_EQ(events.remembered(), EventAllowance::kBurst + 1U);
}

}  // namespace
}  // namespace reports
