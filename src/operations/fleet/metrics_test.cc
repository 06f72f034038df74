// SPDX-License-Identifier: Apache-2.0
#include "fleet/metrics.h"

#include <gmock/gmock.h>

namespace fleet {
namespace {

using testing::HasSubstr;
using testing::Not;

json::Value Begun(const std::string& phase) {
  return {{"metadata", {{"name", "up"}}},
          {"status",
           {{"phase", phase},
            {"nodes", json::Value::array({{{"name", "cp"}, {"stage", "Done"}},
                                          {{"name", "w"}, {"stage", "Draining"}}})}}}};
}

TEST(OperatorMetrics, CountObjectsOnlyAfterAPass) {
  OperatorMetrics metrics;
  EXPECT_THAT(metrics.Text(), HasSubstr("leader_election_master_status{name=\"slipway-fleet\"} 0"));
  EXPECT_THAT(metrics.Text(), Not(HasSubstr("slipway_operations")));
  metrics.SetLeads(true);
  metrics.CountObjects({});
  EXPECT_THAT(metrics.Text(), HasSubstr("leader_election_master_status{name=\"slipway-fleet\"} 1"));
  EXPECT_THAT(metrics.Text(), HasSubstr("slipway_operations{phase=\"Failed\"} 0\n"));
  EXPECT_THAT(metrics.Text(), HasSubstr("slipway_operations_stalled 0\n"));
}

TEST(OperatorMetrics, HaveTheTasksOfTheOperationThatRuns) {
  OperatorMetrics metrics;
  metrics.CountObjects(std::vector<json::Value>{Begun("Running")});
  const std::string nodes = "slipway_operation_nodes{operation=\"up\",stage=";
  EXPECT_THAT(metrics.Text(), HasSubstr(nodes + "\"Done\"} 1\n"));
  EXPECT_THAT(metrics.Text(), HasSubstr(nodes + "\"Draining\"} 1\n"));
  EXPECT_THAT(metrics.Text(), HasSubstr(nodes + "\"Running\"} 0\n"));
  metrics.CountObjects(std::vector<json::Value>{Begun("Complete")});
  EXPECT_THAT(metrics.Text(), Not(HasSubstr(nodes)));
}

TEST(OperatorMetrics, CountStalledObjectsUntilTheyFail) {
  json::Value object = Begun("Running");
  object["status"]["conditions"] = json::Value::array(
      {{{"type", "Stalled"}, {"status", "True"}, {"lastTransitionTime", "2026-01-01T00:00:00Z"}}});
  OperatorMetrics metrics;
  metrics.CountObjects(std::vector{object});
  EXPECT_THAT(metrics.Text(), HasSubstr("slipway_operations_stalled 1\n"));
  object["status"]["phase"] = "Failed";
  metrics.CountObjects(std::vector{object});
  EXPECT_THAT(metrics.Text(), HasSubstr("slipway_operations_stalled 0\n"));
}

TEST(OperatorMetrics, CountFailedPasses) {
  OperatorMetrics metrics;
  metrics.CountFailedPass();
  metrics.CountFailedPass();
  EXPECT_THAT(metrics.Text(), HasSubstr("slipway_operator_failed_passes_total 2\n"));
}

}  // namespace
}  // namespace fleet
