// SPDX-License-Identifier: Apache-2.0
#include "certs/renewal.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "base/fake_error.h"
#include "certs/alt_names.h"
#include "certs/fake_context.h"
#include "kube/kubeconfig.h"
#include "pki/cross_sign.h"

namespace certs {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr auto kLater = FakeContext::kStart + std::chrono::hours(1000);

class RenewalTest : public testing::Test {
 protected:
  RenewalTest() { context_.MakeAll(); }

  RenewalContext Get() {
    return {.files = context_.fake.files,
            .cluster = context_.config.cluster,
            .kubeconfig_dir = "/etc/kubernetes",
            .start = kLater,
            .new_key = context_.Get().new_key};
  }
  static const Renewable& Row(std::string_view name) {
    return *std::ranges::find(Renewables(), name, &Renewable::name);
  }
  RenewalOutcome Do(std::string_view name) { return Renew(Row(name), Get()); }

  // Renews a certificate and returns the standard error output.
  std::string Warned(std::string_view name, const config::Init* node = nullptr) {
    testing::internal::CaptureStderr();
    RenewalContext context = Get();
    context.node = node;
    EXPECT_EQ(Renew(Row(name), context), RenewalOutcome::kRenewed) << name;
    return testing::internal::GetCapturedStderr();
  }

  // Replaces one of the tree's certificates by one that `ca` signed.
  void Replace(std::string_view base_name, pki::CertificateSpec spec, const pki::KeyPair& ca) {
    const pki::PrivateKey key = context_.Get().new_key();
    spec.not_before = FakeContext::kStart;
    spec.not_after = FakeContext::kStart + std::chrono::hours(2000);
    SavePair(context_.fake.files, FakeContext::kDir, base_name,
             {pki::Sign(spec, key.Public(), ca), key});
  }

  // A CA that the cluster does not know.
  pki::KeyPair Stranger() {
    const pki::PrivateKey key = context_.Get().new_key();
    return {pki::NewSelfSignedCa({.subject = {.common_name = "stranger"},
                                  .not_before = FakeContext::kStart,
                                  .not_after = kLater + std::chrono::hours(99)},
                                 key),
            key};
  }

  void WriteConf(const std::string& name) {
    WriteConf(name, LoadCa(context_.fake.files, FakeContext::kDir, "ca"));
  }
  void WriteConf(const std::string& name, const pki::KeyPair& ca) {
    const pki::PrivateKey key = context_.Get().new_key();
    const pki::Certificate client =
        pki::Sign({.subject = {.common_name = "someone", .organizations = {"g1", "g2"}},
                   .usages = {pki::ExtendedKeyUsage::kClientAuth},
                   .not_before = FakeContext::kStart,
                   .not_after = FakeContext::kStart + std::chrono::hours(100)},
                  key.Public(), ca);
    kube::Kubeconfig config;
    config.clusters["c1"] = {.server = "https://elsewhere:1",
                             .certificate_authority_data = "old CA"};
    config.users["u1"] = {.client_certificate_data = client.Pem(), .client_key_data = key.Pem()};
    config.users["other"] = {.token = "kept"};
    config.contexts["x"] = {.cluster = "c1", .user = "u1"};
    config.current_context = "x";
    context_.fake.files.Write("/etc/kubernetes/" + name, config.Text(), {.mode = 0640});
  }
  kube::Kubeconfig Conf(const std::string& name) {
    return kube::Kubeconfig::Parse(context_.fake.files.Read("/etc/kubernetes/" + name));
  }

  FakeContext context_;
};

TEST_F(RenewalTest, SortsRowsAndOmitsCasAndTheKubelet) {
  std::vector<std::string> names;
  for (const Renewable& row : Renewables()) {
    names.emplace_back(row.name);
  }
  EXPECT_THAT(names, ElementsAre("admin.conf", "apiserver", "apiserver-etcd-client",
                                 "apiserver-kubelet-client", "controller-manager.conf",
                                 "etcd-healthcheck-client", "etcd-peer", "etcd-server",
                                 "front-proxy-client", "scheduler.conf", "super-admin.conf"));
}

TEST_F(RenewalTest, JudgeRenewalChangesNothing) {
  const std::string before = context_.fake.files.Read("/etc/kubernetes/pki/apiserver.crt");
  const std::size_t writes = context_.fake.files.written().size();
  EXPECT_EQ(JudgeRenewal(Row("apiserver"), Get()), RenewalOutcome::kRenewed);
  EXPECT_EQ(JudgeRenewal(Row("admin.conf"), Get()), RenewalOutcome::kMissing);
  EXPECT_EQ(context_.fake.files.Read("/etc/kubernetes/pki/apiserver.crt"), before);
  EXPECT_EQ(context_.fake.files.written().size(), writes);
}

TEST_F(RenewalTest, FilesOfReturnsTheFilesThatRenewalWrites) {
  EXPECT_THAT(FilesOf(Row("etcd-peer"), Get()), ElementsAre("/etc/kubernetes/pki/etcd/peer.key",
                                                            "/etc/kubernetes/pki/etcd/peer.crt"));
  EXPECT_THAT(FilesOf(Row("admin.conf"), Get()), ElementsAre("/etc/kubernetes/admin.conf"));
}

TEST_F(RenewalTest, KeepsUserNamesAndUsesThePeriodAndKeyOfTheConfiguration) {
  const pki::CertificateSpec old{
      .subject = {.common_name = "custom-name", .organizations = {"one", "two"}},
      .alt_names = {.dns_names = {"only.example.org", "a.example.org"},
                    .ip_addresses = {"192.0.2.1"}},
      .usages = {pki::ExtendedKeyUsage::kServerAuth}};
  Replace("apiserver", old, LoadCa(context_.fake.files, FakeContext::kDir, "ca"));
  context_.config.cluster.certificate_validity_period = std::chrono::hours(500);
  context_.config.cluster.encryption_algorithm = "ECDSA-P384";

  EXPECT_THAT(Warned("apiserver"), IsEmpty());
  const pki::Certificate renewed = context_.Certificate("apiserver.crt");
  EXPECT_EQ(renewed.subject(), old.subject);
  EXPECT_EQ(renewed.alt_names(), Sorted(old.alt_names)) << "as upstream writes them";
  EXPECT_EQ(renewed.usages(), old.usages);
  EXPECT_EQ(renewed.not_before(), kLater - std::chrono::minutes(5));
  EXPECT_EQ(renewed.not_after(), kLater + std::chrono::hours(500));
  EXPECT_EQ(renewed.public_key().AlgorithmText(), "ECDSA-P384");
  EXPECT_TRUE(LoadKey(context_.fake.files, FakeContext::Path("apiserver.key")).Public() ==
              renewed.public_key());
}

// Each certificate in turn is replaced by a useless one of an unknown CA.
TEST_F(RenewalTest, UsesOnlyTheConfigurationForACertificateOfAnotherCa) {
  for (const CertSpec& spec : Tree()) {
    if (spec.is_ca()) {
      continue;
    }
    const pki::Certificate sound = context_.Certificate(std::string(spec.base_name) + ".crt");
    Replace(spec.base_name,
            {.subject = {.common_name = "stranger", .organizations = {"system:masters"}},
             .alt_names = {.dns_names = {"stranger.example.org"}, .ip_addresses = {}}},
            Stranger());
    const std::string warning = Warned(spec.name, &context_.config);
    EXPECT_THAT(warning, AllOf(HasSubstr(spec.name), HasSubstr("no \"" + std::string(spec.ca)),
                               HasSubstr("Auth\"] are added")))
        << spec.name;
    const pki::Certificate renewed = context_.Certificate(std::string(spec.base_name) + ".crt");
    EXPECT_EQ(renewed.subject(), sound.subject()) << spec.name;
    EXPECT_EQ(renewed.alt_names(), sound.alt_names()) << spec.name;
    EXPECT_EQ(renewed.usages(), sound.usages()) << spec.name;
    EXPECT_EQ(Warned(spec.name, &context_.config), "") << spec.name << ", again";
  }
}

TEST_F(RenewalTest, RefusesForeignNamesIfTheConfigurationIsUnknown) {
  const pki::CertificateSpec old{.subject = {.common_name = "stranger"},
                                 .alt_names = {.dns_names = {"evil.example.org"}}};
  for (const char* name : {"apiserver", "etcd-server", "etcd-peer"}) {
    const std::string file = std::string(Row(name).spec->base_name) + ".crt";
    const pki::Certificate sound = context_.Certificate(file);
    Replace(Row(name).spec->base_name, old, Stranger());
    EXPECT_THROW(Renew(Row(name), Get()), base::Error) << name;
    EXPECT_THAT(context_.Certificate(file).alt_names().dns_names, ElementsAre("evil.example.org"))
        << name << " stays";

    RenewalContext given = Get();
    given.given_node = &context_.config;
    Renew(Row(name), given);
    EXPECT_EQ(context_.Certificate(file).alt_names(), sound.alt_names()) << name;
    EXPECT_NE(context_.Certificate(file).subject(), old.subject) << name;
  }
}

TEST_F(RenewalTest, IgnoresACaThatReplacesACertificate) {
  const pki::Certificate sound = context_.Certificate("apiserver.crt");
  context_.Write("apiserver.crt", context_.Text("ca.crt"));
  Warned("apiserver", &context_.config);
  EXPECT_EQ(context_.Certificate("apiserver.crt").subject(), sound.subject());
  EXPECT_EQ(context_.Certificate("apiserver.crt").alt_names(), sound.alt_names());
}

TEST_F(RenewalTest, IgnoresTheGivenFileForACertificateOfThisCluster) {
  const pki::Certificate sound = context_.Certificate("apiserver.crt");
  config::Init other = context_.config;
  other.init.local_api_endpoint.advertise_address = "10.99.0.1";
  RenewalContext given = Get();
  given.given_node = &other;
  Renew(Row("apiserver"), given);
  EXPECT_EQ(context_.Certificate("apiserver.crt").alt_names(), sound.alt_names());
}

TEST_F(RenewalTest, RepairsACertificateOfThisClustersCa) {
  struct Case {
    std::string name, ca;
    pki::CertificateSpec old;
    std::vector<std::string> warned;
  };
  using enum pki::ExtendedKeyUsage;
  for (const Case& c : std::initializer_list<Case>{
           {"no usages",
            "front-proxy-ca",
            {.subject = {.common_name = "front-proxy-client"}},
            {R"(usages ["clientAuth"] are added)"}},
           {"other usages",
            "front-proxy-ca",
            {.subject = {.common_name = "front-proxy-client"}, .usages = {kServerAuth}},
            {R"(usages ["clientAuth"] are added)", R"(usages ["serverAuth"] are dropped)"}},
           {"another name",
            "front-proxy-ca",
            {.subject = {.common_name = "x\x1b[2J", .organizations = {"y"}},
             .usages = {kClientAuth}},
            {R"(the subject O="y", CN="x\x1b[2J" becomes CN="front-proxy-client")"}},
           {"no name",
            "front-proxy-ca",
            {.subject = {.organizations = {"y"}}, .usages = {kClientAuth}},
            {R"(becomes CN="front-proxy-client")"}}}) {
    Replace("front-proxy-client", c.old, LoadCa(context_.fake.files, FakeContext::kDir, c.ca));
    const std::string warning = Warned("front-proxy-client");
    for (const std::string& words : c.warned) {
      EXPECT_THAT(warning, HasSubstr(words)) << c.name;
    }
    const pki::Certificate renewed = context_.Certificate("front-proxy-client.crt");
    EXPECT_EQ(renewed.subject(), (pki::Subject{"front-proxy-client", {}})) << c.name;
    EXPECT_THAT(renewed.usages(), ElementsAre(kClientAuth)) << c.name;
  }
}

TEST_F(RenewalTest, AddsTheConfiguredNamesThatTheOldCertificateLacks) {
  const pki::KeyPair ca = LoadCa(context_.fake.files, FakeContext::kDir, "ca");
  const pki::CertificateSpec old{
      .subject = {.common_name = "kube-apiserver"},
      .alt_names = {.dns_names = {"mine.example.org"}, .ip_addresses = {}},
      .usages = {pki::ExtendedKeyUsage::kServerAuth}};
  Replace("apiserver", old, ca);
  EXPECT_EQ(Warned("apiserver"), "") << "names of an unknown configuration";
  EXPECT_THAT(Warned("apiserver", &context_.config),
              AllOf(HasSubstr("\"10.20.30.40\""), HasSubstr("are added")));
  const pki::Certificate renewed = context_.Certificate("apiserver.crt");
  for (const char* name : {"mine.example.org", "10.20.30.40", "kubernetes", "cp-one"}) {
    EXPECT_TRUE(renewed.CoversName(name)) << name;
  }
}

TEST_F(RenewalTest, ReplacesAnInvalidFileIfTheConfigurationIsKnown) {
  const pki::Certificate sound = context_.Certificate("etcd/server.crt");
  context_.Write("etcd/server.crt", "x");
  EXPECT_THAT(base::MessageOf([&] { Do("etcd-server"); }), HasSubstr("etcd/server.crt"));
  EXPECT_THAT(Warned("etcd-server", &context_.config), HasSubstr("the old one cannot be read"));
  EXPECT_EQ(context_.Certificate("etcd/server.crt").alt_names(), sound.alt_names());
  EXPECT_EQ(context_.Certificate("etcd/server.crt").subject(), sound.subject());
}

TEST_F(RenewalTest, KeepsTheOldNamesIfTheConfigurationIsUnknown) {
  const pki::SubjectAltNames names = context_.Certificate("etcd/server.crt").alt_names();
  Replace("etcd/server", {.subject = {.common_name = "cp-one"}, .alt_names = names}, Stranger());
  EXPECT_THAT(Warned("etcd-server"),
              AllOf(HasSubstr("no \"etcd-ca\" CA of this cluster"), HasSubstr("] stay, since")));
  EXPECT_EQ(context_.Certificate("etcd/server.crt").alt_names(), names);
  Replace("etcd/server", {.alt_names = names}, Stranger());
  EXPECT_THAT(base::MessageOf([&] { Do("etcd-server"); }), HasSubstr("has no CommonName"));
}

TEST_F(RenewalTest, RestoresTheUserOfAKubeconfigOfAnotherCa) {
  struct Case {
    std::string file;
    pki::Subject want;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"admin.conf", {"kubernetes-admin", {"kubeadm:cluster-admins"}}},
           {"super-admin.conf", {"kubernetes-super-admin", {"system:masters"}}},
           {"controller-manager.conf", {"system:kube-controller-manager", {}}},
           {"scheduler.conf", {"system:kube-scheduler", {}}}}) {
    WriteConf(c.file, Stranger());
    EXPECT_THAT(Warned(c.file), AllOf(HasSubstr("no \"ca\" CA"), HasSubstr("becomes"))) << c.file;
    const kube::Kubeconfig after = Conf(c.file);
    const pki::Certificate client =
        pki::Certificate::FromPem(after.users.at("u1").client_certificate_data);
    EXPECT_EQ(client.subject(), c.want) << c.file;
    EXPECT_THAT(client.usages(), ElementsAre(pki::ExtendedKeyUsage::kClientAuth)) << c.file;
  }
}

// Upstream also signs with an expired CA. Clients accept the certificates only if the clock is set
// back on purpose.
TEST_F(RenewalTest, SignsWithAnExpiredCaAndWarns) {
  const auto warned = [&](std::chrono::sys_seconds start) {
    testing::internal::CaptureStderr();
    RenewalContext context = Get();
    context.start = start;
    EXPECT_EQ(Renew(Row("apiserver"), context), RenewalOutcome::kRenewed);
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_THAT(warned(FakeContext::kStart + std::chrono::hours(24 * 365 * 11)),
              HasSubstr("the ca CA signs apiserver although"));
  EXPECT_THAT(warned(kLater), IsEmpty());
}

TEST_F(RenewalTest, KeepsTheCrossSignedCa) {
  const pki::KeyPair ca = LoadCa(context_.fake.files, FakeContext::kDir, "ca");
  const pki::PrivateKey key = context_.Get().new_key();
  const pki::KeyPair old{pki::NewSelfSignedCa({.subject = {.common_name = "old"},
                                               .not_before = FakeContext::kStart,
                                               .not_after = kLater + std::chrono::hours(99)},
                                              key),
                         key};
  const pki::Certificate cross_certificate = pki::CrossSign(ca.certificate, old);
  context_.Write("apiserver.crt",
                 context_.Text("apiserver.crt") + cross_certificate.Pem() + old.certificate.Pem());
  EXPECT_EQ(Do("apiserver"), RenewalOutcome::kRenewed);
  const auto chain = LoadChain(context_.fake.files, FakeContext::Path("apiserver.crt"));
  ASSERT_EQ(chain.size(), 2U);
  EXPECT_EQ(chain[1].Pem(), cross_certificate.Pem());
}

TEST_F(RenewalTest, RegeneratesAMissingKeyAndKeepsModes) {
  context_.Remove("apiserver.key");
  context_.fake.files.SetMode(FakeContext::Path("apiserver.crt"), 0600);
  EXPECT_EQ(Do("apiserver"), RenewalOutcome::kRenewed);
  EXPECT_EQ(context_.Mode("apiserver.key"), 0600U);
  EXPECT_EQ(context_.Mode("apiserver.crt"), 0600U);
}

TEST_F(RenewalTest, GivesAKubeconfigNewCredentialsAndTheCurrentCa) {
  WriteConf("admin.conf");
  const kube::Kubeconfig before = Conf("admin.conf");
  EXPECT_EQ(Do("admin.conf"), RenewalOutcome::kRenewed);
  const kube::Kubeconfig after = Conf("admin.conf");
  const pki::Certificate client =
      pki::Certificate::FromPem(after.users.at("u1").client_certificate_data);
  EXPECT_EQ(client.subject().common_name, "someone");
  EXPECT_THAT(client.subject().organizations, ElementsAre("g1", "g2"));
  EXPECT_EQ(client.not_after(), kLater + kDefaultValidity);
  EXPECT_TRUE(pki::PrivateKey::FromPem(after.users.at("u1").client_key_data).Public() ==
              client.public_key());
  EXPECT_NE(after.users.at("u1").client_key_data, before.users.at("u1").client_key_data);
  EXPECT_EQ(after.clusters.at("c1").certificate_authority_data, context_.Text("ca.crt"));
  EXPECT_EQ(after.clusters.at("c1").server, "https://elsewhere:1");
  EXPECT_EQ(after.users.at("other").token, "kept");
  EXPECT_EQ(context_.fake.files.Stat("/etc/kubernetes/admin.conf").value().mode, 0640U);
}

TEST_F(RenewalTest, PutsAllCertificatesOfTheCaFileIntoAKubeconfig) {
  WriteConf("admin.conf");
  const std::string both = context_.Text("ca.crt") + context_.Text("front-proxy-ca.crt");
  context_.Write("ca.crt", both);
  EXPECT_EQ(Do("admin.conf"), RenewalOutcome::kRenewed);
  EXPECT_EQ(Conf("admin.conf").clusters.at("c1").certificate_authority_data, both);
}

TEST_F(RenewalTest, RequiresAKubeconfigWithAnEmbeddedCertificate) {
  struct Case {
    const char* text;
    const char* mention;
  };
  for (const Case& c :
       {Case{"junk", "admin.conf"}, Case{"{}", "current-context is not set"},
        Case{"{current-context: gone}", "current context \"gone\" does not exist"},
        Case{"{contexts: [{name: x, context: {cluster: c, user: u}}], current-context: x, "
             "clusters: [{name: c, cluster: {}}], "
             "users: [{name: u, user: {client-certificate: /c.crt, client-key: /c.key}}]}",
             "client-certificate-data"},
        Case{"{contexts: [{name: x, context: {cluster: c, user: u}}], current-context: x, "
             "clusters: [{name: c, cluster: {certificate-authority: /ca.crt}}], "
             "users: [{name: u, user: {client-certificate-data: YQ==, client-key-data: YQ==}}]}",
             "certificate-authority-data"}}) {
    context_.fake.files.Write("/etc/kubernetes/admin.conf", c.text, {});
    EXPECT_THAT(base::MessageOf([&] { Do("admin.conf"); }),
                AllOf(HasSubstr("admin.conf"), HasSubstr(c.mention)));
  }
}

TEST_F(RenewalTest, ReportsMissingFiles) {
  context_.Remove("apiserver.crt");
  EXPECT_EQ(Do("apiserver"), RenewalOutcome::kMissing);
  EXPECT_EQ(Do("scheduler.conf"), RenewalOutcome::kMissing);
  context_.fake.files.MakeDirectories("/etc/kubernetes/super-admin.conf", 0700);
  EXPECT_EQ(Do("super-admin.conf"), RenewalOutcome::kMissing) << "a directory is not a file";
  context_.config.cluster.etcd.external.emplace();
  EXPECT_EQ(Do("etcd-peer"), RenewalOutcome::kMissing) << "though the file is there";
}

TEST_F(RenewalTest, SkipsCertificatesOfAnExternalCa) {
  WriteConf("admin.conf");
  context_.Remove("ca.key");
  const auto before = context_.fake.files.written();
  EXPECT_EQ(Do("apiserver"), RenewalOutcome::kExternalCa);
  EXPECT_EQ(Do("admin.conf"), RenewalOutcome::kExternalCa);
  EXPECT_EQ(context_.fake.files.written(), before);
  EXPECT_EQ(Do("etcd-peer"), RenewalOutcome::kRenewed);
  context_.Remove("etcd/ca.key");
  EXPECT_EQ(Do("etcd-peer"), RenewalOutcome::kExternalCa);
}

TEST_F(RenewalTest, RefusesUnusableFiles) {
  struct Case {
    const char* name;
    void (*spoil)(FakeContext&);
    const char* mention;
  };
  for (const Case& c :
       {Case{"broken certificate", [](FakeContext& f) { f.Write("apiserver.crt", "x"); },
             "apiserver.crt"},
        Case{"no CA", [](FakeContext& f) { f.Remove("ca.crt"); }, "ca.crt"},
        Case{"broken CA key", [](FakeContext& f) { f.Write("ca.key", "x"); }, "ca.key"},
        Case{"external but incomplete",
             [](FakeContext& f) {
               f.Remove("ca.key");
               f.Remove("apiserver-kubelet-client.key");
             },
             "apiserver-kubelet-client.key"}}) {
    FakeContext context;
    context.MakeAll();
    c.spoil(context);
    RenewalContext renewal = Get();
    const RenewalContext other{.files = context.fake.files,
                               .cluster = context.config.cluster,
                               .kubeconfig_dir = renewal.kubeconfig_dir,
                               .start = kLater,
                               .new_key = renewal.new_key};
    EXPECT_THAT(base::MessageOf([&] { Renew(Row("apiserver"), other); }), HasSubstr(c.mention))
        << c.name;
  }
}

}  // namespace
}  // namespace certs
