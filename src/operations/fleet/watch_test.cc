// SPDX-License-Identifier: Apache-2.0
#include "fleet/watch.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "fleet/fake_fleet.h"
#include "kube/fake_cluster.h"

namespace fleet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class WatchTest : public kube::FakeCluster {
 protected:
  void PutStatus(json::Value status) {
    json::Value object = FakeOperation({{"reboot", json::Value::object()}});
    object["status"] = std::move(status);
    server_.Put(kClusterOperation, object);
  }
  // Watches the operation. Calls `after` each time a state was shown, with the number of shown
  // states.
  void Watch(const std::function<void(std::size_t shown)>& after) {
    const std::string name = "spring";
    WatchOperation({.client = client_,
                    .name = name,
                    .clock = clock_,
                    .show =
                        [&](const json::Value& object) {
                          shown_.push_back(SummaryOf(object));
                          after(shown_.size());
                        }},
                   stop_.get_token());
  }
  std::vector<std::string> shown_;
  std::stop_source stop_;
};

TEST_F(WatchTest, ShowsEachStateOnceUntilTheEnd) {
  PutStatus({{"phase", "Running"}, {"progress", "0/2"}});
  Watch([&](std::size_t shown) {
    if (shown == 1) {
      PutStatus({{"phase", "Complete"}, {"progress", "2/2"}});
    }
  });
  EXPECT_THAT(shown_, ElementsAre("spring: Running, 0/2 done", "spring: Complete, 2/2 done"));
}

TEST_F(WatchTest, FailsWithTheOperationsCause) {
  PutStatus({{"phase", "Failed"}, {"progress", "0/2"}, {"message", "cp: no etcd"}});
  EXPECT_THAT(base::MessageOf([&] { Watch([](std::size_t) {}); }),
              HasSubstr("operation spring has failed: cp: no etcd"));
  EXPECT_THAT(shown_, ElementsAre("spring: Failed, 0/2 done: cp: no etcd"));
}

TEST_F(WatchTest, EndsWhenTheObjectDisappears) {
  PutStatus(nullptr);
  const base::Error error = base::Thrown(
      [&] { Watch([&](std::size_t) { server_.Remove(kClusterOperation, "", "spring"); }); });
  EXPECT_EQ(error.kind(), base::Error::Kind::kNotFound);
  EXPECT_THAT(shown_, ElementsAre("spring: Pending"));
}

TEST_F(WatchTest, LeavesTheOperationAtAnInterrupt) {
  PutStatus({{"phase", "Running"}, {"progress", "0/2"}});
  EXPECT_THROW(Watch([&](std::size_t) { stop_.request_stop(); }), base::Interrupted);
}

TEST(RowsOf, HasARowForEachStepOfANode) {
  const json::Value object = {
      {"status",
       {{"nodes",
         json::Value::array(
             {{{"name", "cp"}, {"step", "v1-36"}, {"stage", "Done"}, {"message", ""}},
              {{"name", "cp"}, {"step", "v1-37"}, {"stage", "Failed"}, {"message", "x"}}})}}}};
  EXPECT_THAT(RowsOf(object), ElementsAre(ElementsAre("NODE", "STEP", "STATE", "MESSAGE"),
                                          ElementsAre("cp", "v1-36", "Done", ""),
                                          ElementsAre("cp", "v1-37", "Failed", "x")));
}

}  // namespace
}  // namespace fleet
