// SPDX-License-Identifier: Apache-2.0
#include "steps/join/steps.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "base/fake_error.h"
#include "host/fake_host.h"
#include "workflow/fake_context.h"
#include "workflow/resume.h"

namespace join_steps {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class JoinStepsTest : public testing::Test {
 protected:
  host::FakeHost fake_;
  std::unique_ptr<steps::World> machine_ = steps::ChooseWorld(fake_.host, false, {});
  std::unique_ptr<steps::World> dry_ = steps::ChooseWorld(fake_.host, true, {});
  JoinData data_{*machine_};
  JoinData dry_data_{*dry_};
  workflow::FakeContext context_;
};

TEST_F(JoinStepsTest, JoinsAsAControlPlaneIfTheConfigurationSaysSo) {
  EXPECT_FALSE(IsControlPlane(data_));
  data_.join.control_plane.emplace();
  EXPECT_TRUE(IsControlPlane(data_));
}

TEST_F(JoinStepsTest, ReportsAllObstaclesToAnotherControlPlaneTogether) {
  data_.config.cluster.certificates_dir = "/etc/kubernetes/pki";
  const base::Error error = base::Thrown([&] { CheckControlPlane(data_, context_); });
  EXPECT_THAT(error.message(), HasSubstr("--upload-certs"));
  EXPECT_THAT(error.message(), HasSubstr("controlPlaneEndpoint"));
  EXPECT_THAT(error.message(), HasSubstr("/etc/kubernetes/pki/sa.key"));
  EXPECT_THAT(context_.lines, IsEmpty());
}

TEST_F(JoinStepsTest, NeedsNoSharedFilesWithACertificateKey) {
  data_.config.cluster.certificates_dir = "/etc/kubernetes/pki";
  data_.config.init.certificate_key = std::string(64, 'a');
  const base::Error error = base::Thrown([&] { CheckControlPlane(data_, context_); });
  EXPECT_THAT(error.message(), Not(HasSubstr("sa.key")));
  EXPECT_THAT(error.message(), Not(HasSubstr("--certificate-key")));
  EXPECT_THAT(error.message(), HasSubstr("kubeadm endpoint set"));
}

TEST_F(JoinStepsTest, WarnsWhileTheClusterSoaks) {
  data_.config.cluster.kubernetes_version = "v1.37.2";
  EXPECT_THROW(CheckControlPlane(data_, context_), base::Error);
  EXPECT_THAT(context_.warnings, IsEmpty());
  data_.config.cluster.api_server.component.extra_args = {
      {.name = "emulated-version", .value = "1.36"}};
  EXPECT_THROW(CheckControlPlane(data_, context_), base::Error);
  EXPECT_THAT(context_.warnings, ElementsAre(HasSubstr("behaves as v1.36")));
}

TEST_F(JoinStepsTest, UsesTheAdminConfOfAResumedJoinOnlyForTheSameCluster) {
  const std::string path = "/etc/kubernetes/admin.conf";
  fake_.files.Write(path, "made", {});
  for (const bool changed : {true, false}) {
    workflow::OpenJournal(fake_.host, "join", {"a"})
        ->FileWritten("phase", path, workflow::FileHash("made"));
    const auto journal = workflow::OpenJournal(fake_.host, "join", {changed ? "b" : "a"});
    data_.given.emplace();
    Resume(data_, *journal);
    EXPECT_EQ(data_.given.has_value(), !changed);
  }
}

TEST_F(JoinStepsTest, UsesTheUsersOwnAdminConf) {
  fake_.files.Write("/etc/kubernetes/admin.conf", "the user's", {});
  const auto journal = workflow::OpenJournal(fake_.host, "join", {"a"});
  data_.given.emplace();
  Resume(data_, *journal);
  EXPECT_TRUE(data_.given.has_value());
}

TEST_F(JoinStepsTest, RequestsNoCertificatesWithoutAKey) {
  data_.join.control_plane.emplace();
  ShareCertificates(data_, context_);
  EXPECT_THAT(context_.lines, ElementsAre(HasSubstr("Skipping phase")));
}

TEST_F(JoinStepsTest, ADryRunDoesNotWaitForTheCertificate) {
  WaitForBootstrap(dry_data_, context_);
  EXPECT_THAT(context_.lines, ElementsAre(HasSubstr("Would wait for the kubelet")));
}

}  // namespace
}  // namespace join_steps
