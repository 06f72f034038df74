// SPDX-License-Identifier: Apache-2.0
#include "machine_identity/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <vector>

#include "base/error.h"
#include "base/fake_error.h"
#include "host/fake_host.h"
#include "http/fake_server.h"
#include "pki/certificate.h"

namespace machine_identity {
namespace {

using base::Error;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::chrono::hours kHour{1};

// A CA, and a server certificate for a name.
struct Certificates {
  std::string ca_pem;
  http::FakeTls tls;
};

Certificates CertificatesFor(const std::string& name) {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  pki::CertificateSpec spec{.subject = {.common_name = "kubernetes", .organizations = {}},
                            .usages = {},
                            .not_before = now - kHour,
                            .not_after = now + kHour};
  const auto ca_key = pki::PrivateKey::Generate(pki::Algorithm::kEcdsaP256);
  const auto key = pki::PrivateKey::Generate(pki::Algorithm::kEcdsaP256);
  const pki::KeyPair ca{.certificate = pki::NewSelfSignedCa(spec, ca_key), .key = ca_key};
  spec.subject.common_name = name;
  spec.alt_names = {.dns_names = {name}, .ip_addresses = {"127.0.0.1"}};
  spec.usages = {pki::ExtendedKeyUsage::kServerAuth};
  return {.ca_pem = ca.certificate.Pem(),
          .tls = {.certificate_pem = pki::Sign(spec, key.Public(), ca).Pem(),
                  .key_pem = key.Pem(),
                  .client_ca_pem = {}}};
}

class ClientTest : public testing::Test {
 protected:
  void Serve(const http::FakeServer::Handler& handler,
             const std::string& name = std::string(kServerName)) {
    certificates_ = CertificatesFor(name);
    server_ = std::make_unique<http::FakeServer>(
        [this, handler](const http::FakeRequest& request) {
          ++asked_;
          return handler(request);
        },
        certificates_.tls);
  }
  Endpoint To(const std::string& ca_pem) {
    return {.clock = clock_,
            .host_port = "127.0.0.1:" + std::to_string(server_->port()),
            .ca_pem = ca_pem,
            .limit = std::chrono::seconds(20),
            .progress = [this](const std::string& text) { told_.push_back(text); }};
  }
  std::string Request() { return RequestCertificate(To(certificates_.ca_pem), question_); }

  host::FakeClock clock_;
  Certificates certificates_;
  std::atomic<int> asked_ = 0;
  std::vector<std::string> told_;
  const Question question_{.request_pem = "r", .document = "d"};
  std::unique_ptr<http::FakeServer> server_;  // last: its threads use the rest
};

http::FakeReply Reply(int status, const Answer& answer) {
  return {.status = status, .body = ToJson(answer)};
}

TEST_F(ClientTest, RepeatsItsQuestionUntilTheCertificateIsThere) {
  Serve([this](const http::FakeRequest& request) {
    EXPECT_EQ(request.method, "POST");
    EXPECT_EQ(request.path, kPath);
    EXPECT_EQ(ReadQuestion(request.body).document, "d");
    return asked_ < 3 ? Reply(202, {.certificate_pem = {}, .message = "it waits"})
                      : Reply(200, {.certificate_pem = "pem", .message = {}});
  });
  EXPECT_EQ(Request(), "pem");
  EXPECT_THAT(told_, ElementsAre("it waits"));
}

TEST_F(ClientTest, RetriesWhileTheApproverFails) {
  Serve([this](const http::FakeRequest&) {
    return asked_ < 2 ? Reply(503, {.certificate_pem = {}, .message = "busy"})
                      : Reply(200, {.certificate_pem = "pem", .message = {}});
  });
  EXPECT_EQ(Request(), "pem");
}

TEST_F(ClientTest, ARefusalIsFinal) {
  Serve([](const http::FakeRequest&) {
    return Reply(403, {.certificate_pem = {}, .message = "another node\033[31m"});
  });
  const Error error = base::Thrown([&] { Request(); });
  EXPECT_EQ(error.kind(), Error::Kind::kForbidden);
  EXPECT_THAT(error.message(), HasSubstr("gives this machine no certificate: another node"));
  EXPECT_EQ(error.message().find('\033'), std::string::npos);
  EXPECT_EQ(asked_, 1);
}

TEST_F(ClientTest, NamesTheReasonAfterTheLimit) {
  Serve([](const http::FakeRequest&) {
    return Reply(202, {.certificate_pem = {}, .message = "it waits"});
  });
  const Error error = base::Thrown([&] { Request(); });
  EXPECT_EQ(error.kind(), Error::Kind::kTimeout);
  EXPECT_THAT(error.message(), HasSubstr("it waits"));
}

TEST_F(ClientTest, SendsNothingToAServerOfAnotherCa) {
  Serve([](const http::FakeRequest&) { return Reply(200, {.certificate_pem = "pem"}); });
  const Error error = base::Thrown(
      [&] { RequestCertificate(To(CertificatesFor(std::string(kServerName)).ca_pem), question_); });
  EXPECT_EQ(error.kind(), Error::Kind::kUnauthorized);
  EXPECT_THAT(error.message(), HasSubstr("is not the approver's endpoint"));
  EXPECT_EQ(asked_, 0);
}

// A node has a serving certificate of the same CA, but never for the endpoint's name.
TEST_F(ClientTest, SendsNothingToANodeWithAServingCertificate) {
  Serve([](const http::FakeRequest&) { return Reply(200, {.certificate_pem = "pem"}); },
        "worker-1");
  EXPECT_EQ(base::Thrown([&] { Request(); }).kind(), Error::Kind::kUnauthorized);
  EXPECT_EQ(asked_, 0);
}

TEST_F(ClientTest, TrustsNoServerWithoutACa) {
  Serve([](const http::FakeRequest&) { return Reply(200, {.certificate_pem = "pem"}); });
  EXPECT_THROW(RequestCertificate(To(""), question_), Error);
  EXPECT_EQ(asked_, 0);
}

TEST_F(ClientTest, RefusesAMalformedAnswer) {
  Serve([](const http::FakeRequest&) { return http::FakeReply{.body = "<html>"}; });
  EXPECT_EQ(base::Thrown([&] { Request(); }).kind(), Error::Kind::kInvalid);
}

}  // namespace
}  // namespace machine_identity
