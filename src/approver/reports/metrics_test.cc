// SPDX-License-Identifier: Apache-2.0
#include "reports/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reports {
namespace {

using testing::HasSubstr;

TEST(Metrics, AreInThePrometheusTextFormat) {
  Metrics metrics;
  metrics.SetPending(3, 103);
  metrics.CountDecision("approve", "client-ok");
  metrics.CountDecision("approve", "client-ok");
  metrics.ObserveApproval(std::chrono::milliseconds(300));
  metrics.SetLeader("lease", true);
  const std::string text = metrics.Text();
  for (const char* line :
       {"mapi_current_pending_csr 3\n", "mapi_max_pending_csr 103\n",
        "machine_approver_decisions_total{decision=\"approve\",reason=\"client-ok\"} 2\n",
        "machine_approver_approval_seconds_bucket{le=\"0.25\"} 0\n",
        "machine_approver_approval_seconds_bucket{le=\"0.5\"} 1\n",
        "machine_approver_approval_seconds_bucket{le=\"+Inf\"} 1\n",
        "leader_election_master_status{name=\"lease\"} 1\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

}  // namespace
}  // namespace reports
