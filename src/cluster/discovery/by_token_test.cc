// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/strings.h"
#include "discovery/fake_cluster.h"
#include "http/fake_impostor.h"

namespace discovery {
namespace {

using base::Error;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const Certificates& Ours() { return Certificates::Get(); }
std::string OurPin() { return pki::Pin(Ours().ca.certificate); }
std::string OtherPin() { return pki::Pin(Ours().other_ca.certificate); }

std::string Upper(std::string pin) {
  for (char& c : pin) {
    c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return pin;
}

TEST(ByToken, BuildsTheKubeconfigForTlsBootstrap) {
  FakeCluster cluster;
  for (const std::vector<std::string>& pins : std::vector<std::vector<std::string>>{
           {}, {OurPin()}, {OtherPin(), OurPin()}, {Upper(OurPin())}}) {
    Machine machine;
    machine.ByToken(cluster.Endpoint(), pins);
    const Outcome outcome = machine.Run();
    ASSERT_FALSE(outcome.failed) << outcome.error.message();
    EXPECT_EQ(outcome.config.current_context, "tls-bootstrap-token-user@kubernetes");
    EXPECT_EQ(outcome.config.CurrentContext()->cluster, "kubernetes");
    EXPECT_EQ(outcome.config.CurrentCluster()->server, "https://published:6443");
    EXPECT_EQ(outcome.config.CurrentCluster()->certificate_authority_data,
              Ours().ca.certificate.Pem());
    EXPECT_EQ(outcome.config.CurrentUser()->token, kToken);
    EXPECT_EQ(machine.waited, base::Duration::zero());
    EXPECT_THAT(machine.progress, IsEmpty());
  }
}

TEST(ByToken, IgnoresConnectionSettingsInClusterInfo) {
  FakeCluster cluster;
  kube::Kubeconfig published = kube::Kubeconfig::Parse(cluster.kubeconfig);
  published.clusters[""].proxy_url = "http://proxy:3128";
  published.clusters[""].tls_server_name = "other";
  cluster.kubeconfig = published.Text();
  cluster.Sign(kSecret);
  Machine machine;
  machine.ByToken(cluster.Endpoint(), {OurPin()});
  const Outcome outcome = machine.Run();
  ASSERT_FALSE(outcome.failed) << outcome.error.message();
  EXPECT_EQ(outcome.config.CurrentCluster()->proxy_url, "");
  EXPECT_EQ(outcome.config.CurrentCluster()->tls_server_name, "");
}

TEST(ByToken, QueriesAgainOnlyToVerifyThePin) {
  FakeCluster cluster;
  Machine machine;
  machine.ByToken(cluster.Endpoint());
  machine.Run();
  EXPECT_EQ(cluster.requests(), 1);
  machine.ByToken(cluster.Endpoint(), {OurPin()});
  machine.Run();
  EXPECT_EQ(cluster.requests(), 3);
  // An eavesdropper could have read a token in the request.
  EXPECT_THAT(cluster.authorizations(), Not(Contains(HasSubstr("Bearer"))));
}

// A permanent failure, and how soon it is reported.
struct Refusal {
  const char* about;
  std::function<void(FakeCluster&)> prepare;
  std::vector<std::string> pins;
  Error::Kind kind;
  std::vector<std::string> says;
  base::Duration within = base::Duration::zero();
};

std::function<void(FakeCluster&)> Answering(const http::FakeReply& reply) {
  return [reply](FakeCluster& cluster) { cluster.instead = [reply](int) { return reply; }; };
}

const std::vector<Refusal>& Refusals() {
  static const std::vector<Refusal> rows = {
      {"a wrong pin",
       [](FakeCluster&) {},
       {OtherPin()},
       Error::Kind::kUnauthorized,
       {"CA certificate is " + OurPin(), OtherPin(), "kubeadm token create"}},
      {"another secret",
       [](FakeCluster& c) { c.Sign("ffffffffffffffff"); },
       {},
       Error::Kind::kUnauthorized,
       {"JWS signature for token ID \"abcdef\"", "another secret"}},
      {"a changed kubeconfig",
       [](FakeCluster& c) { c.kubeconfig += "# x\n"; },
       {},
       Error::Kind::kUnauthorized,
       {"JWS"}},
      {"an unverified text that could not be parsed",
       [](FakeCluster& c) { c.kubeconfig = "[[[["; },
       {OurPin()},
       Error::Kind::kUnauthorized,
       {"JWS"}},
      {"an empty cluster-info that another secret signed",
       [](FakeCluster& c) {
         c.kubeconfig = "";
         c.Sign("ffffffffffffffff");
       },
       {},
       Error::Kind::kUnauthorized,
       {"JWS"}},
      {"an empty cluster-info",
       [](FakeCluster& c) {
         c.kubeconfig = "";
         c.Sign(kSecret);
       },
       {},
       Error::Kind::kInvalid,
       {"incomplete"}},
      {"a kubeconfig without a cluster",
       [](FakeCluster& c) {
         c.kubeconfig = "kind: Config\n";
         c.Sign(kSecret);
       },
       {},
       Error::Kind::kInvalid,
       {"names no cluster"}},
      {"a cluster without a CA",
       [](FakeCluster& c) { c.SetCa(""); },
       {},
       Error::Kind::kInvalid,
       {"CA"}},
      {"a CA that is none",
       [](FakeCluster& c) { c.SetCa("x"); },
       {OurPin()},
       Error::Kind::kInvalid,
       {"CA certificates in cluster-info"}},
      {"a server of another CA",
       [](FakeCluster& c) { c.SetCa(Certificates::Get().other_ca.certificate.Pem()); },
       {OtherPin()},
       Error::Kind::kUnauthorized,
       {"does not verify", "by this machine's clock"}},
      {"a CA that came along unpinned",
       [](FakeCluster& c) {
         c.SetCa(Certificates::Get().other_ca.certificate.Pem() +
                 Certificates::Get().ca.certificate.Pem());
       },
       {OtherPin()},
       Error::Kind::kUnauthorized,
       {"does not verify"}},
      {"another cluster-info over the verified connection",
       [](FakeCluster& c) {
         c.instead = [&c](int n) -> std::optional<http::FakeReply> {
           if (n == 0) {
             return std::nullopt;
           }
           FakeCluster::Reply reply = c.Info();
           reply.body = base::ReplaceAll(reply.body, "published", "forged");
           return reply;
         };
       },
       {OurPin()},
       Error::Kind::kUnauthorized,
       {"differs from that over an unverified one"}},
      {"a token that the cluster does not know",
       [](FakeCluster& c) {
         c.signatures = {{"ghijkl", "x"}};
         c.knows_token = false;
       },
       {OurPin()},
       Error::Kind::kNotFound,
       {"does not know token ID \"abcdef\"", "has expired", "kubeadm token create"},
       seconds(66)},
      {"a token that is not signed for, where nobody can be asked about it",
       [](FakeCluster& c) { c.signatures = {{"ghijkl", "x"}}; },
       {},
       Error::Kind::kTimeout,
       {"JWS", "unknown to the cluster, has expired", "kubeadm token create"},
       minutes(5)},
      {"no token left",
       [](FakeCluster& c) {
         c.signatures.clear();
         c.metadata["managedFields"] =
             json::Value::array({{{"manager", "kube-controller-manager"}}});
       },
       {},
       Error::Kind::kTimeout,
       {"has expired"},
       minutes(5)},
      {"nobody who signs",
       [](FakeCluster& c) { c.signatures.clear(); },
       {},
       Error::Kind::kTimeout,
       {"bootstrapsigner"},
       minutes(5)},
      {"a cluster-info that was deleted",
       Answering(FakeCluster::Refused(404, "NotFound")),
       {},
       Error::Kind::kNotFound,
       {"no ConfigMap cluster-info", "init phase bootstrap-token"},
       seconds(5)},
      {"rules that do not let anybody read it",
       Answering(FakeCluster::Refused(403, "Forbidden")),
       {},
       Error::Kind::kForbidden,
       {"anonymous", "--discovery-file"},
       seconds(62)},
      {"rules that are not read for long",
       [](FakeCluster& c) {
         Answering(FakeCluster::Refused(403, "Forbidden"))(c);
         c.has_read_rules = false;
       },
       {},
       Error::Kind::kTimeout,
       {"anonymous", "--discovery-file"},
       minutes(5)},
      {"anonymous access that is off",
       Answering(FakeCluster::Refused(401, "Unauthorized")),
       {},
       Error::Kind::kUnauthorized,
       {"anonymous", "--discovery-file"}},
      {"a web server",
       Answering({.body = "<html>", .content_type = "text/html"}),
       {},
       Error::Kind::kInvalid,
       {"not a Kubernetes API server"}},
      {"a kubelet",
       Answering({.status = 404, .body = "404 page not found"}),
       {},
       Error::Kind::kInvalid,
       {"not a Kubernetes API server (status 404)"}},
      {"an object of another kind",
       Answering({.body = R"({"kind": "Secret"})"}),
       {},
       Error::Kind::kInvalid,
       {"not a Kubernetes API server"}},
      {"a redirect to plain http",
       Answering({.status = 302, .headers = {{"Location", "http://127.0.0.1:1/"}}}),
       {},
       Error::Kind::kInvalid,
       {"no redirect from https to http"}},
  };
  return rows;
}

TEST(ByToken, EndsSoonAfterAPermanentFailure) {
  for (const Refusal& row : Refusals()) {
    SCOPED_TRACE(row.about);
    FakeCluster cluster;
    cluster.date = HttpNow();
    row.prepare(cluster);
    Machine machine;
    machine.ByToken(cluster.Endpoint(), row.pins);
    const Outcome outcome = machine.Run();
    ASSERT_TRUE(outcome.failed);
    EXPECT_EQ(outcome.error.kind(), row.kind) << outcome.error.message();
    for (const std::string& text : row.says) {
      EXPECT_THAT(outcome.error.message(), HasSubstr(text));
    }
    EXPECT_THAT(outcome.error.message(), Not(HasSubstr(kSecret)));
    EXPECT_LE(machine.waited, row.within);
    EXPECT_EQ(machine.progress.empty(), row.within == base::Duration::zero());
  }
}

TEST(ByToken, WaitsAfterATransientFailure) {
  struct Row {
    const char* about;
    FakeCluster::Reply reply;
    const char* says;
  };
  for (const Row& row : std::vector<Row>{
           {"busy", {.status = 503, .body = "later"}, "status 503"},
           {"too many requests", FakeCluster::Refused(429, "TooManyRequests"), "TooManyRequests"},
           {"a cluster-info that is late", FakeCluster::Refused(404, "NotFound"),
            "cluster-info was not found"},
           {"rules that are late", FakeCluster::Refused(403, "Forbidden"), "is forbidden"}}) {
    SCOPED_TRACE(row.about);
    FakeCluster cluster;
    cluster.instead = [&](int n) { return n < 6 ? std::optional(row.reply) : std::nullopt; };
    Machine machine;
    machine.ByToken(cluster.Endpoint(), {OurPin()});
    const Outcome outcome = machine.Run();
    EXPECT_FALSE(outcome.failed) << outcome.error.message();
    // six failures, a success, and a request that verifies the pin
    EXPECT_EQ(cluster.requests(), 8);
    EXPECT_THAT(machine.progress, ElementsAre(AllOf(HasSubstr(row.says), HasSubstr("up to 5m0s"))));
  }
}

TEST(ByToken, PollsOftenAtFirstAndThenOnceASecond) {
  FakeCluster cluster;
  cluster.instead = [](int) { return std::optional(FakeCluster::Reply{.status = 500}); };
  Machine machine;
  machine.timeout = seconds(60);
  machine.ByToken(cluster.Endpoint());
  const Outcome outcome = machine.Run();
  EXPECT_EQ(outcome.error.kind(), Error::Kind::kTimeout);
  EXPECT_THAT(outcome.error.message(), AllOf(HasSubstr("status 500"), HasSubstr("1m0s")));
  EXPECT_EQ(machine.waited, seconds(60));
  EXPECT_GT(cluster.requests(), 60);
  EXPECT_LT(cluster.requests(), 75);
}

TEST(ByToken, WaitsForANewClusterToSign) {
  FakeCluster cluster;
  MakeNew(cluster);
  cluster.instead = [&](int n) -> std::optional<FakeCluster::Reply> {
    if (n == 20) {
      cluster.Sign(kSecret);
      return cluster.Info();
    }
    return std::nullopt;
  };
  Machine machine;
  machine.ByToken(cluster.Endpoint());
  const Outcome outcome = machine.Run();
  EXPECT_FALSE(outcome.failed) << outcome.error.message();
  EXPECT_GT(machine.waited, seconds(10));
  EXPECT_THAT(machine.progress, ElementsAre(HasSubstr("is new and has not signed")));
}

TEST(ByToken, VerifiesAClusterThatHasNotSignedYetByThePin) {
  // 403: the token's group may not read cluster-info, which only anonymous callers may read.
  for (const int status : {200, 403}) {
    FakeCluster cluster;
    MakeNew(cluster);
    cluster.instead = [&](int n) {
      return n == 2 && status == 403 ? std::optional(FakeCluster::Refused(403, "Forbidden"))
                                     : std::nullopt;
    };
    Machine machine;
    machine.ByToken(cluster.Endpoint(), {OurPin()});
    const Outcome outcome = machine.Run();
    EXPECT_FALSE(outcome.failed) << outcome.error.message();
    EXPECT_EQ(machine.waited, base::Duration::zero());
    // The token itself is sent only to the server that the pin verifies.
    EXPECT_THAT(cluster.authorizations(), ElementsAre("", "", std::string("Bearer ") + kToken));
  }
}

TEST(ByToken, NeverSendsTheTokenToANewClusterOfAnotherCa) {
  FakeCluster cluster;
  MakeNew(cluster);
  for (const std::string& published :
       {Ours().ca.certificate.Pem(), Ours().other_ca.certificate.Pem()}) {
    cluster.SetCa(published);
    cluster.signatures.clear();
    Machine machine;
    machine.ByToken(cluster.Endpoint(), {OtherPin()});
    EXPECT_EQ(machine.Run().error.kind(), Error::Kind::kUnauthorized);
  }
  EXPECT_THAT(cluster.authorizations(), Not(Contains(HasSubstr("Bearer"))));
}

TEST(ByToken, RequiresASignatureIfANewClusterDoesNotKnowTheToken) {
  FakeCluster cluster;
  MakeNew(cluster);
  cluster.instead = [&](int n) -> std::optional<FakeCluster::Reply> {
    if (n == 6) {
      cluster.signatures = {{"ghijkl", "x"}};
      return cluster.Info();
    }
    return std::nullopt;
  };
  Machine machine;
  machine.ByToken(cluster.Endpoint(), {OurPin()});
  cluster.knows_token = false;
  const Outcome outcome = machine.Run();
  EXPECT_EQ(outcome.error.kind(), Error::Kind::kNotFound);
  EXPECT_THAT(outcome.error.message(), HasSubstr("does not know token ID"));
  EXPECT_THAT(machine.progress, Contains(HasSubstr("is new and has not signed")));
}

TEST(ByToken, VerifiesAClusterWithADelayedSignerByThePin) {
  FakeCluster cluster;
  cluster.signatures = {{"ghijkl", "x"}};
  Machine machine;
  machine.ByToken(cluster.Endpoint(), {OurPin()});
  const Outcome outcome = machine.Run();
  EXPECT_FALSE(outcome.failed) << outcome.error.message();
  EXPECT_LT(machine.waited, seconds(5));
}

TEST(ByToken, RetriesUntilTheClusterKnowsTheToken) {
  FakeCluster cluster;
  cluster.signatures = {{"ghijkl", "x"}};
  cluster.knows_token = false;
  Machine machine;
  const auto known = machine.fake.clock.Steady() + seconds(30);
  machine.ask = [&](const Question& question) {
    cluster.knows_token = machine.fake.clock.Steady() > known;
    return HttpAsk(question);
  };
  machine.ByToken(cluster.Endpoint(), {OurPin()});
  const Outcome outcome = machine.Run();
  EXPECT_FALSE(outcome.failed) << outcome.error.message();
  EXPECT_GT(machine.waited, seconds(30));
}

TEST(ByToken, WaitsForANewControlPlaneToOpenClusterInfo) {
  FakeCluster cluster(NewPair("new", &Ours().ca, minutes(6)));
  cluster.date = HttpNow();
  cluster.instead = [](int n) {
    return n < 60 ? std::optional(FakeCluster::Refused(403, "Forbidden")) : std::nullopt;
  };
  Machine machine;
  machine.ByToken(cluster.Endpoint(), {OurPin()});
  const Outcome outcome = machine.Run();
  EXPECT_FALSE(outcome.failed) << outcome.error.message();
  EXPECT_GT(machine.waited, seconds(30));
  EXPECT_THAT(machine.progress, ElementsAre(HasSubstr("still forbidden")));
}

TEST(ByToken, ReportsTheClockDifference) {
  FakeCluster cluster;
  cluster.SetCa(Ours().other_ca.certificate.Pem());
  for (const auto& [shift, text] : std::map<hours, std::string>{
           {hours(-3), "behind the server's"}, {hours(26), "ahead of the server's"}}) {
    Machine machine;
    cluster.date = HttpNow();
    machine.fake.clock.Set(std::chrono::system_clock::now() + shift);
    machine.ByToken(cluster.Endpoint(), {OtherPin()});
    EXPECT_THAT(machine.Run().error.message(), AllOf(HasSubstr(text), HasSubstr("NTP")));
  }
}

TEST(ByToken, DistinguishesAClosedPortFromAnotherServer) {
  std::string closed;
  {
    const FakeCluster gone;
    closed = gone.Endpoint();
  }
  Machine machine;
  machine.timeout = seconds(3);
  machine.ByToken(closed);
  Outcome outcome = machine.Run();
  EXPECT_EQ(outcome.error.kind(), Error::Kind::kTimeout);
  EXPECT_THAT(outcome.error.message(), HasSubstr("connection refused"));
  EXPECT_THAT(machine.progress, ElementsAre(HasSubstr(closed)));

  const http::Impostor plain({.first = "HTTP/1.1 400 Bad Request\r\n\r\n", .again = ""});
  machine.ByToken("127.0.0.1:" + std::to_string(plain.port()));
  outcome = machine.Run();
  EXPECT_EQ(outcome.error.kind(), Error::Kind::kInvalid);
  EXPECT_THAT(outcome.error.message(), HasSubstr("does not speak TLS"));
  EXPECT_EQ(machine.waited, base::Duration::zero());
}

TEST(ByToken, EndsWhenItIsStopped) {
  FakeCluster cluster;
  std::stop_source source;
  cluster.instead = [&](int) {
    source.request_stop();
    return std::optional(FakeCluster::Reply{.status = 503});
  };
  Machine machine;
  machine.stop = source.get_token();
  machine.ByToken(cluster.Endpoint());
  EXPECT_THROW(machine.Run(), base::Interrupted);
}

TEST(ByToken, RefusesAnInvalidPinBeforeAnyRequest) {
  FakeCluster cluster;
  Machine machine;
  machine.ByToken(cluster.Endpoint(), {"md5:00"});
  EXPECT_THAT(machine.Run().error.message(), AllOf(HasSubstr("hash"), HasSubstr("md5:00")));
  EXPECT_EQ(cluster.requests(), 0);
}

}  // namespace
}  // namespace discovery
