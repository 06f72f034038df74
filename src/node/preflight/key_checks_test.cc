// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "host/fake_host.h"
#include "pki/certificate.h"
#include "preflight/judge.h"
#include "preflight/lists.h"

namespace preflight {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class EtcdKeyAlgorithmTest : public testing::Test {
 protected:
  EtcdKeyAlgorithmTest() {
    cluster_.certificates_dir = "/pki";
    cluster_.kubernetes_version = "v1.38.0";
    cluster_.encryption_algorithm = "ML-DSA-65";
    cluster_.etcd.local.emplace();
  }
  void Put(const std::string& name, pki::Algorithm algorithm) {
    const auto key = pki::PrivateKey::Generate(algorithm);
    fake_.files.Write("/pki/" + name + ".crt",
                      pki::NewSelfSignedCa({.subject = {.common_name = "a"}}, key).Pem(), {});
  }
  std::vector<std::string> Errors() {
    const Checks checks = EtcdKeyChecks(fake_.files, cluster_);
    return checks.empty() ? std::vector<std::string>()
                          : checks::WhatOf(checks.front().judge({}), checks::Severity::kError);
  }

  host::FakeHost fake_;
  config::ClusterConfiguration cluster_;
};

TEST_F(EtcdKeyAlgorithmTest, RefusesMlDsaForALocalEtcd) {
  EXPECT_THAT(Errors(), ElementsAre(HasSubstr("keys: /pki/etcd/ca.crt. Issue")));
  cluster_.encryption_algorithm = "ECDSA-P256";
  EXPECT_THAT(Errors(), IsEmpty());
  Put("etcd/ca", pki::Algorithm::kMlDsa44);
  EXPECT_THAT(Errors(), ElementsAre(HasSubstr("keys: /pki/etcd/ca.crt. Issue")))
      << "the user's CA, whatever the field says";
  fake_.files.Remove("/pki/etcd/ca.crt");
  cluster_.encryption_algorithm = "ML-DSA-44";
  cluster_.etcd.local.reset();
  EXPECT_THAT(Errors(), IsEmpty());
}

TEST_F(EtcdKeyAlgorithmTest, AcceptsAnExistingCa) {
  Put("etcd/ca", pki::Algorithm::kEcdsaP256);
  EXPECT_THAT(Errors(), IsEmpty());
  Put("apiserver-etcd-client", pki::Algorithm::kMlDsa65);
  EXPECT_THAT(Errors(), ElementsAre(HasSubstr(": /pki/apiserver-etcd-client.crt. Issue")));
  Put("apiserver-etcd-client", pki::Algorithm::kEcdsaP256);
  EXPECT_THAT(Errors(), IsEmpty());
}

class TokenKeyAlgorithmTest : public testing::Test {
 protected:
  TokenKeyAlgorithmTest() {
    init_.cluster.certificates_dir = "/pki";
    init_.cluster.kubernetes_version = "v1.38.0-beta.0";
    init_.cluster.encryption_algorithm = "ML-DSA-65";
  }
  bool IsRefused() {
    const Checks checks = KeyChecks(fake_.files, init_.cluster);
    const auto check = std::ranges::find(checks, "TokenKeyAlgorithm", &Check::id);
    return check != checks.end() &&
           !checks::WhatOf(check->judge({}), checks::Severity::kError).empty();
  }
  bool IsRefused(const std::string& name, const std::string& value) {
    init_.cluster.api_server.component.extra_args = {{.name = name, .value = value}};
    init_.cluster.controller_manager.extra_args = {{.name = name, .value = value}};
    return IsRefused();
  }

  host::FakeHost fake_;
  config::Init init_;
};

TEST_F(TokenKeyAlgorithmTest, RefusesMlDsaWithoutTheFeatureGate) {
  EXPECT_TRUE(IsRefused());
  EXPECT_TRUE(IsRefused("feature-gates", "CertificateSigningRequestMLDSA=true"));
  EXPECT_TRUE(IsRefused("feature-gates", "ServiceAccountTokenMLDSA"));
  EXPECT_TRUE(IsRefused("min-compatibility-version", "1.37"));
  EXPECT_FALSE(IsRefused("feature-gates", "A=false,ServiceAccountTokenMLDSA=true"));
  EXPECT_FALSE(IsRefused("feature-gates", "kube:ServiceAccountTokenMLDSA=1"));
  EXPECT_FALSE(IsRefused("feature-gates", "AllBeta=true"));
  EXPECT_TRUE(IsRefused("feature-gates", "ServiceAccountTokenMLDSA=false,AllBeta=true"));
  EXPECT_FALSE(IsRefused("min-compatibility-version", "1.38"));
  EXPECT_FALSE(IsRefused("min-compatibility-version", "kube=1.38"));
}

TEST_F(TokenKeyAlgorithmTest, RefusesOneComponentWithoutTheFeatureGate) {
  EXPECT_FALSE(IsRefused("feature-gates", "ServiceAccountTokenMLDSA=true"));
  init_.cluster.controller_manager.extra_args.clear();
  EXPECT_TRUE(IsRefused());
}

TEST_F(TokenKeyAlgorithmTest, FindsTheFeatureGateInARepeatedArgument) {
  init_.cluster.api_server.component.extra_args = {
      {.name = "feature-gates", .value = "ServiceAccountTokenMLDSA=true"},
      {.name = "feature-gates", .value = "CertificateSigningRequestMLDSA=true"}};
  init_.cluster.controller_manager.extra_args = init_.cluster.api_server.component.extra_args;
  EXPECT_FALSE(IsRefused());
  init_.cluster.controller_manager.extra_args[1].value = "ServiceAccountTokenMLDSA=false";
  EXPECT_TRUE(IsRefused());
}

TEST_F(TokenKeyAlgorithmTest, AcceptsVersionsThatHaveTheGateOnByDefault) {
  init_.cluster.kubernetes_version = "v1.39.0";
  EXPECT_FALSE(IsRefused());
  EXPECT_TRUE(IsRefused("feature-gates", "ServiceAccountTokenMLDSA=false"));
}

TEST_F(TokenKeyAlgorithmTest, RefusesAComponentThatBehavesAsAnEarlierVersion) {
  EXPECT_FALSE(IsRefused("feature-gates", "ServiceAccountTokenMLDSA=true"));
  init_.cluster.api_server.component.extra_args.push_back(
      {.name = "emulated-version", .value = "kube=1.37"});
  EXPECT_TRUE(IsRefused());
  init_.cluster.api_server.component.extra_args.back().value = "1.38";
  EXPECT_FALSE(IsRefused());
}

TEST_F(TokenKeyAlgorithmTest, JudgesThePrivateKeyIfThereIsNoPublicKey) {
  fake_.files.Write("/pki/sa.key", pki::PrivateKey::Generate(pki::Algorithm::kEcdsaP256).Pem(), {});
  EXPECT_FALSE(IsRefused());
  init_.cluster.encryption_algorithm = "ECDSA-P256";
  fake_.files.Write("/pki/sa.key", pki::PrivateKey::Generate(pki::Algorithm::kMlDsa44).Pem(), {});
  EXPECT_TRUE(IsRefused());
}

TEST_F(TokenKeyAlgorithmTest, AcceptsAnExistingKeyOfAnotherAlgorithm) {
  const auto key = pki::PrivateKey::Generate(pki::Algorithm::kEcdsaP256);
  fake_.files.Write("/pki/sa.pub", key.Public().Pem(), {});
  EXPECT_FALSE(IsRefused());
  init_.cluster.encryption_algorithm = "ECDSA-P256";
  fake_.files.Write("/pki/sa.pub",
                    pki::PrivateKey::Generate(pki::Algorithm::kMlDsa44).Public().Pem(), {});
  EXPECT_TRUE(IsRefused());
}

class KeyAlgorithmTest : public testing::Test {
 protected:
  KeyAlgorithmTest() {
    cluster_.certificates_dir = "/pki";
    cluster_.kubernetes_version = "v1.37.2";
    const auto key = pki::PrivateKey::Generate(pki::Algorithm::kMlDsa65);
    fake_.files.Write("/pki/ca.crt",
                      pki::NewSelfSignedCa({.subject = {.common_name = "a"}}, key).Pem(), {});
  }
  std::vector<std::string> Errors(std::string_view id) {
    for (const Check& check : KeyChecks(fake_.files, cluster_)) {
      if (check.id == id) {
        return checks::WhatOf(check.judge({}), checks::Severity::kError);
      }
    }
    return {};
  }

  host::FakeHost fake_;
  config::ClusterConfiguration cluster_;
};

TEST_F(KeyAlgorithmTest, RefusesTheUsersMlDsaKeysBeforeV138) {
  EXPECT_THAT(Errors("KeyAlgorithm"),
              ElementsAre(HasSubstr("Kubernetes v1.37.2 cannot use ML-DSA keys, and these files "
                                    "have such keys: /pki/ca.crt")));
  cluster_.kubernetes_version = "v1.38.0-beta.0";
  EXPECT_THAT(Errors("KeyAlgorithm"), IsEmpty());
}

TEST_F(KeyAlgorithmTest, AdvisesNoFeatureGateThatTheVersionDoesNotKnow) {
  fake_.files.Write("/pki/sa.key", pki::PrivateKey::Generate(pki::Algorithm::kMlDsa44).Pem(), {});
  EXPECT_THAT(Errors("TokenKeyAlgorithm"), IsEmpty());
  EXPECT_THAT(Errors("KeyAlgorithm"), ElementsAre(HasSubstr("/pki/ca.crt, /pki/sa.key")));
}

TEST_F(KeyAlgorithmTest, IsThatOfTheExistingCaOrOfNewCertificates) {
  EXPECT_EQ(ClusterKeyAlgorithm(fake_.files, cluster_), "ML-DSA-65");
  cluster_.encryption_algorithm = "ML-DSA-44";
  const auto key = pki::PrivateKey::Generate(pki::Algorithm::kEcdsaP256);
  EXPECT_EQ(ClusterKeyAlgorithm(pki::NewSelfSignedCa({.subject = {.common_name = "a"}}, key).Pem(),
                                cluster_),
            "ML-DSA-44")
      << "the API server's certificate has such a key";
  EXPECT_EQ(ClusterKeyAlgorithm("not a certificate", cluster_), "ML-DSA-44");
  fake_.files.Remove("/pki/ca.crt");
  cluster_.encryption_algorithm = "ECDSA-P256";
  EXPECT_EQ(ClusterKeyAlgorithm(fake_.files, cluster_), "ECDSA-P256");
}

TEST(AcceptsMlDsaRequests, DependsOnTheFeatureGateOfTheApiServer) {
  config::ClusterConfiguration cluster;
  cluster.kubernetes_version = "v1.38.0";
  EXPECT_FALSE(AcceptsMlDsaRequests(cluster));
  cluster.api_server.component.extra_args = {
      {.name = "feature-gates", .value = "CertificateSigningRequestMLDSA=true"}};
  EXPECT_TRUE(AcceptsMlDsaRequests(cluster));
  cluster.api_server.component.extra_args = {
      {.name = "min-compatibility-version", .value = "1.38"}};
  EXPECT_TRUE(AcceptsMlDsaRequests(cluster));
}

}  // namespace
}  // namespace preflight
