// SPDX-License-Identifier: Apache-2.0
#include "fleet/run.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "fleet/fake_fleet.h"
#include "kube/fake_cluster.h"

namespace fleet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kSpace = "slipway-fleet";

class RunTest : public kube::FakeCluster {
 protected:
  void SetUp() override { server_.Put(kube::resources::kNode, FakeReadyNode("cp", true)); }

  // Runs a renewal whose Jobs end with the condition `type`.
  void Run(const char* type) {
    RunOperation(FakeRenewal(),
                 {.client = client_,
                  .clock = clock_,
                  .random = random_,
                  .settings = {.name_space = kSpace, .image = "img"},
                  .identity = "me",
                  .say =
                      [&](const std::string& line) {
                        lines_.push_back(line);
                        if (line.ends_with("Running")) {
                          EndJobs(type);
                        }
                      },
                  .on_end = [&](const std::vector<otlp::Span>& spans) { spans_ = spans; }},
                 {});
  }
  void EndJobs(const char* type) {
    for (json::Value job : client_.List(kube::resources::kJob, kSpace)) {
      job["status"]["conditions"] =
          json::Value::array({{{"type", type}, {"status", "True"}, {"message", "why"}}});
      server_.Put(kube::resources::kJob, job);
    }
  }
  host::FakeRandom random_;
  std::string Holder() {
    return json::TextAt(Stored(kube::resources::kLease, "slipway-fleet", kSpace),
                        {"spec", "holderIdentity"});
  }

  std::vector<std::string> lines_;
  std::vector<otlp::Span> spans_;
};

TEST_F(RunTest, ReportsASpanForTheOperationAndEachNode) {
  Run("Complete");
  ASSERT_EQ(spans_.size(), 2);
  EXPECT_EQ(spans_[0].name, "renewCertificates");
  EXPECT_EQ(spans_[1].name, "cp");
  EXPECT_EQ(spans_[1].parent_id, spans_[0].context.span_id);
  EXPECT_FALSE(spans_[1].failed);
  EXPECT_ANY_THROW(Run("Failed"));
  EXPECT_TRUE(spans_[1].failed);
  EXPECT_TRUE(spans_[0].failed);
}

TEST_F(RunTest, ReportsEachStateOnceAndLeavesNoJobs) {
  Run("Complete");
  EXPECT_THAT(lines_, ElementsAre("cp: Running", "cp: Done"));
  EXPECT_THAT(client_.List(kube::resources::kJob, kSpace), IsEmpty());
  EXPECT_EQ(json::TextAt(Stored(kube::resources::kNamespace, kSpace),
                         {"metadata", "labels", "pod-security.kubernetes.io/enforce"}),
            "privileged");
}

TEST_F(RunTest, ReleasesTheLeaseAfterSuccessAndFailure) {
  Run("Complete");
  EXPECT_EQ(Holder(), "");
  base::MessageOf([&] { Run("Failed"); });
  EXPECT_EQ(Holder(), "");
}

TEST_F(RunTest, NamesTheCauseOfAFailureAndTriesAgain) {
  EXPECT_THAT(base::MessageOf([&] { Run("Failed"); }, base::Error::Kind::kOther),
              HasSubstr("the operation has stopped: cp: why."));
  EXPECT_EQ(client_.List(kube::resources::kJob, kSpace).size(), 1);
  lines_.clear();
  Run("Complete");
  EXPECT_THAT(lines_, ElementsAre("cp: Running", "cp: Done"));
}

}  // namespace
}  // namespace fleet
