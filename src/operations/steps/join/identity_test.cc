// SPDX-License-Identifier: Apache-2.0
#include "steps/join/identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>

#include "base/error.h"
#include "base/fake_error.h"
#include "host/fake_host.h"
#include "http/fake_server.h"
#include "machine_identity/messages.h"
#include "pki/certificate.h"
#include "pki/request.h"
#include "workflow/fake_context.h"

namespace join_steps {
namespace {

using base::Error;
using machine_identity::Answer;
using machine_identity::Question;
using testing::HasSubstr;

pki::KeyPair NewCa(std::chrono::sys_seconds now) {
  const auto key = pki::PrivateKey::Generate(pki::Algorithm::kEcdsaP256);
  return {.certificate =
              pki::NewSelfSignedCa({.subject = {.common_name = "kubernetes", .organizations = {}},
                                    .usages = {},
                                    .not_before = now - std::chrono::hours(1),
                                    .not_after = now + std::chrono::hours(1)},
                                   key),
          .key = key};
}

// An endpoint that signs requests with the cluster's CA.
class LoginByIdentityTest : public testing::Test {
 protected:
  LoginByIdentityTest() {
    const auto key = pki::PrivateKey::Generate(pki::Algorithm::kEcdsaP256);
    const std::string name(machine_identity::kServerName);
    server_.emplace([this](const http::FakeRequest& request) { return Reply(request); },
                    http::FakeTls{.certificate_pem = Signed(ca_, name, key.Public()).Pem(),
                                  .key_pem = key.Pem(),
                                  .client_ca_pem = {}});
    cluster_ = {.server = "https://127.0.0.1:6443",
                .certificate_authority_data = ca_.certificate.Pem()};
    proof_ = {.document = "d", .endpoint = "127.0.0.1:" + std::to_string(server_->port())};
  }

  pki::Certificate Signed(const pki::KeyPair& ca, const std::string& name,
                          const pki::PublicKey& key) const {
    return pki::Sign({.subject = {.common_name = name, .organizations = {}},
                      .alt_names = {.dns_names = {std::string(machine_identity::kServerName)},
                                    .ip_addresses = {}},
                      .usages = {},
                      .not_before = now_ - std::chrono::hours(1),
                      .not_after = now_ + std::chrono::hours(1)},
                     key, ca);
  }

  // Issues a certificate for the key that the machine has saved, as each request has the machine's
  // own key.
  http::FakeReply Reply(const http::FakeRequest& request) {
    const Question question = machine_identity::ReadQuestion(request.body);
    EXPECT_EQ(question.document, "d");
    EXPECT_EQ(pki::ReadRequest(question.request_pem)->common_name, "system:node:n");
    const auto key = pki::PrivateKey::FromPem(*fake_.files.Find(kIdentityFile));
    ++asked_;
    if (!status_.empty()) {
      return {.status = 403, .body = ToJson(Answer{.certificate_pem = {}, .message = status_})};
    }
    return {.body = ToJson(Answer{
                .certificate_pem = Signed(signer_ ? *signer_ : ca_, name_, key.Public()).Pem(),
                .message = {}})};
  }

  kube::Kubeconfig Login() {
    return LoginByIdentity({.proof = proof_, .cluster = cluster_, .node = node_}, fake_.host,
                           context_);
  }

  // TLS compares with the real time.
  const std::chrono::sys_seconds now_ =
      std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  host::FakeHost fake_;
  workflow::FakeContext context_;
  pki::KeyPair ca_ = NewCa(now_);
  std::optional<pki::KeyPair> signer_;
  std::string node_ = "n", name_ = "system:node:n", status_;
  int asked_ = 0;
  kube::KubeconfigCluster cluster_;
  IdentityProof proof_;
  std::optional<http::FakeServer> server_;  // last: its threads use the rest
};

TEST_F(LoginByIdentityTest, IsTheLoginOfTheNode) {
  fake_.clock.Set(now_);
  const kube::Kubeconfig config = Login();
  EXPECT_EQ(config.CurrentCluster()->server, "https://127.0.0.1:6443");
  const kube::KubeconfigUser& user = *config.CurrentUser();
  const auto certificate = pki::Certificate::FromPem(user.client_certificate_data);
  EXPECT_EQ(certificate.subject().common_name, "system:node:n");
  EXPECT_TRUE(pki::PrivateKey::FromPem(user.client_key_data).Public() == certificate.public_key());
}

TEST_F(LoginByIdentityTest, IsUsedAgainByTheNextRun) {
  fake_.clock.Set(now_);
  const std::string first = Login().CurrentUser()->client_certificate_data;
  EXPECT_EQ(Login().CurrentUser()->client_certificate_data, first);
  EXPECT_EQ(asked_, 1);
  cluster_.certificate_authority_data += NewCa(now_).certificate.Pem();
  EXPECT_EQ(Login().CurrentUser()->client_certificate_data, first) << "during a rotation";
}

TEST_F(LoginByIdentityTest, KeepsItsKeyAfterARefusal) {
  fake_.clock.Set(now_);
  status_ = "not yet";
  EXPECT_EQ(base::Thrown([&] { Login(); }).kind(), Error::Kind::kForbidden);
  const auto key = pki::PrivateKey::FromPem(*fake_.files.Find(kIdentityFile));
  status_.clear();
  EXPECT_EQ(Login().CurrentUser()->client_key_data, key.Pem());
}

TEST_F(LoginByIdentityTest, RefusesADamagedKeyInsteadOfReplacingIt) {
  fake_.clock.Set(now_);
  fake_.files.Write(kIdentityFile, "-----BEGIN PRIVATE KEY-----\nM", {.mode = 0600});
  EXPECT_THAT(base::Thrown([&] { Login(); }).message(),
              HasSubstr("damaged: /var/lib/kubelet/pki/machine-identity.pem"));
  EXPECT_EQ(asked_, 0);
}

TEST_F(LoginByIdentityTest, RefusesACertificateThatIsNotItsOwn) {
  fake_.clock.Set(now_);
  name_ = "system:node:other";
  EXPECT_THAT(base::Thrown([&] { Login(); }).message(),
              HasSubstr("it is of \"system:node:other\""));
  name_ = "system:node:n";
  signer_ = NewCa(now_);
  EXPECT_THAT(base::Thrown([&] { Login(); }).message(), HasSubstr("cannot be used"));
}

TEST_F(LoginByIdentityTest, RefusesAMalformedEndpoint) {
  for (const char* bad : {":1", "a:b", "a:0", "[::1"}) {
    proof_.endpoint = bad;
    EXPECT_THAT(base::Thrown([&] { Login(); }).message(), HasSubstr("--identity-endpoint")) << bad;
  }
  proof_.endpoint.clear();
  cluster_.server = "https://";
  EXPECT_THAT(base::Thrown([&] { Login(); }).message(), HasSubstr("--identity-endpoint"));
}

}  // namespace
}  // namespace join_steps
