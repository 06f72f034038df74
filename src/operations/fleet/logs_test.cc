// SPDX-License-Identifier: Apache-2.0
#include "fleet/logs.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "fleet/fake_fleet.h"
#include "kube/fake_cluster.h"

namespace fleet {
namespace {

using testing::HasSubstr;

class LogsTest : public kube::FakeCluster {
 protected:
  void PutPod(const std::string& name, const std::string& node, const std::string& created) {
    json::Value pod = FakePod(name, node, "Job");
    pod["metadata"]["namespace"] = "ns";
    pod["metadata"]["labels"] = {{"operations.slipway/operation", "spring"}};
    pod["metadata"]["creationTimestamp"] = created;
    server_.Put(kube::resources::kPod, pod);
  }
  void PutLog(const std::string& pod, const std::string& text) {
    server_.SetText("/api/v1/namespaces/ns/pods/" + pod + "/log", 200, text);
  }
  std::vector<TaskLog> Logs(const std::string& node = "") {
    return CollectLogs(client_, {.operation = "spring", .name_space = "ns", .node = node});
  }
};

TEST_F(LogsTest, ReadsThePodsInTheOrderOfTheirCreation) {
  PutPod("b", "cp-1", "2026-01-01T00:00:00Z");
  PutPod("a", "cp-2", "2026-01-01T00:00:05Z");
  PutLog("a", "second\n");
  PutLog("b", "first\n");
  const std::vector<TaskLog> logs = Logs();
  ASSERT_EQ(logs.size(), 2);
  EXPECT_EQ(logs[0].text, "first\n");
  EXPECT_EQ(logs[0].node, "cp-1");
  EXPECT_EQ(logs[1].text, "second\n");
}

TEST_F(LogsTest, SaysWhyAPodHasNoLogAndReadsTheOthers) {
  PutPod("a", "cp-1", "2026-01-01T00:00:00Z");
  PutPod("b", "cp-2", "2026-01-01T00:00:05Z");
  PutLog("b", "text");
  const std::vector<TaskLog> logs = Logs();
  ASSERT_EQ(logs.size(), 2);
  EXPECT_NE(logs[0].problem, "");
  EXPECT_EQ(logs[1].text, "text");
}

TEST_F(LogsTest, KeepsTheEndOfALongLog) {
  PutPod("a", "cp-1", "2026-01-01T00:00:00Z");
  PutLog("a", std::string(2 << 20, 'x') + "end");
  EXPECT_EQ(Logs()[0].text.size(), 1 << 20);
  EXPECT_TRUE(Logs()[0].text.ends_with("end"));
}

TEST_F(LogsTest, RefusesNamesThatWouldChangeTheRequest) {
  EXPECT_THAT(base::MessageOf([&] { Logs("a,b=c"); }), HasSubstr("is not the name of a node"));
  EXPECT_THAT(base::MessageOf([&] {
                CollectLogs(client_, {.operation = "x", .name_space = "../x", .node = ""});
              }),
              HasSubstr("is not the name of a namespace"));
}

}  // namespace
}  // namespace fleet
