// SPDX-License-Identifier: Apache-2.0
#include "certs/period.h"

#include <gmock/gmock.h>

#include <thread>

#include "base/error.h"
#include "certs/tree.h"

namespace certs {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using std::chrono::sys_seconds;
using testing::HasSubstr;

constexpr sys_seconds kNow{std::chrono::sys_days{std::chrono::year(2026) / 11 / 21}};

pki::Certificate Valid(sys_seconds from, sys_seconds until) {
  return pki::NewSelfSignedCa(
      {.subject = {.common_name = "x"}, .not_before = from, .not_after = until},
      pki::PrivateKey::Generate(pki::Algorithm::kEcdsaP256));
}

TEST(PeriodTest, ValidityIsConfiguredOrTheDefault) {
  config::ClusterConfiguration cluster;
  EXPECT_EQ(LeafValidity(cluster), hours(8760));
  EXPECT_EQ(CaValidity(cluster), hours(87600));
  cluster.certificate_validity_period = hours(240);
  cluster.ca_certificate_validity_period = hours(2400);
  EXPECT_EQ(LeafValidity(cluster), hours(240));
  EXPECT_EQ(CaValidity(cluster), hours(2400));
  EXPECT_EQ(EndOf(kNow, std::chrono::milliseconds(1999)), kNow + seconds(1));
}

TEST(PeriodTest, UsesTheConfiguredAlgorithmUnlessAGateIsSet) {
  config::ClusterConfiguration cluster;
  cluster.kubernetes_version = "v1.36.3";
  EXPECT_EQ(AlgorithmFor(cluster), pki::Algorithm::kRsa2048);
  cluster.encryption_algorithm = "RSA-4096";
  EXPECT_EQ(AlgorithmFor(cluster), pki::Algorithm::kRsa4096);
  cluster.feature_gates["PublicKeysECDSA"] = false;
  EXPECT_EQ(AlgorithmFor(cluster), pki::Algorithm::kRsa2048);
  cluster.feature_gates["PublicKeysECDSA"] = true;
  EXPECT_EQ(AlgorithmFor(cluster), pki::Algorithm::kEcdsaP256);
  cluster.feature_gates.clear();
  cluster.encryption_algorithm = "DSA";
  EXPECT_THROW(AlgorithmFor(cluster), base::Error);
}

TEST(PeriodTest, EtcdUsesTheAlgorithmOfItsCaInAClusterWithMlDsa) {
  const auto ca = [](pki::Algorithm algorithm) {
    return pki::NewSelfSignedCa({.subject = {.common_name = "x"}},
                                pki::PrivateKey::Generate(algorithm));
  };
  const pki::Certificate ecdsa = ca(pki::Algorithm::kEcdsaP384);
  config::ClusterConfiguration cluster;
  cluster.kubernetes_version = "v1.38.0";
  cluster.encryption_algorithm = "RSA-2048";
  EXPECT_EQ(FindEtcdAlgorithm(cluster, kEtcdCa, ecdsa), std::nullopt);
  cluster.encryption_algorithm = "ML-DSA-65";
  EXPECT_EQ(FindEtcdAlgorithm(cluster, kEtcdCa, ecdsa), pki::Algorithm::kEcdsaP384);
  EXPECT_EQ(FindEtcdAlgorithm(cluster, kCa, ecdsa), std::nullopt);
  EXPECT_EQ(FindEtcdAlgorithm(cluster, kEtcdCa, ca(pki::Algorithm::kMlDsa44)), std::nullopt);
}

TEST(PeriodTest, EcdsaCertificatesHaveKeyEnciphermentBeforeV138) {
  config::ClusterConfiguration cluster;
  cluster.kubernetes_version = "v1.37.2";
  EXPECT_TRUE(EcdsaEnciphers(cluster));
  cluster.kubernetes_version = "v1.38.0-beta.0";
  EXPECT_FALSE(EcdsaEnciphers(cluster));
}

TEST(PeriodTest, IncludesBothEndsOfThePeriod) {
  const pki::Certificate certificate = Valid(kNow, kNow + hours(1));
  EXPECT_EQ(PeriodProblem(certificate, kNow), std::nullopt);
  EXPECT_EQ(PeriodProblem(certificate, kNow + hours(1)), std::nullopt);
  EXPECT_EQ(PeriodProblem(certificate, kNow + hours(1) + seconds(1)),
            "it expired at 2026-11-21T01:00:00Z");
  EXPECT_EQ(PeriodProblem(certificate, kNow - seconds(1)),
            "it is not valid before 2026-11-21T00:00:00Z");
}

TEST(PeriodLogTest, WarnsOnceForEachName) {
  PeriodLog log(kNow);
  const pki::Certificate old = Valid(kNow - hours(2), kNow - hours(1));
  testing::internal::CaptureStderr();
  EXPECT_TRUE(log.Check("ca", old));
  EXPECT_FALSE(log.Check("ca", old));
  EXPECT_TRUE(log.Check("etcd-ca", old));
  EXPECT_FALSE(log.Check("apiserver", Valid(kNow, kNow + hours(1))));
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("certificate ca is used although"));
}

}  // namespace
}  // namespace certs
