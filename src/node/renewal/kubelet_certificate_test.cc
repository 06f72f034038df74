// SPDX-License-Identifier: Apache-2.0
#include "renewal/kubelet_certificate.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "base/strings.h"
#include "certs/fake_context.h"
#include "kube/fake_server.h"
#include "kube/kubeconfig.h"

namespace renewal {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
namespace resources = kube::resources;

class KubeletCertificateTest : public testing::Test {
 protected:
  KubeletCertificateTest() {
    made_.MakeAll();
    const pki::PrivateKey key = pki::PrivateKey::Generate(pki::Algorithm::kEcdsaP256);
    kube::Kubeconfig conf;
    conf.clusters["c"] = {.server = "https://a:6443",
                          .certificate_authority_data = made_.Text("ca.crt")};
    conf.users["u"] = {.client_certificate_data = Sign(key, "system:node:w1").Pem(),
                       .client_key_data = key.Pem()};
    conf.contexts["x"] = {.cluster = "c", .user = "u"};
    conf.current_context = "x";
    made_.fake.files.Write("/etc/kubernetes/kubelet.conf", conf.Text(), {});
  }

  pki::Certificate Sign(const pki::PrivateKey& key, const std::string& name) {
    return pki::Sign({.subject = {.common_name = name, .organizations = {"system:nodes"}},
                      .alt_names = {},
                      .usages = {pki::ExtendedKeyUsage::kClientAuth},
                      .not_before = certs::FakeContext::kStart,
                      .not_after = certs::FakeContext::kStart + std::chrono::hours(1)},
                     key.Public(), certs::LoadCa(made_.fake.files, certs::FakeContext::kDir, "ca"));
  }

  CertificateRequest Request() {
    return {.subject = {.common_name = "system:node:w1", .organizations = {"system:nodes"}},
            .name = "rotate-w1",
            .waiting = {.clock = made_.fake.clock,
                        .limit = std::chrono::milliseconds(300),
                        .stop = {},
                        .culprit = {}},
            .say = {}};
  }

  certs::FakeContext made_;
  kube::FakeApiServer server_;
  kube::Client client_{server_.NewTransport(),
                       made_.fake.clock,
                       {.limit = std::chrono::milliseconds(200), .grace = {}}};
};

TEST_F(KubeletCertificateTest, IsReplacedInPlace) {
  host::Files& files = made_.fake.files;
  const pki::PrivateKey key = pki::PrivateKey::Generate(pki::Algorithm::kEcdsaP256);
  const pki::KeyPair pair{Sign(key, "system:node:w1"), key};
  KubeletClient embedded = FindKubeletClient(files);
  EXPECT_EQ(embedded.Node(), "w1");
  SaveKubeletClient(files, embedded, pair);
  EXPECT_EQ(FindKubeletClient(files).certificate, pair.certificate);

  kube::Kubeconfig conf = kube::Kubeconfig::Parse(files.Read("/etc/kubernetes/kubelet.conf"));
  const std::string pem = "/var/lib/kubelet/pki/kubelet-client-current.pem";
  conf.users["u"] = {.client_certificate = pem, .client_key = pem};
  files.Write("/etc/kubernetes/kubelet.conf", conf.Text(), {});
  files.Write(pem, Sign(key, "system:node:w1").Pem() + key.Pem(), {.mode = 0600});
  SaveKubeletClient(files, FindKubeletClient(files), pair);
  EXPECT_EQ(files.Read(pem), pair.certificate.Pem() + key.Pem());
}

// A kubelet refuses to rotate a plain file, so SaveKubeletClient replaces it by a link to a dated
// file.
TEST_F(KubeletCertificateTest, APlainFileBecomesTheKubeletsLink) {
  host::Files& files = made_.fake.files;
  const std::string directory = "/var/lib/kubelet/pki";
  const std::string pem = directory + "/kubelet-client-current.pem";
  const auto save = [&] {
    const pki::PrivateKey key = pki::PrivateKey::Generate(pki::Algorithm::kEcdsaP256);
    const pki::KeyPair pair{Sign(key, "system:node:w1"), key};
    SaveKubeletClient(files, {.certificate = pair.certificate, .file = pem}, pair);
    const std::vector<std::string> names = files.List(directory);
    EXPECT_EQ(names.size(), 2U);
    EXPECT_THAT(names.front(),
                testing::MatchesRegex("kubelet-client-[0-9]{4}(-[0-9]{2}){5}\\.pem"));
    EXPECT_EQ(files.Read(directory + "/" + names.front()), pair.certificate.Pem() + key.Pem());
  };
  files.Write(pem, "plain", {.mode = 0600});
  save();
  EXPECT_EQ(files.Stat(pem)->kind, host::FileInfo::Kind::kLink);
  save();  // the target of the link is written
}

TEST_F(KubeletCertificateTest, RefusesACertificateOfAnotherNode) {
  kube::Kubeconfig conf =
      kube::Kubeconfig::Parse(made_.fake.files.Read("/etc/kubernetes/kubelet.conf"));
  conf.users["u"].client_certificate_data = made_.Text("apiserver-kubelet-client.crt");
  made_.fake.files.Write("/etc/kubernetes/kubelet.conf", conf.Text(), {});
  EXPECT_THAT(base::MessageOf([&] { FindKubeletClient(made_.fake.files); }),
              HasSubstr("which is not a node"));
}

TEST_F(KubeletCertificateTest, NamesAnUnapprovedRequest) {
  EXPECT_THAT(base::MessageOf([&] { RequestKubeletCertificate(client_, Request()); }),
              HasSubstr("kubectl certificate approve rotate-w1"));
  const json::Value object = server_.Find(resources::kCsr, "", "rotate-w1").value();
  EXPECT_EQ(json::TextAt(object, {"spec", "signerName"}),
            "kubernetes.io/kube-apiserver-client-kubelet");
  EXPECT_THAT(object["spec"]["usages"], ElementsAre("digital signature", "client auth"));
}

TEST_F(KubeletCertificateTest, ReturnsTheSignedCertificate) {
  CertificateRequest request = Request();
  request.say = [this](const std::string&) {
    json::Value object = server_.Find(resources::kCsr, "", "rotate-w1").value();
    object["status"]["certificate"] = base::Base64Encode(made_.Text("apiserver.crt"));
    server_.Put(resources::kCsr, object);
  };
  EXPECT_EQ(RequestKubeletCertificate(client_, request).certificate,
            made_.Certificate("apiserver.crt"));
}

TEST_F(KubeletCertificateTest, ADeniedRequestEndsTheWait) {
  CertificateRequest request = Request();
  request.say = [this](const std::string&) {
    json::Value object = server_.Find(resources::kCsr, "", "rotate-w1").value();
    object["status"]["conditions"] =
        json::Value::array({{{"type", "Denied"}, {"message", "not this one"}}});
    server_.Put(resources::kCsr, object);
  };
  EXPECT_THAT(base::MessageOf([&] { RequestKubeletCertificate(client_, request); }),
              HasSubstr("Denied: not this one"));
}

}  // namespace
}  // namespace renewal
