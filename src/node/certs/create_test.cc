// SPDX-License-Identifier: Apache-2.0
#include "certs/create.h"

#include <gmock/gmock.h>

#include <atomic>
#include <thread>

#include "base/fake_error.h"
#include "certs/fake_context.h"
#include "pki/key_pool.h"

namespace certs {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class CreateTest : public testing::Test {
 protected:
  Outcome Do(std::string_view name) { return Ensure(FindSpec(name), context_.Get()); }
  std::string ErrorOf(std::string_view name) {
    return base::MessageOf([&] { Do(name); });
  }
  void UseOtherCa() {  // the same name, another key
    context_.Remove("ca.crt");
    context_.Remove("ca.key");
    Do("ca");
  }

  FakeContext context_;
};

TEST_F(CreateTest, KubeletClientHasItsGroupUpToVersion135) {
  const auto groups = [&](const std::string& version) {
    context_.config.cluster.kubernetes_version = version;
    return SpecFor(FindSpec(kKubeletClient), context_.Get()).subject.organizations;
  };
  EXPECT_THAT(groups("v1.35.4"), testing::ElementsAre("kubeadm:cluster-admins"));
  EXPECT_THAT(groups("v1.36.3"), IsEmpty());
}

TEST_F(CreateTest, CreatesTheWholeTree) {
  context_.MakeAll();
  for (const CertSpec& spec : Tree()) {
    const std::string base(spec.base_name);
    const pki::Certificate certificate = context_.Certificate(base + ".crt");
    EXPECT_EQ(certificate.is_ca(), spec.is_ca()) << base;
    EXPECT_EQ(certificate.subject().common_name,
              spec.common_name.empty() ? "cp-one" : spec.common_name);
    EXPECT_THAT(certificate.subject().organizations, IsEmpty()) << base;
    EXPECT_THAT(certificate.usages(), testing::ElementsAreArray(spec.usages)) << base;
    EXPECT_EQ(certificate.alt_names(), SpecFor(spec, context_.Get()).alt_names) << base;
    EXPECT_EQ(certificate.not_before(), FakeContext::kStart - std::chrono::minutes(5)) << base;
    EXPECT_EQ(certificate.not_after(),
              FakeContext::kStart + (spec.is_ca() ? kDefaultCaValidity : kDefaultValidity));
    EXPECT_TRUE(pki::PrivateKey::FromPem(context_.Text(base + ".key")).Public() ==
                certificate.public_key());
    EXPECT_EQ(context_.Mode(base + ".crt"), 0644U) << base;
    EXPECT_EQ(context_.Mode(base + ".key"), 0600U) << base;
    const std::string ca(spec.is_ca() ? spec.base_name : FindSpec(spec.ca).base_name);
    EXPECT_EQ(pki::ChainProblem(certificate, {context_.Certificate(ca + ".crt")},
                                {.now = FakeContext::kStart}),
              std::nullopt)
        << base;
  }
  EXPECT_EQ(context_.Mode("etcd"), 0755U);
}

TEST_F(CreateTest, FollowsPeriodsAndAlgorithm) {
  context_.config.cluster.certificate_validity_period = std::chrono::hours(240);
  context_.config.cluster.ca_certificate_validity_period = std::chrono::hours(2400);
  context_.config.cluster.encryption_algorithm = "ECDSA-P384";
  Do("ca");
  Do("apiserver");
  EXPECT_EQ(context_.Certificate("ca.crt").not_after(),
            FakeContext::kStart + std::chrono::hours(2400));
  EXPECT_EQ(context_.Certificate("apiserver.crt").not_after(),
            FakeContext::kStart + std::chrono::hours(240));
  EXPECT_EQ(context_.Certificate("apiserver.crt").public_key().AlgorithmText(), "ECDSA-P384");
}

TEST_F(CreateTest, ReportsItsActionsAndTheNewNames) {
  EXPECT_EQ(Do("ca").action, Action::kCreated);
  const Outcome made = Do("apiserver");
  EXPECT_EQ(made.action, Action::kCreated);
  EXPECT_THAT(made.alt_names.ip_addresses, ElementsAre("10.96.0.1", "10.20.30.40"));
  EXPECT_EQ(Do("ca").action, Action::kReused);
  const Outcome kept = Do("apiserver");
  EXPECT_EQ(kept.action, Action::kReused);
  EXPECT_TRUE(kept.alt_names.empty());
}

TEST_F(CreateTest, KeepsExistingFiles) {
  context_.MakeAll();
  const auto before = context_.fake.files.written();
  context_.MakeAll();
  EXPECT_EQ(context_.fake.files.written(), before);
}

TEST_F(CreateTest, WritesThroughALinkToAMissingFile) {
  Do("ca");
  const host::Files& files = context_.fake.files;
  host::fs::create_symlink("kept.crt", files.Location(FakeContext::Path("apiserver.crt")));
  EXPECT_EQ(Do("apiserver").action, Action::kCreated);
  EXPECT_TRUE(files.Exists(FakeContext::Path("kept.crt")));
  EXPECT_EQ(Do("apiserver").action, Action::kReused);
}

TEST_F(CreateTest, WritesTemporaryCertificateThenKeyThenCertificate) {
  Ensure(FindSpec("ca"), context_.Get());
  EXPECT_THAT(context_.fake.files.written(),
              ElementsAre(FakeContext::Path("ca.crt.new"), FakeContext::Path("ca.key"),
                          FakeContext::Path("ca.crt")));
  EXPECT_FALSE(context_.fake.files.Exists(FakeContext::Path("ca.crt.new")));
}

TEST_F(CreateTest, AFailedWriteLeavesNoKeyWithoutItsCertificate) {
  for (const char* name : {"ca.crt", "sa.pub"}) {
    context_.fake.files.FailWritesTo(FakeContext::Path(name));
  }
  EXPECT_THAT(ErrorOf("ca"), HasSubstr("ca.crt"));
  EXPECT_THAT(base::MessageOf([&] { EnsureServiceAccountKey(context_.Get()); }),
              HasSubstr("sa.pub"));
  EXPECT_FALSE(context_.fake.files.Exists(FakeContext::Path("ca.crt.new")));
  EXPECT_FALSE(context_.fake.files.Exists(FakeContext::Path("ca.key")));
  EXPECT_FALSE(context_.fake.files.Exists(FakeContext::Path("sa.key")));
}

TEST_F(CreateTest, KeepsTheOldKeyIfTheCertificateCannotBeWritten) {
  context_.MakeAll();
  const std::string key = context_.Text("apiserver.key");
  context_.fake.files.FailWritesTo(FakeContext::Path("apiserver.crt"));
  const pki::PrivateKey other = context_.Get().new_key();
  EXPECT_THAT(base::MessageOf([&] {
                SavePair(context_.fake.files, FakeContext::kDir, "apiserver",
                         {context_.Certificate("apiserver.crt"), other});
              }),
              HasSubstr("apiserver.crt"));
  EXPECT_EQ(context_.Text("apiserver.key"), key);
}

TEST_F(CreateTest, CreatesNoEtcdCertificatesForAnExternalEtcd) {
  context_.config.cluster.etcd = {.local = std::nullopt, .external = config::ExternalEtcd{}};
  for (const CertSpec& spec : Tree()) {
    EXPECT_EQ(Ensure(spec, context_.Get()).action,
              spec.of_etcd ? Action::kSkippedExternalEtcd : Action::kCreated)
        << spec.name;
  }
  EXPECT_FALSE(context_.fake.files.Exists(FakeContext::Path("etcd")));
}

struct SpoiledCase {
  const char* name;
  const char* phase;
  void (*spoil)(FakeContext&);
  std::vector<const char*> mention;  // parts of the error; empty if the file is kept
};

TEST_F(CreateTest, ExistingFilesAreKeptOrRefusedButNeverOverwritten) {
  const SpoiledCase cases[] = {
      {"CA without key", "ca", [](FakeContext& c) { c.Remove("ca.key"); }, {}},
      {"CA with a broken key", "ca", [](FakeContext& c) { c.Write("ca.key", "x"); }, {}},
      {"CA key without certificate", "ca", [](FakeContext& c) { c.Remove("ca.crt"); }, {"ca.crt"}},
      {"broken CA", "ca", [](FakeContext& c) { c.Write("ca.crt", "x"); }, {"\"ca\"", "ca.crt"}},
      {"leaf without key", "apiserver", [](FakeContext& c) { c.Remove("apiserver.key"); }, {}},
      {"leaf, broken key", "apiserver", [](FakeContext& c) { c.Write("apiserver.key", "x"); }, {}},
      {"leaf of a keyless CA", "apiserver", [](FakeContext& c) { c.Remove("ca.key"); }, {}},
      {"leaf without the names asked for",
       "apiserver",
       [](FakeContext& c) { c.config.cluster.api_server.cert_sans = {"new.example.org"}; },
       {}},
      {"key without certificate",
       "apiserver",
       [](FakeContext& c) { c.Remove("apiserver.crt"); },
       {"apiserver.crt"}},
      {"broken key, no certificate",
       "apiserver",
       [](FakeContext& c) {
         c.Remove("apiserver.crt");
         c.Write("apiserver.key", "x");
       },
       {"apiserver.key"}},
      {"broken certificate",
       "apiserver",
       [](FakeContext& c) { c.Write("apiserver.crt", "x"); },
       {"\"apiserver\"", "apiserver.crt"}},
      {"leaf without CA",
       "apiserver",
       [](FakeContext& c) { c.Remove("ca.crt"); },
       {"\"apiserver\"", "ca.crt"}},
      {"leaf of a broken CA",
       "apiserver",
       [](FakeContext& c) { c.Write("ca.crt", "x"); },
       {"ca.crt"}},
  };
  for (const SpoiledCase& c : cases) {
    FakeContext context;
    Ensure(FindSpec("ca"), context.Get());
    Ensure(FindSpec("apiserver"), context.Get());
    c.spoil(context);
    const auto before = context.fake.files.written();
    const std::string error = base::MessageOf([&] { Ensure(FindSpec(c.phase), context.Get()); });
    EXPECT_EQ(error.empty(), c.mention.empty()) << c.name << ": " << error;
    for (const char* word : c.mention) {
      EXPECT_THAT(error, HasSubstr(word)) << c.name;
    }
    EXPECT_EQ(context.fake.files.written(), before) << c.name;
  }
}

TEST_F(CreateTest, ReusesACaWithoutKeyButCannotSignWithIt) {
  Do("front-proxy-ca");
  context_.Remove("front-proxy-ca.key");
  EXPECT_EQ(Do("front-proxy-ca").action, Action::kReusedKeyless);
  EXPECT_THAT(ErrorOf("front-proxy-client"),
              AllOf(HasSubstr("\"front-proxy-client\""), HasSubstr("front-proxy-ca.key")));
}

TEST_F(CreateTest, RefusesALeafOfAnotherCa) {
  Do("ca");
  Do("apiserver");
  UseOtherCa();
  EXPECT_THAT(ErrorOf("apiserver"),
              AllOf(HasSubstr("certificate \"apiserver\""), HasSubstr("authority \"ca\"")));
}

TEST_F(CreateTest, RefusesToSignWithALeafCertificate) {
  context_.MakeAll();
  context_.Write("ca.crt", context_.Text("apiserver.crt"));
  context_.Write("ca.key", context_.Text("apiserver.key"));
  context_.Remove("apiserver-kubelet-client.crt");
  context_.Remove("apiserver-kubelet-client.key");
  EXPECT_THAT(ErrorOf("apiserver-kubelet-client"),
              AllOf(HasSubstr("ca.crt"), HasSubstr("certificate authority")));
}

TEST_F(CreateTest, RefusesACaKeyThatDoesNotMatchTheCertificate) {
  context_.MakeCas();
  context_.Write("ca.key", context_.Text("etcd/ca.key"));
  EXPECT_THAT(ErrorOf("apiserver"), HasSubstr("does not belong"));
  EXPECT_FALSE(context_.fake.files.Exists(FakeContext::Path("apiserver.key")));
}

TEST_F(CreateTest, SignsWithAnExpiredCaAndWarnsOnce) {
  context_.config.cluster.ca_certificate_validity_period = -std::chrono::hours(24);
  Do("ca");
  testing::internal::CaptureStderr();
  EXPECT_EQ(Do("apiserver").action, Action::kCreated);
  EXPECT_EQ(Do("apiserver-kubelet-client").action, Action::kCreated);
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, HasSubstr("certificate ca is used although it expired"));
  EXPECT_EQ(log.find("certificate ca"), log.rfind("certificate ca")) << log;
}

TEST_F(CreateTest, DoesNotReuseExpiredLeaves) {
  for (const bool of_ca : {false, true}) {
    FakeContext context;
    auto& cluster = context.config.cluster;
    (of_ca ? cluster.ca_certificate_validity_period : cluster.certificate_validity_period) =
        -std::chrono::hours(24);
    Ensure(FindSpec("ca"), context.Get());
    Ensure(FindSpec("apiserver"), context.Get());
    EXPECT_THAT(base::MessageOf([&] { Ensure(FindSpec("apiserver"), context.Get()); }),
                HasSubstr("expired"));
  }
}

TEST_F(CreateTest, CreatesOrKeepsTheServiceAccountKey) {
  EXPECT_EQ(EnsureServiceAccountKey(context_.Get()).action, Action::kCreated);
  EXPECT_TRUE(pki::PublicKey::FromPem(context_.Text("sa.pub")) ==
              pki::PrivateKey::FromPem(context_.Text("sa.key")).Public());
  EXPECT_EQ(context_.Mode("sa.key"), 0600U);
  EXPECT_EQ(context_.Mode("sa.pub"), 0600U);

  context_.Remove("sa.pub");
  EXPECT_EQ(EnsureServiceAccountKey(context_.Get()).action, Action::kReused);
  EXPECT_TRUE(context_.fake.files.Exists(FakeContext::Path("sa.pub")));

  context_.Write("sa.key", "x");
  EXPECT_THAT(base::MessageOf([&] { EnsureServiceAccountKey(context_.Get()); }),
              HasSubstr("sa.key"));
}

TEST_F(CreateTest, WritesTheServiceAccountKeyThroughALinkToAMissingFile) {
  context_.fake.files.MakeDirectories(FakeContext::kDir, 0755);
  host::fs::create_symlink("later.key", context_.fake.files.Location(FakeContext::Path("sa.key")));
  EXPECT_EQ(EnsureServiceAccountKey(context_.Get()).action, Action::kCreated);
  EXPECT_TRUE(pki::PublicKey::FromPem(context_.Text("sa.pub")) ==
              pki::PrivateKey::FromPem(context_.Text("later.key")).Public());
}

TEST_F(CreateTest, JoiningRequiresCompleteLeaves) {
  context_.MakeAll();
  const auto outcomes = EnsureTree(context_.Get());
  EXPECT_EQ(outcomes.size(), Tree().size());
  for (const TreeOutcome& row : outcomes) {
    EXPECT_EQ(row.outcome.action, Action::kReused) << row.spec->name;
  }
  context_.config.init.node_registration.name = "cp-two";
  EXPECT_THAT(base::MessageOf([&] { EnsureTree(context_.Get()); }),
              AllOf(HasSubstr("\"apiserver\""), HasSubstr("cp-two")));
  context_.config.init.node_registration.name = "cp-one";
  context_.Remove("etcd/peer.key");
  EXPECT_THAT(base::MessageOf([&] { EnsureTree(context_.Get()); }), HasSubstr("etcd/peer.key"));
}

TEST_F(CreateTest, JoiningCreatesMissingLeavesOfTheGivenCas) {
  context_.MakeCas();
  const std::string ca = context_.Text("ca.crt");
  const auto outcomes = EnsureTree(context_.Get());
  for (const TreeOutcome& row : outcomes) {
    EXPECT_EQ(row.outcome.action, row.spec->is_ca() ? Action::kReused : Action::kCreated);
  }
  EXPECT_EQ(context_.Text("ca.crt"), ca);
  EXPECT_FALSE(context_.fake.files.Exists(FakeContext::Path("sa.key")));
}

TEST_F(CreateTest, JoiningWithoutTheCaKeyRequiresEveryLeaf) {
  context_.MakeAll();
  context_.Remove("ca.key");
  EXPECT_EQ(EnsureTree(context_.Get()).front().outcome.action, Action::kReusedKeyless);
  context_.config.init.node_registration.name = "other";  // names are not checked then
  context_.config.cluster.etcd = {.local = std::nullopt, .external = config::ExternalEtcd{}};
  EXPECT_EQ(EnsureTree(context_.Get())[1].outcome.action, Action::kReused);
  context_.Remove("apiserver.key");
  EXPECT_THAT(base::MessageOf([&] { EnsureTree(context_.Get()); }),
              AllOf(HasSubstr("\"apiserver\""), HasSubstr("apiserver.key")));
}

TEST_F(CreateTest, KeysToDrawReturnsTheNumberOfNeededKeys) {
  EXPECT_EQ(KeysToDraw(context_.fake.files, context_.config.cluster), 11U);
  context_.MakeCas();
  std::atomic<std::size_t> asked = 0;
  const std::size_t expected = KeysToDraw(context_.fake.files, context_.config.cluster);
  Context context = context_.Get();
  context.new_key = [&] {
    ++asked;
    return pki::PrivateKey::Generate(pki::Algorithm::kEcdsaP256);
  };
  for (const CertSpec& spec : Tree()) {
    Ensure(spec, context);
  }
  EnsureServiceAccountKey(context);
  EXPECT_EQ(expected, 8U);
  EXPECT_EQ(asked, expected);
  EXPECT_EQ(KeysToDraw(context_.fake.files, context_.config.cluster), 0U);
  context_.config.cluster.etcd.external.emplace();
  context_.config.cluster.certificates_dir = "/elsewhere";
  EXPECT_EQ(KeysToDraw(context_.fake.files, context_.config.cluster), 6U);
}

TEST_F(CreateTest, CreatesLeavesConcurrently) {
  context_.MakeCas();
  pki::KeyPool pool({.algorithm = pki::Algorithm::kEcdsaP256, .count = 8});
  Context context = context_.Get();
  context.new_key = [&] { return pool.Take(); };
  {
    std::vector<std::jthread> threads;
    for (const CertSpec& spec : Tree()) {
      if (!spec.is_ca()) {
        threads.emplace_back([&spec, &context] { Ensure(spec, context); });
      }
    }
  }
  for (const TreeOutcome& row : EnsureTree(context_.Get())) {
    EXPECT_EQ(row.outcome.action, Action::kReused) << row.spec->name;
  }
}

}  // namespace
}  // namespace certs
