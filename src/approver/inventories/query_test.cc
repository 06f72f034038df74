// SPDX-License-Identifier: Apache-2.0
#include "inventories/query.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "base/error.h"
#include "base/fake_error.h"
#include "host/fake_host.h"
#include "http/fake_impostor.h"
#include "http/fake_server.h"
#include "kube/fake_identity.h"
#include "pki/certificate.h"

namespace inventories {
namespace {

using namespace std::chrono_literals;
using base::Error;
using testing::AnyOf;
using testing::HasSubstr;
using testing::SizeIs;

constexpr const char* kAnswer =
    R"({"apiVersion":"approver.slipway/v1alpha1","kind":"Inventory","items":[{"hostname":"a"}]})";

std::string Failure(const Query& query) {
  try {
    query({});
    return "answered";
  } catch (const Error& error) {
    return error.message();
  }
}

// A client's key and certificate, and the CA that signed the certificate.
struct ClientIdentity {
  ClientIdentity() {
    const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    pki::CertificateSpec spec{.subject = {.common_name = "clients", .organizations = {}},
                              .usages = {},
                              .not_before = now - 1h,
                              .not_after = now + 1h};
    const auto ca_key = pki::PrivateKey::Generate(pki::Algorithm::kEcdsaP256);
    const pki::KeyPair ca{.certificate = pki::NewSelfSignedCa(spec, ca_key), .key = ca_key};
    spec.subject.common_name = "approver";
    spec.usages = {pki::ExtendedKeyUsage::kClientAuth};
    const auto key = pki::PrivateKey::Generate(pki::Algorithm::kEcdsaP256);
    certificate_pem = pki::Sign(spec, key.Public(), ca).Pem();
    key_pem = key.Pem();
    ca_pem = ca.certificate.Pem();
  }
  std::string certificate_pem, key_pem, ca_pem;
};

class HttpQueryTest : public testing::Test {
 protected:
  HttpQueryTest() { fake_.files.Write("/etc/ca.crt", kube::OneFakeIdentity().ca_pem, {}); }

  void Serve(const http::FakeServer::Handler& handler, const std::string& client_ca = "") {
    http::FakeTls tls = kube::OneFakeIdentity().tls;
    tls.client_ca_pem = client_ca;
    server_ = std::make_unique<http::FakeServer>(handler, tls);
  }
  Query QueryOf(const std::string& credentials = "", std::chrono::milliseconds timeout = 5min) {
    return HttpQuery(
        fake_.host,
        {.url = server_->Url() + "/hosts", .ca_file = "/etc/ca.crt", .credentials = credentials},
        timeout);
  }

  host::FakeHost fake_;
  std::unique_ptr<http::FakeServer> server_;
};

TEST_F(HttpQueryTest, ReadsTheAnswerAndItsAge) {
  Serve([](const http::FakeRequest& request) {
    EXPECT_EQ(request.method, "GET");
    EXPECT_EQ(request.path, "/hosts");
    EXPECT_FALSE(request.headers.contains("authorization"));
    return http::FakeReply{.body = kAnswer, .headers = {{"Cache-Control", "max-age=60"}}};
  });
  const Answer answer = QueryOf()({});
  ASSERT_THAT(answer.entries, SizeIs(1));
  EXPECT_EQ(answer.entries.front().source, judgement::Source::kHttp);
  EXPECT_EQ(answer.max_age, 60s);
}

TEST_F(HttpQueryTest, SendsTheCurrentCredentialsOfTheMountedSecret) {
  const ClientIdentity client;
  auto token = std::make_shared<std::string>();
  Serve(
      [token](const http::FakeRequest& request) {
        *token = request.headers.at("authorization");
        return http::FakeReply{.body = kAnswer};
      },
      client.ca_pem);
  const Query query = QueryOf("/etc/credentials");
  EXPECT_THAT(Failure(query), HasSubstr("/etc/credentials must have"));
  fake_.files.Write("/etc/credentials/token", "first\n", {});
  EXPECT_NE(Failure(query), "answered") << "the server requires a client certificate";
  fake_.files.Write("/etc/credentials/tls.crt", client.certificate_pem, {});
  EXPECT_THAT(Failure(query), HasSubstr("/etc/credentials must have"));
  fake_.files.Write("/etc/credentials/tls.key", client.key_pem, {});
  EXPECT_THAT(query({}).entries, SizeIs(1));
  EXPECT_EQ(*token, "Bearer first");
  fake_.files.Write("/etc/credentials/token", "second", {});
  EXPECT_THAT(query({}).entries, SizeIs(1));
  EXPECT_EQ(*token, "Bearer second");
}

TEST_F(HttpQueryTest, TrustsOnlyTheGivenCa) {
  Serve([](const http::FakeRequest&) { return http::FakeReply{.body = kAnswer}; });
  const ClientIdentity other;
  fake_.files.Write("/etc/ca.crt", other.ca_pem, {});
  EXPECT_THAT(Failure(QueryOf()), HasSubstr("certificate"));
  fake_.files.Write("/etc/ca.crt", "\n", {});
  EXPECT_THAT(Failure(QueryOf()), HasSubstr("/etc/ca.crt has no CA certificate"));
  fake_.files.Write("/etc/ca.crt", "no PEM", {});
  EXPECT_NE(Failure(QueryOf()), "answered");
  fake_.files.Remove("/etc/ca.crt");
  EXPECT_THAT(Failure(QueryOf()), HasSubstr("/etc/ca.crt"));
}

TEST_F(HttpQueryTest, FollowsNoRedirect) {
  auto asked = std::make_shared<std::atomic<int>>(0);
  Serve([asked](const http::FakeRequest& request) {
    ++*asked;
    return request.path == "/hosts"
               ? http::FakeReply{.status = 302, .headers = {{"Location", "/other"}}}
               : http::FakeReply{.body = kAnswer};
  });
  EXPECT_THAT(Failure(QueryOf()), HasSubstr("redirects (status 302)"));
  EXPECT_EQ(*asked, 1);
}

TEST_F(HttpQueryTest, TreatsEveryStatusBut200AsAFailure) {
  for (const int status : {204, 206, 304, 401, 403, 404, 429, 500, 503}) {
    Serve([status](const http::FakeRequest&) {
      return http::FakeReply{.status = status, .body = kAnswer};
    });
    EXPECT_THAT(Failure(QueryOf()), HasSubstr(std::to_string(status)));
  }
}

TEST_F(HttpQueryTest, BoundsAnEndlessAnswer) {
  Serve([](const http::FakeRequest&) {
    return http::FakeReply{.stream = [] { return std::string(1 << 16, ' '); }};
  });
  EXPECT_THAT(Failure(QueryOf("", 5min)),
              AnyOf(HasSubstr("large"), HasSubstr("4 MiB"), HasSubstr("4194304")));
}

TEST_F(HttpQueryTest, BoundsASlowAnswer) {
  Serve([](const http::FakeRequest&) {
    return http::FakeReply{.stream = [left = 1000]() mutable {
      std::this_thread::sleep_for(50ms);
      return std::string(--left > 0 ? " " : "");
    }};
  });
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_NE(Failure(QueryOf("", 300ms)), "answered");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 30s);
}

TEST_F(HttpQueryTest, AStopEndsTheQuery) {
  const http::Impostor silent({.first = {}, .again = {}});
  const Query query = HttpQuery(
      fake_.host,
      {.url = "https://127.0.0.1:" + std::to_string(silent.port()), .ca_file = "/etc/ca.crt"}, 60s);
  std::stop_source source;
  const std::jthread stopper([&] { source.request_stop(); });
  EXPECT_THROW(query(source.get_token()), base::Interrupted);
}

TEST(CacheTime, IsMaxAgeMinusAge) {
  struct Row {
    std::map<std::string, std::string> headers;
    int seconds;
  };
  for (const Row& row :
       std::initializer_list<Row>{{{}, 0},
                                  {{{"cache-control", "max-age=60"}}, 60},
                                  {{{"cache-control", "private, Max-Age=60"}}, 60},
                                  {{{"cache-control", "max-age=60"}, {"age", "20"}}, 40},
                                  {{{"cache-control", "max-age=60"}, {"age", "90"}}, 0},
                                  {{{"cache-control", "max-age=60"}, {"age", "x"}}, 0},
                                  {{{"cache-control", "max-age=60, no-store"}}, 0},
                                  {{{"cache-control", "no-cache, max-age=60"}}, 0},
                                  {{{"cache-control", "max-age=60, max-age=90"}}, 0},
                                  {{{"cache-control", "max-age="}}, 0},
                                  {{{"cache-control", "max-age=-5"}}, 0},
                                  {{{"cache-control", "max-age=99999999999999999999"}}, 0},
                                  {{{"cache-control", "max-age=999999"}}, 3600},
                                  {{{"cache-control", "s-maxage=60"}}, 0},
                                  {{{"expires", "Thu, 01 Jan 2099 00:00:00 GMT"}}, 0}}) {
    EXPECT_EQ(CacheTime(row.headers), std::chrono::seconds(row.seconds))
        << testing::PrintToString(row.headers);
  }
}

// Runs shell scripts as the program of the inventory.
class ExecQueryTest : public testing::Test {
 protected:
  Query Script(const std::string& script, std::chrono::milliseconds timeout = 5min) {
    return ExecQuery(host_, {"/bin/sh", "-c", script}, timeout);
  }
  static std::string Print(const std::string& text) { return "printf '%s' '" + text + "'"; }

  host::FakeHost fake_;
  host::RealProcesses processes_;
  host::Host host_ = fake_.With(processes_);
};

TEST_F(ExecQueryTest, ReadsTheAnswer) {
  const Answer answer = Script(Print(kAnswer))({});
  ASSERT_THAT(answer.entries, SizeIs(1));
  EXPECT_EQ(answer.entries.front().source, judgement::Source::kExec);
}

TEST_F(ExecQueryTest, AsksOnStandardInput) {
  EXPECT_THAT(Failure(Script("cat")), HasSubstr("kind must be Inventory, is \"InventoryQuery\""));
}

TEST_F(ExecQueryTest, DoesNotRunArgumentsInAShell) {
  EXPECT_EQ(
      Failure(ExecQuery(host_, {"/bin/sh", "-c", Print(kAnswer), "; exit 1", "$(exit 1)"}, 5min)),
      "answered");
}

TEST_F(ExecQueryTest, QuotesTheErrorOfAFailingProgramInOneLine) {
  const std::string failure =
      Failure(Script(Print(kAnswer) + "; printf 'bad \\033[31mthing\\nmore' >&2; exit 3"));
  EXPECT_THAT(failure, HasSubstr("failed with status 3: "));
  EXPECT_THAT(failure, HasSubstr("bad "));
  EXPECT_THAT(failure, testing::Not(HasSubstr("\033")));
  EXPECT_THAT(failure, testing::Not(HasSubstr("more")));
  EXPECT_THAT(Failure(Script("kill -9 $$")), HasSubstr("failed with status 137"));
}

TEST_F(ExecQueryTest, AMissingProgramIsAFailure) {
  EXPECT_THAT(Failure(ExecQuery(host_, {"/missing/program"}, 5min)), HasSubstr("/missing/program"));
}

TEST_F(ExecQueryTest, KillsAHangingProgram) {
  EXPECT_THAT(Failure(Script(Print(kAnswer) + "; sleep 1000", 200ms)),
              HasSubstr("has not ended after 200 ms"));
}

TEST_F(ExecQueryTest, KillsAProgramThatWritesTooMuch) {
  EXPECT_THAT(Failure(Script("cat /dev/zero")), HasSubstr("more than 4 MiB"));
  EXPECT_THAT(Failure(Script("cat /dev/zero >&2")), HasSubstr("more than 4 MiB"));
}

TEST_F(ExecQueryTest, EndsTheChildrenOfAForkingProgram) {
  const std::string file = fake_.directory.path() / "pid";
  EXPECT_EQ(Failure(Script("sleep 1000 & echo $! > " + file + "; " + Print(kAnswer))), "answered");
  const int left = std::stoi(host::RealFiles().Read(file));
  host::RealClock clock;
  bool gone = false;
  for (int i = 0; i < 1000 && !gone; ++i) {  // its parent, which is not this process, reaps it
    const auto state = host::RealFiles().Find("/proc/" + std::to_string(left) + "/stat");
    gone = !state || state->find(") Z ") != std::string::npos;
    clock.Sleep(10ms, {});
  }
  EXPECT_TRUE(gone);
}

class ExecDocumentQueryTest : public ExecQueryTest {
 protected:
  judgement::Machine Ask(const std::string& script) {
    return ExecDocumentQuery(host_, {"/bin/sh", "-c", script}, 5min)("a \"document\"", {});
  }
  Error FailureOf(const std::string& script) {
    return base::Thrown([&] { Ask(script); });
  }
};

TEST_F(ExecDocumentQueryTest, SendsTheDocumentAndReadsTheMachine) {
  EXPECT_EQ(Ask("grep -q DocumentQuery || exit 4; " + Print(kAnswer)).source,
            judgement::Source::kExec);
  EXPECT_EQ(FailureOf("grep -qF 'a \\\"document\\\"' && exit 3; exit 4").kind(),
            Error::Kind::kForbidden);
}

TEST_F(ExecDocumentQueryTest, DistinguishesARefusalFromAFailure) {
  const Error refusal = FailureOf("echo 'another account' >&2; exit 3");
  EXPECT_EQ(refusal.kind(), Error::Kind::kForbidden);
  EXPECT_THAT(refusal.message(), HasSubstr("the document is refused: \"another account\""));
  EXPECT_EQ(FailureOf("exit 1").kind(), Error::Kind::kOther);
}

TEST_F(ExecDocumentQueryTest, RequiresExactlyOneMachine) {
  const std::string begin =
      R"({"apiVersion":"approver.slipway/v1alpha1","kind":"Inventory","items":)";
  for (const char* items : {"[]", R"([{"hostname":"a"},{"hostname":"b"}])"}) {
    EXPECT_EQ(FailureOf(Print(begin + items + "}")).kind(), Error::Kind::kInvalid) << items;
  }
}

}  // namespace
}  // namespace inventories
