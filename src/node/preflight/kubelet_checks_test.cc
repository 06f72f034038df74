// SPDX-License-Identifier: Apache-2.0
// The checks of the kubelet.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "host/fake_host.h"
#include "pki/certificate.h"
#include "pki/key.h"
#include "preflight/checks.h"
#include "preflight/fake_checks.h"

namespace preflight {
namespace {

using checks::Check;
using checks::Finding;
using checks::RunChecks;
using checks::Severity;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(ChecksTest, RunTheKubeletOnlyOnce) {
  RunChecks(InitChecks(sources_, init_));
  const std::vector<std::string> calls = fake_.processes.calls();
  EXPECT_EQ(std::ranges::count(calls, "kubelet --version"), 1);
  EXPECT_THAT(fake_.processes.changes(), IsEmpty()) << "checks change nothing";
}

TEST_F(ChecksTest, ReportsAMissingKubelet) {
  host::FakeHost bare;
  const auto findings = RunChecks(InitChecks({bare.host, sources_.connect}, init_));
  const auto found = std::ranges::find(findings, "KubeletVersion", &Finding::id);
  ASSERT_NE(found, findings.end());
  EXPECT_THAT(found->what, HasSubstr("not installed"));
}

TEST_F(ChecksTest, WarnsOfMissingGetentIfTheKubeletUsesIt) {
  for (const auto& [version, count] : {std::pair{"v1.37.2", 0}, {"v1.38.0", 1}}) {
    host::FakeHost bare;
    bare.processes.On("kubelet --version", {.out = std::string("Kubernetes ") + version + "\n"});
    const auto findings = RunChecks(JoinChecks({bare.host, sources_.connect}, join_));
    EXPECT_EQ(std::ranges::count(findings, "FileExisting-getent", &Finding::id), count) << version;
  }
}

TEST_F(ChecksTest, RefusesAKubeletThatCannotUseTheClustersKeys) {
  init_.cluster.encryption_algorithm = "ML-DSA-65";
  init_.cluster.kubelet.value = {{"serverCertificateKeyAlgorithm", "ML-DSA-44"}};
  for (const auto& [version, named] :
       {std::pair{"v1.37.2", "of ML-DSA-65"}, {"v1.38.0", "tlsMinVersion to VersionTLS13"}}) {
    fake_.processes.On("kubelet --version", {.out = std::string("Kubernetes ") + version + "\n"});
    for (const auto& list :
         {InitChecks(sources_, init_), JoinClusterChecks(fake_.host, init_.cluster, "")}) {
      const auto findings = RunChecks(list);
      const auto found = std::ranges::find(findings, "KubeletKeyAlgorithm", &Finding::id);
      ASSERT_NE(found, findings.end()) << version;
      EXPECT_EQ(found->severity, Severity::kError);
      EXPECT_THAT(found->what, HasSubstr(named));
    }
  }
  EXPECT_THAT(JoinClusterChecks(fake_.host, {}, ""), IsEmpty());
}

TEST_F(ChecksTest, RefusesAKubeletThatCannotUseTheKeyOfTheDiscoveredCa) {
  fake_.processes.On("kubelet --version", {.out = "Kubernetes v1.37.2\n"});
  const auto ca_of = [](pki::Algorithm algorithm) {
    return pki::NewSelfSignedCa({.subject = {.common_name = "a"}},
                                pki::PrivateKey::Generate(algorithm))
        .Pem();
  };
  const auto findings =
      RunChecks(JoinClusterChecks(fake_.host, init_.cluster, ca_of(pki::Algorithm::kMlDsa65)));
  ASSERT_THAT(findings, testing::SizeIs(1));
  EXPECT_THAT(findings.front().what, HasSubstr("cannot use keys of ML-DSA-65"));
  EXPECT_THAT(JoinClusterChecks(fake_.host, init_.cluster, ca_of(pki::Algorithm::kEcdsaP256)),
              IsEmpty());
}

TEST_F(ChecksTest, RefusesAnAlgorithmThatKubeletsDoNotKnow) {
  fake_.processes.On("kubelet --version", {.out = "Kubernetes v1.38.0\n"});
  init_.cluster.kubelet.value = {{"clientCertificateKeyAlgorithm", "RSA-1"}};
  const auto findings = RunChecks(JoinClusterChecks(fake_.host, init_.cluster, ""));
  ASSERT_THAT(findings, testing::SizeIs(1));
  EXPECT_THAT(findings.front().what,
              AllOf(HasSubstr("clientCertificateKeyAlgorithm: "), HasSubstr("\"RSA-1\"")));
}

TEST_F(ChecksTest, JoinDoesNotCompareTheKubeletWithTheControlPlane) {
  fake_.processes.On("kubelet --version", {.out = "Kubernetes v1.99.0\n"});
  EXPECT_THAT(Complaints(JoinChecks(sources_, join_)), IsEmpty());
}

TEST_F(ChecksTest, TreatTheKubeletAsOneMinorNewerInAnUpgrade) {
  fake_.files.Write("/proc/mounts", "tmpfs /sys/fs/cgroup tmpfs ro 0 0\n", {});
  fake_.files.MakeDirectories("/sys/fs/cgroup/memory", 0755);
  std::string controllers;
  for (const char* name :
       {"cpu", "cpuacct", "cpuset", "devices", "freezer", "memory", "pids", "hugetlb", "blkio"}) {
    controllers += std::string(name) + "\t1\t1\t1\n";
  }
  fake_.files.Write("/proc/cgroups", controllers, {});
  fake_.files.Write(
      "/boot/config-6.1.0-40-amd64",
      std::string(kKernelConfig) +
          "CONFIG_CGROUP_CPUACCT=y\nCONFIG_CGROUP_DEVICE=y\nCONFIG_CGROUP_FREEZER=y\n",
      {});
  fake_.processes.On("kubelet --version", {.out = "Kubernetes v1.34.1\n"});
  EXPECT_THAT(Complaints(InitChecks(sources_, init_)), ElementsAre("W SystemVerification"));
  EXPECT_THAT(Complaints(UpgradeChecks(sources_, "unix:///x", "v1.37.2")),
              ElementsAre("E SystemVerification"));
  // The kubelet is not treated as newer than its control plane.
  EXPECT_THAT(Complaints(UpgradeChecks(sources_, "unix:///x", "v1.34.4")),
              ElementsAre("W SystemVerification"));
}

TEST_F(ChecksTest, WarnOfARuntimeThatIsTooOldAfterTheUpgrade) {
  runtime_.cgroup_driver.reset();
  const auto told = [&](const std::vector<Check>& checks) {
    std::string text;
    for (const Finding& finding : RunChecks(checks)) {
      text += finding.what;
    }
    return text;
  };
  EXPECT_EQ(told(UpgradeChecks(sources_, "unix:///x", "v1.34.4")), "");
  EXPECT_THAT(told(UpgradeChecks(sources_, "unix:///x", "v1.35.4")), HasSubstr("kubelet of 1.36"));
  EXPECT_THAT(told(UpgradeChecks(sources_, "unix:///x", "v1.37.2")), HasSubstr("kubelet of 1.38"));
  fake_.processes.On("kubelet --version", {.out = "Kubernetes v1.36.3\n"});
  EXPECT_THAT(told(JoinChecks(sources_, join_)), HasSubstr("kubelet of 1.37"));
}

}  // namespace
}  // namespace preflight
