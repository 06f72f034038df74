// SPDX-License-Identifier: Apache-2.0
#include "steps/init/steps.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "host/fake_host.h"
#include "workflow/fake_context.h"

namespace init_steps {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class InitStepsTest : public testing::Test {
 protected:
  host::FakeHost fake_;
  std::unique_ptr<steps::World> machine_ = steps::ChooseWorld(fake_.host, false, {});
  std::unique_ptr<steps::World> dry_ = steps::ChooseWorld(fake_.host, true, {});
  InitData data_{*machine_};
  InitData dry_data_{*dry_};
  workflow::FakeContext context_;
};

TEST_F(InitStepsTest, AnApproverIsInstalledOnlyWhenItIsAskedFor) {
  EXPECT_FALSE(HasApprover(data_));
  data_.init_options.approver = addons::ApproverProgram{.image = "a"};
  EXPECT_TRUE(HasApprover(data_));
}

TEST_F(InitStepsTest, AnOperatorIsInstalledOnlyWhenItIsAskedFor) {
  EXPECT_FALSE(HasFleet(data_));
  data_.init_options.fleet = addons::FleetImages{.slipway_operator = "r/o:1", .kubeadm = "r/k:1"};
  EXPECT_TRUE(HasFleet(data_));
}

TEST_F(InitStepsTest, CertificatesAreUploadedOnlyOnRequest) {
  UploadCertificates(data_, context_);
  EXPECT_THAT(context_.lines, ElementsAre(HasSubstr("runs with --upload-certs")));
  EXPECT_EQ(data_.CertificateKey(), std::nullopt);
}

TEST_F(InitStepsTest, TreatsAMissingCaAsNotExternal) {
  data_.config.cluster.certificates_dir = "/etc/kubernetes/pki";
  data_.init_options.upload_certs = true;
  data_.init_options.approver = addons::ApproverProgram{.image = "a"};
  DetectExternalCas(data_);
  EXPECT_FALSE(data_.external_ca);
}

TEST_F(InitStepsTest, WaitsForNoPodsInADryRun) {
  EXPECT_TRUE(RunsPods(data_));
  EXPECT_FALSE(RunsPods(dry_data_));
}

TEST_F(InitStepsTest, TheWaitForTheKubeletNeedsTheAdministratorsFile) {
  data_.options.kubeconfig_dir = "/etc/kubernetes";
  EXPECT_THROW(WaitForKubelet(data_, context_), base::Error);
  EXPECT_THAT(context_.lines, IsEmpty()) << "known before anything is waited for";
}

TEST_F(InitStepsTest, EndsTheWaitForTheRulesIfTheAdministratorIsRefused) {
  EXPECT_THROW(WaitForRules(data_, context_), base::Error);
}

TEST_F(InitStepsTest, TheKubeletsOwnFileStaysUntilItHasItsCertificate) {
  EnableClientCertRotation(data_, context_);
  EXPECT_THAT(context_.lines, IsEmpty());
  EnableClientCertRotation(dry_data_, context_);
  EXPECT_THAT(context_.lines, ElementsAre(HasSubstr("kubelet.conf")));
}

TEST_F(InitStepsTest, TheJoinCommandShowsAKeyThatWasSet) {
  data_.SetCertificateKey("k");
  EXPECT_EQ(data_.CertificateKey(), "k");
}

}  // namespace
}  // namespace init_steps
