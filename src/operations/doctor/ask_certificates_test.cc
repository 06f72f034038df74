// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "doctor/fake_sources.h"
#include "kube/kubeconfig.h"
#include "pki/certificate.h"
#include "pki/key.h"

namespace doctor {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr auto kYear = std::chrono::days(365);

// A CA. Its functions write its key pair, and leaf certificates that it signs, to files of a node.
struct Authority {
  pki::KeyPair pair;

  explicit Authority(const std::string& name) : pair(Make(name)) {}

  static pki::KeyPair Make(const std::string& name) {
    const pki::PrivateKey key = pki::PrivateKey::Generate(pki::Algorithm::kEcdsaP256);
    return {pki::NewSelfSignedCa(Spec(name), key), key};
  }
  static pki::CertificateSpec Spec(const std::string& name) {
    const auto now = host::FakeClock::kStart;
    return {.subject = {.common_name = name},
            .usages = {pki::ExtendedKeyUsage::kServerAuth},
            .not_before = now,
            .not_after = now + kYear};
  }
  void Save(FakeSources& node, const std::string& base) const {
    node.Write("/etc/kubernetes/pki/" + base + ".crt", pair.certificate.Pem());
    node.Write("/etc/kubernetes/pki/" + base + ".key", pair.key.Pem());
  }
  void SaveLeaf(FakeSources& node, const std::string& base) const {
    const pki::PrivateKey key = pki::PrivateKey::Generate(pki::Algorithm::kEcdsaP256);
    node.Write("/etc/kubernetes/pki/" + base + ".crt",
               pki::Sign(Spec(base), key.Public(), pair).Pem());
    node.Write("/etc/kubernetes/pki/" + base + ".key", key.Pem());
  }
};

const CertificateFact& Named(const Facts& facts, const std::string& name) {
  const auto found = std::ranges::find(facts.certificates, name, &CertificateFact::name);
  EXPECT_NE(found, facts.certificates.end()) << name;
  return *found;
}

TEST(CollectCertificates, ComparesCertificatesWithTheirCaAndTheirKeys) {
  FakeSources node;
  const Authority ca("kubernetes");
  const Authority other("kubernetes");
  ca.Save(node, "ca");
  ca.SaveLeaf(node, "apiserver");
  other.SaveLeaf(node, "apiserver-kubelet-client");
  node.Write("/etc/kubernetes/pki/apiserver.key", other.pair.key.Pem());
  node.Write("/etc/kubernetes/admin.conf", "garbage: [");
  const Facts facts = After(CollectCertificates(node.From()));
  EXPECT_EQ(Named(facts, "ca").chain_problem, std::nullopt);
  EXPECT_EQ(Named(facts, "ca").key_problem, std::nullopt);
  EXPECT_EQ(Named(facts, "apiserver").chain_problem, std::nullopt);
  EXPECT_THAT(Named(facts, "apiserver").key_problem.value_or(""), HasSubstr("another key"));
  EXPECT_EQ(Named(facts, "apiserver").not_after, host::FakeClock::kStart + kYear);
  EXPECT_NE(Named(facts, "apiserver-kubelet-client").chain_problem, std::nullopt);
  EXPECT_TRUE(Named(facts, "front-proxy-client").missing);
  const auto admin = std::ranges::find(facts.kubeconfigs, "admin.conf", &KubeconfigFact::name);
  ASSERT_NE(admin, facts.kubeconfigs.end());
  EXPECT_NE(admin->problem, std::nullopt);
  // The node has neither a manifest nor certificates of etcd, so its etcd is external.
  EXPECT_EQ(std::ranges::count(facts.certificates, "etcd-server", &CertificateFact::name), 0);
}

TEST(CollectCertificates, SeesKeysThatAllUsersCanRead) {
  FakeSources node;
  Authority("kubernetes").Save(node, "ca");
  node.Write("/etc/kubernetes/pki/sa.key", "a key");
  node.Write("/etc/kubernetes/admin.conf", "{}");
  EXPECT_THAT(After(CollectCertificates(node.From())).exposed, IsEmpty());
  node.fake.files.SetMode("/etc/kubernetes/pki/ca.key", 0644);
  node.fake.files.SetMode("/etc/kubernetes/pki/sa.key", 0640);  // for a dedicated group
  node.fake.files.SetMode("/etc/kubernetes/admin.conf", 0604);
  const std::vector<ExposedFile> exposed = After(CollectCertificates(node.From())).exposed;
  ASSERT_EQ(exposed.size(), 2U);
  EXPECT_EQ(exposed[0].path, "/etc/kubernetes/pki/ca.key");
  EXPECT_EQ(exposed[0].mode, 0644U);
  EXPECT_EQ(exposed[1].path, "/etc/kubernetes/admin.conf");
}

kube::Kubeconfig KubeconfigOf(const Authority& ca) {
  kube::Kubeconfig config;
  config.clusters["k"] = {.server = "https://127.0.0.1:1",
                          .certificate_authority_data = ca.pair.certificate.Pem()};
  config.users["u"] = {.token = "abcdef.0123456789abcdef"};
  config.contexts["c"] = {.cluster = "k", .user = "u"};
  config.current_context = "c";
  return config;
}

TEST(CollectCertificates, ReadsKubeconfigs) {
  FakeSources node;
  const Authority ca("kubernetes");
  const Authority other("kubernetes");
  ca.Save(node, "ca");
  node.Write("/etc/kubernetes/admin.conf", KubeconfigOf(ca).Text());
  node.Write("/etc/kubernetes/scheduler.conf", KubeconfigOf(other).Text());
  node.Write("/etc/kubernetes/bootstrap-kubelet.conf", KubeconfigOf(ca).Text());
  const Facts facts = After(CollectCertificates(node.From()));
  const auto file = [&](const std::string& name) {
    return *std::ranges::find(facts.kubeconfigs, name, &KubeconfigFact::name);
  };
  EXPECT_TRUE(file("admin.conf").knows_ca);
  EXPECT_FALSE(file("scheduler.conf").knows_ca);
  EXPECT_TRUE(file("controller-manager.conf").missing);
  EXPECT_TRUE(facts.bootstrap.there);
  EXPECT_EQ(facts.bootstrap.token_id, "abcdef");
}

}  // namespace
}  // namespace doctor
