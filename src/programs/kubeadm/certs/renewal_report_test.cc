#include "kubeadm/certs/renewal_report.h"

#include <gmock/gmock.h>

#include "certs/fake_context.h"

namespace kubeadm {
namespace {

using std::chrono::hours;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

class RenewalReportTest : public testing::Test {
 protected:
  RenewalReportTest() {
    context_.MakeAll();
    // A moment at which the certificates, which last a year, have a month left.
    context_.fake.clock.Set(certs::FakeContext::kStart + hours(24 * 335));
  }

  renewal::RunResult Run(const renewal::RunOptions& options) {
    return RunRenewal(renewal::ManagedRows(context_.config.cluster), context_.config, options,
                      context_.fake.host,
                      [this](const std::string& line) { lines_.push_back(line); });
  }

  certs::FakeContext context_;
  std::vector<std::string> lines_;
};

TEST_F(RenewalReportTest, ADryRunSaysWhatItWouldDo) {
  context_.fake.files.Write("/etc/kubernetes/manifests/kube-apiserver.yaml", "kind: Pod\n", {});
  const renewal::RunResult result = Run({.dry_run = true, .restart = true});
  EXPECT_EQ(lines_.back(), "kube-apiserver would be restarted");
  EXPECT_THAT(lines_, Contains(HasSubstr(" would be renewed")));
  EXPECT_EQ(json::Compact(ResultObject(result)).find(R"("dryRun":false)"), std::string::npos);
}

TEST_F(RenewalReportTest, WhatLastsLongEnoughIsSaidToo) {
  Run({.within = hours(24 * 29)});
  EXPECT_THAT(lines_, Contains(HasSubstr("is valid until")));
}

TEST_F(RenewalReportTest, TheResultHasARowForEachCertificate) {
  const json::Ordered object = ResultObject(Run({}));
  EXPECT_EQ(object["kind"], "CertificateRenewal");
  EXPECT_EQ(object["certificates"].size(), 11U);
  EXPECT_EQ(json::Compact(object["certificates"][0]),
            R"({"name":"admin.conf","outcome":"missing"})");
  EXPECT_EQ(object["certificates"][1]["name"], "apiserver");
  EXPECT_EQ(object["certificates"][1]["outcome"], "renewed");
  EXPECT_THAT(object["restarted"], IsEmpty());
}

TEST_F(RenewalReportTest, TheSummaryNamesWhatExpiresNext) {
  EXPECT_THAT(RenewalSummary(Run({.within = hours(1)})),
              HasSubstr("nothing to renew; next to expire: apiserver at "));
  EXPECT_THAT(RenewalSummary(Run({})), HasSubstr("renewed apiserver, apiserver-etcd-client"));
}

}  // namespace
}  // namespace kubeadm
