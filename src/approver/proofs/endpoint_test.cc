// SPDX-License-Identifier: Apache-2.0
#include "proofs/endpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "host/fake_host.h"
#include "kube/fake_server.h"
#include "pki/crypto.h"
#include "pki/fake_request.h"
#include "pki/key.h"

namespace proofs {
namespace {

using base::Error;
using judgement::Decision;
using judgement::Machine;
using judgement::Verdict;
using kube::resources::kCsr;
using machine_identity::Question;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// The machine of document "panda", as a plug-in returns it.
Machine Panda() {
  return {.source = judgement::Source::kExec,
          .name = "panda",
          .created = judgement::Time(std::chrono::seconds(1'700'000'000)),
          .node_ref = {},
          .addresses = {{.type = "InternalIP", .address = "FD00::0001"},
                        {.type = "Hostname", .address = "a.example.com"},
                        {.type = "InternalDNS", .address = "panda"}}};
}

// Adds the user to created requests, as the API server does.
class AsUser : public kube::Transport {
 public:
  AsUser(std::unique_ptr<kube::Transport> inner, json::Value as)
      : inner_(std::move(inner)), as_(std::move(as)) {}
  json::Value Do(const kube::Call& call, std::stop_token stop) override {
    kube::Call changed = call;
    changed.body["spec"]["username"] = as_.at("as");
    changed.body["spec"]["groups"] = as_.at("as-groups");
    changed.body["spec"]["extra"] = as_.at("as-user-extra");
    return inner_->Do(changed, stop);
  }
  std::string GetPath(const std::string& path, std::stop_token stop) override {
    return inner_->GetPath(path, stop);
  }
  void Watch(const kube::Call&, const std::string&, const OnEvent&, std::stop_token) override {}

 private:
  std::unique_ptr<kube::Transport> inner_;
  json::Value as_;
};

class EndpointTest : public testing::Test {
 protected:
  Machine MachineOf(const std::string& document) {
    if (document == "nested" && nested_ > 0) {
      --nested_;
      const http::ServerReply reply = Ask("nested");
      innermost_ = nested_ == 0 && innermost_.body.empty() ? reply : innermost_;
      return Panda();
    }
    if (document == "panda" || document == "nested") {
      return Panda();
    }
    if (document == "malformed") {
      throw Error(Error::Kind::kInvalid, "plug-in: malformed");
    }
    throw Error(document == "broken" ? Error::Kind::kOther : Error::Kind::kForbidden,
                "plug-in: " + document);
  }
  http::ServerReply Post(const Question& question) {
    return endpoint_.Answer({.path = std::string(machine_identity::kPath),
                             .bearer_token = {},
                             .body = ToJson(question)});
  }
  http::ServerReply Ask(const std::string& document = "panda") {
    return Post({.request_pem = pki::FakeRequestPem(request_), .document = document});
  }
  static std::string MessageOf(const http::ServerReply& reply) {
    return machine_identity::ReadAnswer(reply.body).message;
  }
  // Returns the names of the requests that were created.
  std::vector<std::string> Created() {
    std::vector<std::string> names;
    const json::Value list = transport_->Do({.verb = kube::Verb::kList, .resource = kCsr}, {});
    for (const json::Value& item : list.at("items")) {
      names.push_back(json::TextAt(item, {"metadata", "name"}));
    }
    return names;
  }
  json::Value TheRequest() { return server_.Find(kCsr, "", Created().at(0)).value(); }
  void SetStatus(const json::Value& status) {
    json::Value object = TheRequest();
    object["status"] = status;
    server_.Put(kCsr, object);
  }
  void Spoil(std::string_view field, const json::Value& value) {
    json::Value object = TheRequest();
    object["spec"][std::string(field)] = value;
    server_.Put(kCsr, object);
  }

  kube::FakeApiServer server_;
  std::unique_ptr<kube::Transport> transport_ = server_.NewTransport();
  pki::FakeRequestSpec request_;
  std::optional<Verdict> verdict_;
  std::string listed_;
  int nested_ = 0;  // the plug-in's calls that ask again
  http::ServerReply innermost_;
  host::FakeClock clock_;
  Endpoint endpoint_{
      {.documents = [this](const std::string& document,
                           const std::stop_token&) { return MachineOf(document); },
       .lists_endorsement_key = [this](const std::string& key) { return key == listed_; },
       .connect_as =
           [this](const json::Value& as) {
             return std::make_unique<AsUser>(server_.NewTransport(), as);
           },
       .workload = *transport_,
       .preview = [this](const std::string&) { return verdict_; },
       .challenge_key = [] { return std::string("shared"); },
       .clock = clock_}};
};

TEST_F(EndpointTest, RequestsACertificateWithTheProvedFacts) {
  EXPECT_EQ(Ask().status, 202);
  const json::Value spec = TheRequest().at("spec");
  EXPECT_EQ(spec.at("username"), "machine-approver:proven-machine");
  EXPECT_EQ(spec.at("groups"), json::Value({"system:bootstrappers:kubeadm:node-bound-token"}));
  EXPECT_EQ(spec.at("signerName"), "kubernetes.io/kube-apiserver-client-kubelet");
  EXPECT_EQ(spec.at("extra"), json::Value({{"identity.slipway/node", {"panda"}},
                                           {"identity.slipway/created", {"2023-11-14T22:13:20Z"}},
                                           {"identity.slipway/addresses", {"fd00::1"}}}));
  EXPECT_THAT(base::Base64Decode(spec.at("request").get<std::string>()),
              testing::StartsWith("-----BEGIN CERTIFICATE REQUEST-----"));
}

TEST_F(EndpointTest, AnswersARepeatedQuestionByTheSameRequest) {
  Ask();
  SetStatus({{"certificate", base::Base64Encode("PEM")}});
  const http::ServerReply reply = Ask();
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(machine_identity::ReadAnswer(reply.body).certificate_pem, "PEM");
  EXPECT_THAT(Created(), SizeIs(1));
}

TEST_F(EndpointTest, AnotherKeyIsAnotherRequest) {
  Ask();
  request_.key = pki::FakeKey::kP384;
  Ask();
  EXPECT_THAT(Created(), SizeIs(2));
}

TEST_F(EndpointTest, RefusesTheNameOfAnotherNode) {
  request_.subject = {{pki::kFakeOrganization, "system:nodes"},
                      {pki::kFakeCommonName, "system:node:bear"}};
  const http::ServerReply reply = Ask();
  EXPECT_EQ(reply.status, 403);
  EXPECT_THAT(MessageOf(reply), HasSubstr("node is \"panda\", and the request is for \"bear\""));
  EXPECT_THAT(Created(), IsEmpty());
}

TEST_F(EndpointTest, RefusesADocumentThatThePlugInRefuses) {
  const http::ServerReply reply = Ask("forged");
  EXPECT_EQ(reply.status, 403);
  EXPECT_THAT(MessageOf(reply), HasSubstr("plug-in: forged"));
  EXPECT_THAT(Created(), IsEmpty());
}

TEST_F(EndpointTest, HidesTheReasonOfAFailingPlugIn) {
  for (const std::string document : {"broken", "malformed"}) {
    const http::ServerReply reply = Ask(document);
    EXPECT_EQ(reply.status, 503) << document;
    EXPECT_EQ(MessageOf(reply).find("plug-in"), std::string::npos) << document;
  }
  EXPECT_THAT(Created(), IsEmpty());
}

TEST_F(EndpointTest, VerifiesAFixedNumberOfDocumentsAtATime) {
  nested_ = Endpoint::kMostDocuments;
  EXPECT_EQ(Ask("nested").status, 202) << "the same question is asked several times at a time";
  EXPECT_EQ(innermost_.status, 503);
  EXPECT_THAT(MessageOf(innermost_), HasSubstr("verifies the documents of other machines"));
  EXPECT_EQ(Ask().status, 202);
}

// A question with the keys of a TPM. Only tests with a TPM can open the challenge.
Question ByTpm(const std::string& request_pem, const std::string& key_pem) {
  return {.request_pem = request_pem,
          .document = {},
          .endorsement_key_pem = key_pem,
          .attestation_key = base::Base64Encode(base::HexDecode(
              "00580023000b00050072000000100018000b000300100020672efd68001941c398796bd5a0224406fa4f"
              "f7ab39efd55d064f6e92e69dbb410020af9d96da8486448a9547fda32a8e45c729bc0e76f51c65069be1"
              "5cb3e222ce10"))};
}

TEST_F(EndpointTest, ChallengesATpmThatAnInventoryLists) {
  const pki::PublicKey key = pki::PrivateKey::Generate(pki::Algorithm::kRsa2048).Public();
  const std::string pem = pki::FakeRequestPem(request_);
  EXPECT_EQ(Post(ByTpm(pem, key.Pem())).status, 403);
  listed_ = "sha256:" + base::HexEncode(pki::Sha256(key.Der()));
  const http::ServerReply reply = Post(ByTpm(pem, key.Pem()));
  EXPECT_EQ(reply.status, 200);
  const machine_identity::Answer answer = machine_identity::ReadAnswer(reply.body);
  EXPECT_EQ(answer.certificate_pem, "");
  EXPECT_EQ(base::Base64Decode(answer.credential).size(), 8 + 2 + 68 + 2 + 256);
  Question guess = ByTpm(pem, key.Pem());
  guess.challenge = answer.challenge;
  guess.secret = base::Base64Encode(std::string(32, 'x'));
  EXPECT_EQ(Post(guess).status, 403);
  clock_.Sleep(Challenges::kValid, {});
  EXPECT_EQ(Post(guess).status, 409);
  EXPECT_THAT(Created(), IsEmpty());
}

TEST_F(EndpointTest, RefusesMalformedQuestions) {
  EXPECT_EQ(Post({.request_pem = "x", .document = "panda"}).status, 400);
  EXPECT_EQ(Ask("").status, 400);
  request_.subject = {{pki::kFakeCommonName, "admin"}};
  EXPECT_EQ(Ask().status, 400);
  EXPECT_EQ(endpoint_.Answer({.path = "/", .bearer_token = {}, .body = "{}"}).status, 404);
  const std::string path(machine_identity::kPath);
  EXPECT_EQ(endpoint_.Answer({.path = path, .bearer_token = {}}).status, 405);
  EXPECT_EQ(endpoint_.Answer({.path = path, .bearer_token = {}, .body = "{"}).status, 400);
  EXPECT_THAT(Created(), IsEmpty());
}

TEST_F(EndpointTest, DoesNotBlameTheMachineForAnErrorOfTheApiServer) {
  server_.Inject({.what = "POST ", .status = 403, .reason = "Forbidden", .message = "may not"});
  EXPECT_EQ(Ask().status, 503);
}

TEST_F(EndpointTest, PassesOnTheVerdictOfTheApprover) {
  verdict_ = Verdict{.decision = Decision::kRetry,
                     .reason = judgement::Reason::kCertificateInFlight,
                     .message = "wait",
                     .rules = {}};
  EXPECT_EQ(Ask().status, 202);
  EXPECT_THAT(MessageOf(Ask()), HasSubstr("certificate-in-flight: wait"));
  verdict_->decision = Decision::kIgnore;
  verdict_->reason = judgement::Reason::kClientNodeExists;
  EXPECT_EQ(Ask().status, 403);
  EXPECT_THAT(MessageOf(Ask()), HasSubstr("client-node-exists"));
  verdict_->decision = Decision::kApprove;
  EXPECT_EQ(Ask().status, 202) << "only the approval counts";
  verdict_.reset();
  SetStatus({{"conditions", {{{"type", "Denied"}}}}});
  EXPECT_EQ(Ask().status, 403);
}

TEST_F(EndpointTest, ReturnsNoCertificateOfAnotherUsersRequest) {
  Ask();
  SetStatus({{"certificate", base::Base64Encode("PEM")}});
  const json::Value good = TheRequest();
  const auto refused = [&](std::string_view field, const json::Value& value) {
    server_.Put(kCsr, good);
    Spoil(field, value);
    return Ask().status;
  };
  EXPECT_EQ(refused("username", "system:bootstrap:abcdef"), 403);
  EXPECT_EQ(refused("extra", {{"identity.slipway/node", {"bear"}}}), 403);
  EXPECT_EQ(refused("request", base::Base64Encode("x")), 403);
  server_.Put(kCsr, good);
  EXPECT_EQ(Ask().status, 200);
}

}  // namespace
}  // namespace proofs
