// SPDX-License-Identifier: Apache-2.0
#include "reports/operator_keeper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "host/fake_host.h"

namespace reports {
namespace {

// An API server with a single watch, which reports the events and then requests a stop.
class Teller : public kube::Transport {
 public:
  struct Event {
    std::string type, name;
  };
  Teller(std::vector<Event> events, std::stop_source& stop)
      : events_(std::move(events)), stop_(stop) {}

  json::Value Do(const kube::Call& call, std::stop_token) override {
    if (call.verb == kube::Verb::kList) {
      return {{"metadata", {{"resourceVersion", "1"}}}, {"items", json::Value::array()}};
    }
    writes.push_back(call.verb == kube::Verb::kCreate ? "create" : "update " + call.name);
    if (failures > 0) {
      --failures;
      throw base::Error(failure, "not now");
    }
    return call.body;
  }
  std::string GetPath(const std::string&, std::stop_token) override { return "{}"; }
  void Watch(const kube::Call&, const std::string&, const OnEvent& on_event,
             std::stop_token) override {
    int version = 1;
    for (const Event& event : events_) {
      on_event(
          event.type,
          {{"metadata", {{"name", event.name}, {"resourceVersion", std::to_string(++version)}}}});
    }
    stop_.request_stop();
  }

  std::vector<std::string> writes;
  int failures = 0;  // how many of the next writes fail
  base::Error::Kind failure = base::Error::Kind::kUnavailable;

 private:
  std::vector<Event> events_;
  std::stop_source& stop_;
};

struct Outcome {
  std::vector<std::string> writes;
  std::chrono::steady_clock::duration took;
};

Outcome KeepWhile(std::vector<Teller::Event> events, int failures = 0,
                  base::Error::Kind failure = base::Error::Kind::kUnavailable) {
  std::stop_source stop;
  Teller teller(std::move(events), stop);
  teller.failures = failures;
  teller.failure = failure;
  host::FakeClock clock;
  Metrics metrics;
  OperatorKeeper(teller, clock, metrics, {.release_version = "1"}).Run(stop.get_token());
  return {.writes = teller.writes, .took = clock.Steady().time_since_epoch()};
}

TEST(OperatorKeeper, CreatesAMissingObject) {
  EXPECT_THAT(KeepWhile({}).writes, testing::ElementsAre("create", "update machine-approver"));
}

TEST(OperatorKeeper, WritesAtMostOnceASecond) {
  const Outcome outcome =
      KeepWhile(std::vector<Teller::Event>(5, {"MODIFIED", "machine-approver"}));
  EXPECT_EQ(outcome.writes.size(), 2U + 5U);
  EXPECT_GE(outcome.took, std::chrono::seconds(1 + 5));
}

TEST(OperatorKeeper, RetriesAFailedWriteWithoutAnEvent) {
  const Outcome outcome = KeepWhile({}, 3);
  EXPECT_THAT(outcome.writes, testing::ElementsAre("create", "create", "create", "create",
                                                   "update machine-approver"));
  EXPECT_GE(outcome.took, std::chrono::seconds(3 * 5));
}

TEST(OperatorKeeper, WaitsForTheWatchAfterAConflict) {
  EXPECT_THAT(
      KeepWhile({{"ADDED", "machine-approver"}}, 1, base::Error::Kind::kAlreadyExists).writes,
      testing::ElementsAre("create", "update machine-approver"));
}

TEST(OperatorKeeper, IgnoresAnObjectOfAnotherName) {
  EXPECT_EQ(KeepWhile({{"ADDED", "other"}, {"DELETED", "other"}}).writes.size(), 2U);
}

}  // namespace
}  // namespace reports
