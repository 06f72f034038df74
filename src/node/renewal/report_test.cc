// SPDX-License-Identifier: Apache-2.0
#include "renewal/report.h"

#include <gmock/gmock.h>

#include "certs/fake_context.h"
#include "json/value.h"

namespace renewal {
namespace {

using std::chrono::hours;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class RenewalReportTest : public testing::Test {
 protected:
  RenewalReportTest() {
    context_.MakeAll();
    // At this time, the certificates, which are valid for a year, have a month left.
    context_.fake.clock.Set(certs::FakeContext::kStart + hours(24 * 335));
  }

  RunContext Context() {
    return {.host = context_.fake.host, .reporter = reporter_, .config = context_.config};
  }
  RunResult Renew(const RunOptions& options) {
    return renewal::Run(ManagedRows(context_.config.cluster), options, Context());
  }

  certs::FakeContext context_;
  std::vector<std::string> lines_;
  workflow::Reporter reporter_{
      context_.fake.clock, {[this](const workflow::Event& event) {
        if (const auto* message = std::get_if<workflow::event::Message>(&event.what)) {
          lines_.push_back(message->text);
        }
      }}};
};

TEST_F(RenewalReportTest, APlanListsTheActions) {
  context_.fake.files.Write("/etc/kubernetes/manifests/kube-apiserver.yaml", "kind: Pod\n", {});
  const RunResult result =
      renewal::Plan(ManagedRows(context_.config.cluster), {.restart = true}, Context());
  EXPECT_THAT(RestartLines(result), ElementsAre("kube-apiserver would be restarted"));
  EXPECT_THAT(lines_, Contains(HasSubstr(" would be renewed")));
  EXPECT_EQ(json::Compact(ObjectOf(result)).find(R"("dryRun":false)"), std::string::npos);
}

TEST_F(RenewalReportTest, ReportsCertificatesThatAreNotDue) {
  Renew({.within = hours(24 * 29)});
  EXPECT_THAT(lines_, Contains(HasSubstr("is valid until")));
}

TEST_F(RenewalReportTest, TheResultHasARowForEachCertificate) {
  const json::Ordered object = ObjectOf(Renew({}));
  EXPECT_EQ(object["kind"], "CertificateRenewal");
  EXPECT_EQ(object["certificates"].size(), 11U);
  EXPECT_EQ(json::Compact(object["certificates"][0]),
            R"({"name":"admin.conf","outcome":"missing"})");
  EXPECT_EQ(object["certificates"][1]["name"], "apiserver");
  EXPECT_EQ(object["certificates"][1]["outcome"], "renewed");
  EXPECT_THAT(object["restarted"], IsEmpty());
}

TEST_F(RenewalReportTest, TheSummaryNamesTheNextCertificateToExpire) {
  EXPECT_THAT(TextOf(Renew({.within = hours(1)})),
              HasSubstr("nothing to renew; next to expire: apiserver at "));
  EXPECT_THAT(TextOf(Renew({})), HasSubstr("renewed apiserver, apiserver-etcd-client"));
}

}  // namespace
}  // namespace renewal
