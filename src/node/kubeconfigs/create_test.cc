// SPDX-License-Identifier: Apache-2.0
#include "kubeconfigs/create.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "certs/fake_context.h"
#include "kube/kubeconfig.h"
#include "kubeconfigs/build.h"
#include "kubeconfigs/node_requests.h"

namespace kubeconfigs {
namespace {

using certs::FakeContext;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

constexpr auto kStart = FakeContext::kStart;

class KubeconfigsTest : public testing::Test {
 protected:
  KubeconfigsTest() { MakeCa(kStart - std::chrono::hours(48)); }

  // Creates a CA that begins at `from`.
  void MakeCa(std::chrono::sys_seconds from) {
    const pki::PrivateKey key = certs_.Get().new_key();
    certs::SavePair(certs_.fake.files, FakeContext::kDir, "ca",
                    {pki::NewSelfSignedCa({.subject = {.common_name = "kubernetes"},
                                           .not_before = from,
                                           .not_after = from + std::chrono::hours(87600)},
                                          key),
                     key});
  }
  Context Get() {
    return {.files = certs_.fake.files,
            .config = certs_.config,
            .dir = "/etc/kubernetes",
            .ca_dir = FakeContext::kDir,
            .start = kStart,
            .new_key = certs_.Get().new_key,
            .periods = certs_.periods};
  }
  Outcome Do(std::string_view phase) { return EnsureKubeconfig(FindSpec(phase), Get()); }
  std::string ErrorOf(std::string_view phase) {
    return base::MessageOf([&] { Do(phase); });
  }
  std::string Text(const std::string& file) {
    return certs_.fake.files.Read("/etc/kubernetes/" + file);
  }
  void Write(const std::string& file, const std::string& text) {
    certs_.fake.files.Write("/etc/kubernetes/" + file, text, {});
  }
  static pki::Certificate ClientOf(const std::string& text) {
    const kube::Kubeconfig config = kube::Kubeconfig::Parse(text);
    return pki::Certificate::FromPem(config.CurrentUser()->client_certificate_data);
  }
  // Returns admin.conf with another cluster section.
  static std::string ConfTrusting(const kube::KubeconfigCluster& cluster) {
    kube::Kubeconfig config = NewKubeconfig({.cluster = "c", .server = "", .user = "u"});
    config.clusters["c"] = cluster;
    return config.Text();
  }

  FakeContext certs_;
};

TEST_F(KubeconfigsTest, MakesTheFilesOfInit) {
  certs_.config.cluster.control_plane_endpoint = "lb.example.org:8443";
  certs_.config.cluster.cluster_name = "west";
  for (const KubeconfigSpec& spec : InitSpecs()) {
    const Outcome outcome = EnsureKubeconfig(spec, Get());
    EXPECT_EQ(outcome.action, Action::kCreated);
    EXPECT_EQ(outcome.path, host::fs::path("/etc/kubernetes") / spec.file);
    EXPECT_EQ(certs_.fake.files.Stat(outcome.path).value().mode, 0600U) << spec.file;
    const std::string text = Text(std::string(spec.file));
    const kube::Kubeconfig config = kube::Kubeconfig::Parse(text);
    const std::string user = UserOf(spec, certs_.config);
    EXPECT_EQ(config.current_context, user + "@west");
    ASSERT_NE(config.CurrentCluster(), nullptr) << spec.file;
    EXPECT_EQ(config.CurrentContext()->user, user);
    EXPECT_EQ(config.CurrentContext()->cluster, "west");
    EXPECT_EQ(config.CurrentCluster()->server, ServerUrl(spec.server, certs_.config));
    EXPECT_EQ(config.CurrentCluster()->certificate_authority_data, certs_.Text("ca.crt"));
    const pki::Certificate client = ClientOf(text);
    EXPECT_EQ(client.subject().common_name, user);
    EXPECT_EQ(client.subject().organizations.empty(), spec.organization.empty());
    EXPECT_TRUE(pki::PrivateKey::FromPem(config.CurrentUser()->client_key_data).Public() ==
                client.public_key());
  }
}

TEST_F(KubeconfigsTest, UsersHaveTheOrganizationsOfTheirRole) {
  Do("admin");
  Do("super-admin");
  Do("kubelet");
  EXPECT_THAT(ClientOf(Text("admin.conf")).subject().organizations,
              ElementsAre("kubeadm:cluster-admins"));
  EXPECT_THAT(ClientOf(Text("super-admin.conf")).subject().organizations,
              ElementsAre("system:masters"));
  EXPECT_THAT(ClientOf(Text("kubelet.conf")).subject().organizations, ElementsAre("system:nodes"));
}

TEST_F(KubeconfigsTest, AClientIsValidFromTheStartOfTheCa) {
  certs_.config.cluster.certificate_validity_period = std::chrono::hours(72);
  Do("admin");
  const pki::Certificate client = ClientOf(Text("admin.conf"));
  EXPECT_EQ(client.not_before(), kStart - std::chrono::hours(48));
  EXPECT_EQ(client.not_after(), kStart + std::chrono::hours(72));
  EXPECT_THAT(client.usages(), ElementsAre(pki::ExtendedKeyUsage::kClientAuth));
}

TEST_F(KubeconfigsTest, OnlyTheFirstCertificateOfABundleIsTrusted) {
  const std::string first = certs_.Text("ca.crt");
  MakeCa(kStart);
  const std::string second = certs_.Text("ca.crt");
  certs_.Write("ca.crt", second + first);
  Do("admin");
  EXPECT_EQ(
      kube::Kubeconfig::Parse(Text("admin.conf")).CurrentCluster()->certificate_authority_data,
      second);
  Write("scheduler.conf", ConfTrusting({.certificate_authority_data = first}));
  EXPECT_THAT(ErrorOf("scheduler"), HasSubstr("scheduler.conf"));
}

TEST_F(KubeconfigsTest, AnExpiredCaStillSignsWithAWarning) {
  MakeCa(kStart - std::chrono::hours(100000));
  testing::internal::CaptureStderr();
  EXPECT_EQ(Do("admin").action, Action::kCreated);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("certificate ca"));
}

TEST_F(KubeconfigsTest, AnExistingFileIsKept) {
  Do("admin");
  const std::string before = Text("admin.conf");
  EXPECT_EQ(Do("admin").action, Action::kReused);
  EXPECT_EQ(Text("admin.conf"), before);
}

TEST_F(KubeconfigsTest, WritesThroughALinkToAMissingFile) {
  host::fs::create_symlink("later.conf", certs_.fake.files.Location("/etc/kubernetes/admin.conf"));
  EXPECT_EQ(Do("admin").action, Action::kCreated);
  EXPECT_THAT(Text("later.conf"), HasSubstr("kind: Config"));
  EXPECT_EQ(Do("admin").action, Action::kReused);
}

TEST_F(KubeconfigsTest, RefusesAMismatchedCaEvenIfNothingIsSigned) {
  Do("admin");
  const std::string certificate = certs_.Text("ca.crt");
  MakeCa(kStart);
  certs_.Write("ca.crt", certificate);
  EXPECT_THAT(ErrorOf("admin"), HasSubstr("key does not belong to its certificate"));
}

TEST_F(KubeconfigsTest, WarnsOfAnotherServer) {
  Do("admin");
  certs_.config.init.local_api_endpoint.advertise_address = "10.20.30.99";
  testing::internal::CaptureStderr();
  EXPECT_EQ(Do("admin").action, Action::kReusedOtherServer);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              AllOf(HasSubstr("admin.conf"), HasSubstr("https://10.20.30.40:6443"),
                    HasSubstr("https://10.20.30.99:6443")));
}

TEST_F(KubeconfigsTest, TheCaMayBeInAFileOfItsOwn) {
  Write("admin.conf", ConfTrusting({.server = "https://10.20.30.40:6443",
                                    .certificate_authority = "/etc/kubernetes/pki/ca.crt"}));
  EXPECT_EQ(Do("admin").action, Action::kReused);
}

TEST_F(KubeconfigsTest, AFileThatDoesNotTrustTheCaIsRefused) {
  const std::string old_ca = certs_.Text("ca.crt");
  MakeCa(kStart);
  struct Case {
    const char* name;
    std::string text;
  };
  for (const Case& c :
       {Case{"garbage", "clusters: [\n"}, Case{"empty", ""}, Case{"no CA", ConfTrusting({})},
        Case{"another CA", ConfTrusting({.certificate_authority_data = old_ca})},
        Case{"no certificate", ConfTrusting({.certificate_authority_data = "hello"})},
        Case{"no such file", ConfTrusting({.certificate_authority = "/nowhere"})},
        Case{"another CA first",
             ConfTrusting({.certificate_authority_data = old_ca + certs_.Text("ca.crt")})}}) {
    Write("admin.conf", c.text);
    EXPECT_THAT(ErrorOf("admin"), HasSubstr("/etc/kubernetes/admin.conf")) << c.name;
    EXPECT_EQ(Text("admin.conf"), c.text) << c.name;
  }
}

TEST_F(KubeconfigsTest, CreatesNoneWithoutTheCasFiles) {
  for (const char* missing : {"ca.key", "ca.crt"}) {
    certs_.Remove(missing);
    EXPECT_THAT(ErrorOf("admin"), AllOf(HasSubstr("CA"), HasSubstr(missing)));
    EXPECT_FALSE(certs_.fake.files.Exists("/etc/kubernetes/admin.conf"));
  }
}

TEST_F(KubeconfigsTest, RequiresAllFilesOfAnExternalCa) {
  certs_.config.cluster.control_plane_endpoint = "lb.example.org:8443";
  for (const KubeconfigSpec& spec : InitSpecs()) {
    EnsureKubeconfig(spec, Get());
  }
  certs_.Remove("ca.key");
  EXPECT_TRUE(ExternalCaProblems(Get()).empty());

  certs_.fake.files.Remove("/etc/kubernetes/controller-manager.conf");
  EXPECT_THAT(ExternalCaProblems(Get()).Text(), HasSubstr("controller-manager.conf"));
  Write("scheduler.conf", ConfTrusting({}));
  EXPECT_EQ(ExternalCaProblems(Get()).size(), 2U);
  certs_.Remove("ca.crt");
  EXPECT_THAT(ExternalCaProblems(Get()).Text(), HasSubstr("ca.crt"));
}

TEST_F(KubeconfigsTest, AnExternalCaMayBeABundle) {
  for (const KubeconfigSpec& spec : InitSpecs()) {
    EnsureKubeconfig(spec, Get());
  }
  const std::string first = certs_.Text("ca.crt");
  MakeCa(kStart);
  certs_.Write("ca.crt", certs_.Text("ca.crt") + first);
  EXPECT_TRUE(ExternalCaProblems(Get()).empty());
}

TEST_F(KubeconfigsTest, KeysToDrawCountsMissingFiles) {
  EXPECT_EQ(KeysToDraw(certs_.fake.files, "/etc/kubernetes", InitSpecs()), 5U);
  Do("admin");
  EXPECT_EQ(KeysToDraw(certs_.fake.files, "/etc/kubernetes", InitSpecs()), 4U);
  EXPECT_EQ(KeysToDraw(certs_.fake.files, "/etc/kubernetes", JoinSpecs()), 2U);
}

TEST_F(KubeconfigsTest, AUserGetsACertificate) {
  certs_.config.cluster.control_plane_endpoint = "lb.example.org:8443";
  const std::string text = NewUserKubeconfig({.client_name = "alice",
                                              .organizations = {"devs", "ops"},
                                              .validity = std::chrono::hours(48)},
                                             Get());
  const kube::Kubeconfig config = kube::Kubeconfig::Parse(text);
  EXPECT_EQ(config.current_context, "alice@kubernetes");
  EXPECT_EQ(config.CurrentCluster()->server, "https://lb.example.org:8443");
  const pki::Certificate client = ClientOf(text);
  EXPECT_EQ(client.subject().common_name, "alice");
  EXPECT_THAT(client.subject().organizations, testing::UnorderedElementsAre("devs", "ops"));
  EXPECT_EQ(client.not_before(), kStart - std::chrono::hours(48));
  EXPECT_EQ(client.not_after(), kStart + std::chrono::hours(48));
  EXPECT_EQ(ClientOf(NewUserKubeconfig({.client_name = "bob"}, Get())).not_after(),
            kStart + certs::kDefaultValidity);
}

TEST_F(KubeconfigsTest, AUserNeedsAName) {
  EXPECT_THAT(base::MessageOf([&] { NewUserKubeconfig({.client_name = ""}, Get()); }),
              HasSubstr("CommonName"));
}

TEST_F(KubeconfigsTest, AUserMayHaveATokenInstead) {
  const UserOptions options{.client_name = "alice", .token = "my-secret-token"};
  const kube::Kubeconfig config = kube::Kubeconfig::Parse(NewUserKubeconfig(options, Get()));
  EXPECT_EQ(config.CurrentUser()->token, "my-secret-token");
  EXPECT_EQ(config.CurrentUser()->client_certificate_data, "");
  EXPECT_EQ(config.CurrentUser()->client_key_data, "");
  certs_.Remove("ca.key");
  EXPECT_THAT(base::MessageOf([&] { NewUserKubeconfig(options, Get()); }), HasSubstr("ca.key"));
}

TEST_F(KubeconfigsTest, RequestsComeWithAFileThatLacksOnlyTheCertificates) {
  certs_.config.cluster.control_plane_endpoint = "lb.example.org:8443";
  certs_.Remove("ca.crt");  // is not needed
  EXPECT_EQ(WriteKubeconfigRequests(Get()).size(), 5U);
  for (const KubeconfigSpec& spec : InitSpecs()) {
    const std::string file(spec.file);
    const kube::Kubeconfig config = kube::Kubeconfig::Parse(Text(file));
    EXPECT_EQ(config.CurrentUser()->client_certificate_data, "") << file;
    EXPECT_EQ(config.CurrentCluster()->certificate_authority_data, "") << file;
    EXPECT_NO_THROW(pki::PrivateKey::FromPem(config.CurrentUser()->client_key_data)) << file;
    EXPECT_THAT(Text(file + ".csr"), StartsWith("-----BEGIN CERTIFICATE REQUEST-----"));
    EXPECT_EQ(certs_.fake.files.Stat("/etc/kubernetes/" + file + ".csr").value().mode, 0600U);
    const bool local = file == "controller-manager.conf" || file == "scheduler.conf";
    EXPECT_EQ(config.CurrentCluster()->server,
              local ? "https://10.20.30.40:6443" : "https://lb.example.org:8443");
  }
}

TEST_F(KubeconfigsTest, RefusesRequestsIfAFileExists) {
  for (const char* existing : {"admin.conf", "scheduler.conf.csr"}) {
    Write(existing, "old");
    EXPECT_THAT(base::MessageOf([&] { RequireNoRequests(Get()); }),
                AllOf(StartsWith("file already exists: "), HasSubstr(existing)));
    certs_.fake.files.Remove(std::string("/etc/kubernetes/") + existing);
  }
}

TEST_F(KubeconfigsTest, RequestsOfANodeAreForCertificatesAndKubeconfigs) {
  NodeRequests requests(certs_.fake.files, certs_.config, "/etc/kubernetes", kStart);
  EXPECT_THAT(requests.Certificates(), testing::SizeIs(7));
  EXPECT_THAT(requests.Kubeconfigs(), testing::SizeIs(5));
  for (const char* path : {"/etc/kubernetes/admin.conf", "/etc/kubernetes/admin.conf.csr"}) {
    EXPECT_TRUE(certs_.fake.files.Exists(path)) << path;
  }
  EXPECT_TRUE(certs_.fake.files.Exists(host::fs::path(FakeContext::kDir) / "etcd/server.csr"));
}

TEST_F(KubeconfigsTest, WritesNoRequestIfAKubeconfigExists) {
  certs_.fake.files.Write("/etc/kubernetes/scheduler.conf", "x", {});
  EXPECT_THAT(base::MessageOf([&] {
                NodeRequests(certs_.fake.files, certs_.config, "/etc/kubernetes", kStart);
              }),
              HasSubstr("scheduler.conf"));
  EXPECT_FALSE(certs_.fake.files.Exists(host::fs::path(FakeContext::kDir) / "apiserver.csr"));
}

TEST_F(KubeconfigsTest, FinishesInterruptedRequestsWithTheSameKeys) {
  certs_.config.cluster.encryption_algorithm = "RSA-2048";  // repeated RSA signatures are equal
  const auto requests = [&] {
    return std::make_unique<NodeRequests>(certs_.fake.files, certs_.config, "/etc/kubernetes",
                                          kStart);
  };
  requests()->Certificates();  // this run is killed between a file and its request
  WriteKubeconfigRequests(Get());
  const std::string admin = Text("admin.conf");
  const std::string admin_request = Text("admin.conf.csr");
  certs_.fake.files.Remove("/etc/kubernetes/admin.conf.csr");
  certs_.Remove("etcd/server.csr");
  const std::string key = certs_.Text("etcd/server.key");

  const auto again = requests();
  again->Certificates();
  again->Kubeconfigs();
  EXPECT_EQ(certs_.Text("etcd/server.key"), key);
  EXPECT_EQ(Text("admin.conf"), admin);
  EXPECT_EQ(Text("admin.conf.csr"), admin_request);
  EXPECT_THAT(certs_.Text("etcd/server.csr"), StartsWith("-----BEGIN CERTIFICATE REQUEST-----"));
  EXPECT_THAT(base::MessageOf([&] { requests(); }), StartsWith("file already exists: "));
}

TEST_F(KubeconfigsTest, IgnoresInterruptedRequestsInAnotherDirectory) {
  NodeRequests(certs_.fake.files, certs_.config, "/etc/kubernetes", kStart).Certificates();
  certs_.config.cluster.certificates_dir = "/root/pki";
  certs_.fake.files.Write("/root/pki/apiserver.key", "mine", {});
  EXPECT_THAT(base::MessageOf([&] {
                NodeRequests(certs_.fake.files, certs_.config, "/etc/kubernetes", kStart);
              }),
              StartsWith("file already exists: /root/pki/apiserver.key"));
}

}  // namespace
}  // namespace kubeconfigs
