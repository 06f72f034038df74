// SPDX-License-Identifier: Apache-2.0
#include "certs/expirations.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "base/fake_error.h"
#include "certs/fake_context.h"
#include "kube/kubeconfig.h"

namespace certs {
namespace {

using std::chrono::hours;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr auto kClientEnd = FakeContext::kStart + hours(100);

class ExpirationsTest : public testing::Test {
 protected:
  ExpirationsTest() { context_.MakeAll(); }

  RenewalContext Get() {
    return {.files = context_.fake.files,
            .cluster = context_.config.cluster,
            .kubeconfig_dir = "/etc/kubernetes",
            .start = FakeContext::kStart + hours(1)};
  }
  Expirations Collected() { return CollectExpirations(Get()); }
  static const Expiration& In(const std::vector<Expiration>& rows, std::string_view name) {
    return *std::ranges::find(rows, name, &Expiration::name);
  }
  Expiration Row(std::string_view name) { return In(Collected().certificates, name); }
  static const Renewable& Renewed(std::string_view name) {
    return *std::ranges::find(Renewables(), name, &Renewable::name);
  }

  std::string ClientPem() {
    const pki::KeyPair ca = LoadCa(context_.fake.files, FakeContext::kDir, "ca");
    return pki::Sign({.subject = {.common_name = "someone"},
                      .usages = {pki::ExtendedKeyUsage::kClientAuth},
                      .not_before = FakeContext::kStart,
                      .not_after = kClientEnd},
                     context_.Get().new_key().Public(), ca)
        .Pem();
  }
  void WriteConf(const std::string& name, const kube::KubeconfigUser& user) {
    kube::Kubeconfig config;
    config.clusters["c"] = {.server = "https://elsewhere:1"};
    config.users["u"] = user;
    config.contexts["x"] = {.cluster = "c", .user = "u"};
    config.current_context = "x";
    Write(name, config.Text());
  }
  void Write(const std::string& name, const std::string& text) {
    context_.fake.files.Write("/etc/kubernetes/" + name, text, {.mode = 0640});
  }

  FakeContext context_;
};

TEST_F(ExpirationsTest, ListsEveryRowAndMissingFiles) {
  WriteConf("admin.conf", {.client_certificate_data = ClientPem()});
  context_.Remove("etcd/peer.crt");
  const Expirations all = Collected();
  ASSERT_EQ(all.certificates.size(), 11U);
  const Expiration& admin = all.certificates.front();
  EXPECT_EQ(admin.name, "admin.conf");
  EXPECT_EQ(admin.ca, "ca");
  EXPECT_EQ(admin.expires, kClientEnd);
  const Expiration& peer = In(all.certificates, "etcd-peer");
  EXPECT_FALSE(peer.expires.has_value());
  EXPECT_EQ(peer.absence, Absence::kMissing);
  EXPECT_EQ(peer.ca, "");
  ASSERT_EQ(all.authorities.size(), 3U);
  EXPECT_EQ(all.authorities[1].name, "etcd-ca");
  EXPECT_EQ(all.authorities[1].expires, FakeContext::kStart + kDefaultCaValidity);
  EXPECT_EQ(all.authorities[1].ca, "");
  EXPECT_THAT(ProblemsOf(all, ProblemKind::kErrors), IsEmpty());
  EXPECT_THAT(ProblemsOf(all, ProblemKind::kRemarks), IsEmpty());
}

TEST_F(ExpirationsTest, ReportsExternalAuthorities) {
  context_.Remove("ca.key");
  const Expirations all = Collected();
  for (const Expiration& row : all.certificates) {
    EXPECT_EQ(row.externally_managed, row.ca == "ca") << row.name;
  }
  EXPECT_EQ(all.authorities[0].externally_managed, true);
  EXPECT_EQ(all.authorities[1].externally_managed, false);

  context_.config.cluster.etcd.external.emplace();
  const Expirations without_etcd = Collected();
  EXPECT_EQ(without_etcd.certificates.size(), 7U);
  EXPECT_EQ(without_etcd.authorities.size(), 2U);
}

TEST_F(ExpirationsTest, NamesTheIssuerOfACertificateThatAnotherCaSigned) {
  const pki::KeyPair other = LoadCa(context_.fake.files, FakeContext::kDir, "front-proxy-ca");
  const auto sign = [&] {
    return pki::Sign({.subject = {.common_name = "kube-apiserver"},
                      .usages = {pki::ExtendedKeyUsage::kServerAuth},
                      .not_before = FakeContext::kStart,
                      .not_after = kClientEnd},
                     context_.Get().new_key().Public(), other)
        .Pem();
  };
  context_.Write("apiserver.crt", sign());
  const Expiration row = Row("apiserver");
  EXPECT_EQ(row.ca, "ca") << "scripts read the column: it stays";
  EXPECT_EQ(row.expires, kClientEnd);
  EXPECT_FALSE(row.IsError());
  EXPECT_EQ(row.problem,
            "certificate \"apiserver\" was signed by another certificate authority, "
            "\"CN=front-proxy-ca\", and not by \"ca\" of /etc/kubernetes/pki/ca.crt: 'kubeadm "
            "certs renew apiserver' has it signed by \"ca\"");
  // During a rotation, ca.crt contains several CAs.
  context_.Write("ca.crt", context_.Text("ca.crt") + context_.Text("front-proxy-ca.crt"));
  EXPECT_EQ(Row("apiserver").problem, "");
}

TEST_F(ExpirationsTest, MarksEveryRowAsMissingOnAnEmptyHost) {
  context_.config.cluster.certificates_dir = "/nowhere";
  const Expirations all = Collected();
  for (const auto* list : {&all.certificates, &all.authorities}) {
    for (const Expiration& row : *list) {
      EXPECT_FALSE(row.expires.has_value()) << row.name;
      EXPECT_EQ(row.absence, Absence::kMissing) << row.name;
    }
  }
}

TEST_F(ExpirationsTest, ReadsCertificateFilesThatKubeconfigsName) {
  context_.Write("admin.crt", ClientPem());
  WriteConf("admin.conf", {.client_certificate = "/etc/kubernetes/pki/admin.crt"});
  WriteConf("scheduler.conf", {.client_certificate = "pki/admin.crt"});  // beside the kubeconfig
  EXPECT_EQ(Row("admin.conf").expires, kClientEnd);
  EXPECT_EQ(Row("admin.conf").ca, "ca");
  EXPECT_EQ(Row("scheduler.conf").expires, kClientEnd);
  EXPECT_EQ(ExpiryOf(Renewed("scheduler.conf"), Get()), kClientEnd);
}

TEST_F(ExpirationsTest, MarksUsersWithoutCertificates) {
  struct Case {
    kube::KubeconfigUser user;
    const char* problem;
  };
  for (const Case& c :
       {Case{{.token = "secret"}, "logs in by a token"},
        Case{{.token_file = "/token"}, "logs in by a token"},
        Case{{.username = "x", .password = "y"}, "logs in by a password"},
        Case{{.rest = {{"exec", {{"command", "login"}}}}}, "logs in by a plug-in"},
        Case{{}, "/etc/kubernetes/admin.conf: its user has no client certificate"}}) {
    WriteConf("admin.conf", c.user);
    const Expiration row = Row("admin.conf");
    EXPECT_FALSE(row.expires.has_value());
    EXPECT_EQ(row.absence, Absence::kNoCertificate);
    EXPECT_THAT(row.problem, HasSubstr(c.problem));
    EXPECT_FALSE(row.IsError());
    EXPECT_EQ(ExpiryOf(Renewed("admin.conf"), Get()), std::nullopt);
  }
}

TEST_F(ExpirationsTest, TreatsAMissingNamedFileAsAMissingCertificate) {
  WriteConf("admin.conf", {.client_certificate = "/etc/kubernetes/pki/admin.crt"});
  const Expiration row = Row("admin.conf");
  EXPECT_EQ(row.absence, Absence::kMissing);
  EXPECT_THAT(row.problem, HasSubstr("/etc/kubernetes/pki/admin.crt"));
  EXPECT_FALSE(row.IsError());
}

TEST_F(ExpirationsTest, AnUnreadableFileDoesNotHideTheRest) {
  context_.Write("admin.crt", "garbage");
  WriteConf("admin.conf", {.client_certificate = "/etc/kubernetes/pki/admin.crt"});
  Write("scheduler.conf", "{current-context: gone}");
  Write("super-admin.conf", "[");
  context_.Write("apiserver.crt", "garbage");
  context_.Remove("front-proxy-client.crt");
  context_.fake.files.MakeDirectories(certs::FakeContext::Path("front-proxy-client.crt"), 0755);
  const Expirations all = Collected();
  for (const char* name :
       {"admin.conf", "scheduler.conf", "super-admin.conf", "apiserver", "front-proxy-client"}) {
    const Expiration& row = In(all.certificates, name);
    EXPECT_FALSE(row.expires.has_value()) << name;
    EXPECT_EQ(row.absence, Absence::kUnreadable) << name;
    EXPECT_TRUE(row.IsError()) << name;
  }
  EXPECT_TRUE(In(all.certificates, "etcd-server").expires.has_value());
  EXPECT_EQ(all.authorities[0].externally_managed, false);
  EXPECT_THAT(ProblemsOf(all, ProblemKind::kErrors),
              ElementsAre(HasSubstr("admin.crt"), HasSubstr("apiserver.crt"),
                          HasSubstr("front-proxy-client.crt: Is a directory"),
                          HasSubstr("scheduler.conf: its current context \"gone\" does not exist"),
                          HasSubstr("super-admin.conf")));
}

TEST_F(ExpirationsTest, ShowsTheDateOfACertificateWithoutItsCa) {
  context_.Remove("front-proxy-ca.crt");
  const Expiration row = Row("front-proxy-client");
  EXPECT_TRUE(row.expires.has_value());
  EXPECT_EQ(row.externally_managed, std::nullopt);
  EXPECT_TRUE(row.IsError());
  EXPECT_THAT(row.problem, HasSubstr("front-proxy-ca"));
}

TEST_F(ExpirationsTest, ReportsAnIncompleteExternalCaAsARemark) {
  context_.Remove("ca.key");
  context_.Remove("apiserver.crt");
  const Expirations all = Collected();
  const Expiration& client = In(all.certificates, "apiserver-kubelet-client");
  EXPECT_TRUE(client.expires.has_value());
  EXPECT_EQ(client.externally_managed, true);
  EXPECT_THAT(ProblemsOf(all, ProblemKind::kRemarks),
              ElementsAre(HasSubstr("external, but incomplete")));
  EXPECT_THAT(ProblemsOf(all, ProblemKind::kErrors), IsEmpty());
}

}  // namespace
}  // namespace certs
