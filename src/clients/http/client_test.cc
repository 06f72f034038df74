// SPDX-License-Identifier: Apache-2.0
#include "http/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/error.h"
#include "base/fake_error.h"
#include "base/log.h"
#include "http/date.h"
#include "http/fake_impostor.h"
#include "http/fake_server.h"
#include "pki/certificate.h"

namespace http {
namespace {

using base::Error;
using testing::HasSubstr;
using testing::Not;

// Certificates are created once per test program; keys are slow to generate.
struct Certificates {
  pki::KeyPair ca = Make("test CA", nullptr);
  pki::KeyPair server = Make("server", &ca);
  pki::KeyPair client = Make("client", &ca);
  pki::KeyPair stranger = Make("stranger", nullptr);

  static pki::KeyPair Make(const std::string& name, const pki::KeyPair* issuer,
                           pki::Algorithm algorithm = pki::Algorithm::kEcdsaP256) {
    const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    pki::CertificateSpec spec{
        .subject = {.common_name = name, .organizations = {}},
        .alt_names = {.dns_names = {"named.test"}, .ip_addresses = {"127.0.0.1"}},
        .usages = {pki::ExtendedKeyUsage::kServerAuth, pki::ExtendedKeyUsage::kClientAuth},
        .not_before = now - std::chrono::minutes(5),
        .not_after = now + std::chrono::hours(1)};
    auto key = pki::PrivateKey::Generate(algorithm);
    auto certificate = issuer == nullptr ? pki::NewSelfSignedCa(spec, key)
                                         : pki::Sign(spec, key.Public(), *issuer);
    return {std::move(certificate), std::move(key)};
  }
};

const Certificates& Ours() {
  static const Certificates certificates;
  return certificates;
}

FakeReply Echo(const FakeRequest& request) {
  std::string text = request.method + " " + request.path;
  for (const auto& [name, value] : request.query) {
    text += " " + name + "=" + value;
  }
  return {.body = text + " " + request.body, .content_type = "text/plain"};
}

// Returns the kind of error that `body` throws; its message goes to `text`.
template <typename Body>
Error::Kind KindOf(Body body, std::string& text) {
  const Error error = base::Thrown(body);
  text = error.message();
  return error.kind();
}

TEST(Client, SendsMethodBodyAndHeaders) {
  FakeServer server([](const FakeRequest& request) {
    FakeReply reply = Echo(request);
    reply.body += request.headers.at("x-mark");
    reply.headers["X-Answer"] = "yes";
    return reply;
  });
  Client client;
  for (const char* method : {"POST", "PUT", "PATCH", "DELETE"}) {
    const Response response = client.Do({.method = method,
                                         .url = server.Url() + "/a%20b?c=d",
                                         .headers = {{"X-Mark", "m"}},
                                         .body = "text"});
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.body, std::string(method) + " /a b c=d textm");
    EXPECT_EQ(response.headers.at("x-answer"), "yes");
  }
}

TEST(Client, LogsRequestsWithoutQueriesAtLevelSeven) {
  FakeServer server(Echo);
  Client client;
  base::SetVerbosity(7);
  testing::internal::CaptureStderr();
  client.Do({.method = "PUT", .url = server.Url() + "/a?signature=secret", .body = "text"});
  const std::string said = testing::internal::GetCapturedStderr();
  base::SetVerbosity(0);
  EXPECT_THAT(said, HasSubstr("] sends PUT /a to 127.0.0.1:"));
  EXPECT_THAT(said, Not(HasSubstr("secret")));
}

TEST(Client, RefusesLineEndsInHeaders) {
  FakeServer server(Echo);
  for (const Request& request : std::initializer_list<Request>{
           {.url = server.Url(), .headers = {{"Authorization", "Bearer a\r\nX: y"}}},
           {.url = server.Url(), .headers = {{"X-Mark", "a\n"}}},
           {.url = server.Url(), .headers = {{"X-Mark", std::string("a\0b", 3)}}},
           {.url = server.Url() + "/ HTTP/1.1\r\nX: y"},
           {.url = "http://127.0.0.1:1\r\nX: y"}}) {
    Client client;
    std::string text;
    EXPECT_EQ(KindOf([&] { client.Do(request); }, text), Error::Kind::kInvalid);
    EXPECT_THAT(text, HasSubstr("holds a line end"));
  }
  Client named({.server_name = "a\r\nX: y"});
  std::string text;
  EXPECT_EQ(KindOf([&] { named.Do({.url = "https://127.0.0.1:1"}); }, text), Error::Kind::kInvalid);
}

TEST(Client, ReturnsAnyStatusAsAResponse) {
  FakeServer server([](const FakeRequest&) { return FakeReply{.status = 503, .body = "later"}; });
  Client client;
  const Response response = client.Do({.url = server.Url()});
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(response.body, "later");
}

TEST(Client, FollowsRedirectsOfGet) {
  FakeServer server([](const FakeRequest& request) {
    return request.path == "/from" ? FakeReply{.status = 302, .headers = {{"Location", "/to"}}}
                                   : Echo(request);
  });
  Client client;
  EXPECT_EQ(client.Do({.url = server.Url() + "/from"}).body, "GET /to ");
  EXPECT_EQ(client.Do({.method = "POST", .url = server.Url() + "/from"}).status, 302);
}

TEST(Client, SendsItsCredentialOnlyToTheRequestedServer) {
  const auto authorization = [](const FakeRequest& request) {
    return FakeReply{.body = request.headers.contains("authorization") ? "a credential came along"
                                                                       : "none"};
  };
  FakeServer elsewhere(authorization);
  const std::string port = std::to_string(elsewhere.port());
  FakeServer server([&](const FakeRequest& request) {
    if (request.path == "/own") {
      return FakeReply{.status = 302, .headers = {{"Location", "/shown"}}};
    }
    return request.path == "/shown"
               ? authorization(request)
               : FakeReply{.status = 302,
                           .headers = {{"Location",
                                        "http://" + request.path.substr(1) + ":" + port + "/"}}};
  });
  Client client;
  const auto ask = [&](const std::string& path) {
    return client.Do({.url = server.Url() + path, .headers = {{"Authorization", "Bearer secret"}}})
        .body;
  };
  EXPECT_EQ(ask("/own"), "a credential came along");
  EXPECT_EQ(ask("/127.0.0.1"), "none");  // another port
  EXPECT_EQ(ask("/localhost"), "none");  // another host
}

TEST(Client, IsNotRedirectedFromHttpsToHttp) {
  FakeServer plain(Echo);
  FakeServer server(
      [&](const FakeRequest&) {
        return FakeReply{.status = 302, .headers = {{"Location", plain.Url()}}};
      },
      {.certificate_pem = Ours().server.certificate.Pem(), .key_pem = Ours().server.key.Pem()});
  Client client({.ca_pem = Ours().ca.certificate.Pem()});
  std::string text;
  EXPECT_EQ(KindOf([&] { client.Do({.url = server.Url()}); }, text), Error::Kind::kInvalid);
  EXPECT_THAT(text, HasSubstr("no redirect from https to http"));
}

TEST(Client, DistinguishesAPortWithoutTlsFromABrokenConnection) {
  const Impostor plain({.first = "HTTP/1.1 400 Bad Request\r\n\r\n", .again = ""});
  Client client;
  std::string text;
  const std::string url = "https://127.0.0.1:" + std::to_string(plain.port());
  EXPECT_EQ(KindOf([&] { client.Do({.url = url}); }, text), Error::Kind::kInvalid);
  EXPECT_THAT(text, HasSubstr("does not speak TLS"));
}

TEST(Client, VerifiesAndPresentsMlDsaCertificates) {
  for (const auto algorithm :
       {pki::Algorithm::kMlDsa44, pki::Algorithm::kMlDsa65, pki::Algorithm::kMlDsa87}) {
    const pki::KeyPair ca = Certificates::Make("test CA", nullptr, algorithm);
    const pki::KeyPair server_pair = Certificates::Make("server", &ca, algorithm);
    const pki::KeyPair client_pair = Certificates::Make("client", &ca, algorithm);
    FakeServer server(Echo, {.certificate_pem = server_pair.certificate.Pem(),
                             .key_pem = server_pair.key.Pem(),
                             .client_ca_pem = ca.certificate.Pem()});
    Client client({.ca_pem = ca.certificate.Pem(),
                   .certificate_pem = client_pair.certificate.Pem(),
                   .key_pem = client_pair.key.Pem()});
    EXPECT_EQ(client.Do({.url = server.Url() + "/a"}).status, 200);
    Client stranger({.ca_pem = Ours().ca.certificate.Pem()});
    EXPECT_THROW(stranger.Do({.url = server.Url()}), Error);
  }
}

TEST(Client, ReportsTheServersCertificateWhenAsked) {
  FakeServer server(Echo, {.certificate_pem = Ours().server.certificate.Pem(),
                           .key_pem = Ours().server.key.Pem()});
  Client client({.skip_verify = true});
  const Response response =
      client.Do({.url = server.Url(), .peer_certificate = PeerCertificate::kReported});
  EXPECT_EQ(pki::Certificate::FromPem(response.peer_certificate_pem), Ours().server.certificate);
  EXPECT_EQ(client.Do({.url = server.Url()}).peer_certificate_pem, "");
}

TEST(ParseDate, ReadsTheHeadersForm) {
  EXPECT_EQ(ParseDate("Thu, 01 Jan 2026 00:00:01 GMT"),
            std::chrono::sys_seconds(std::chrono::seconds(1767225601)));
  EXPECT_EQ(ParseDate("soon"), std::nullopt);
  EXPECT_EQ(ParseDate(""), std::nullopt);
}

TEST(Client, IsUsedByManyThreads) {
  FakeServer server(Echo);
  Client client;
  std::atomic<int> good = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&, i] {
        for (int j = 0; j < 10; ++j) {
          const std::string path = "/" + std::to_string(i) + "/" + std::to_string(j);
          good += client.Do({.url = server.Url() + path}).body == "GET " + path + " ";
        }
      });
    }
  }
  EXPECT_EQ(good, 80);
}

TEST(Client, NamesAnUnreachableAddress) {
  std::string url;
  {
    FakeServer gone(Echo);
    url = gone.Url();
  }
  Client client;
  std::string text;
  EXPECT_EQ(KindOf([&] { client.Do({.url = url}); }, text), Error::Kind::kUnavailable);
  EXPECT_EQ(text, "cannot connect to " + url.substr(7) + ": connection refused");
  EXPECT_EQ(KindOf([&] { client.Do({.url = "http://no.such.host.invalid/"}); }, text),
            Error::Kind::kUnavailable);
  EXPECT_THAT(text, HasSubstr("no.such.host.invalid:80"));
  EXPECT_EQ(KindOf([&] { client.Do({.url = "ftp://host/"}); }, text), Error::Kind::kInvalid);
}

TEST(Client, NeverShowsCredentials) {
  Client client;
  std::string text;
  KindOf(
      [&] {
        client.Do({.url = "http://user:secret@127.0.0.1:1/", .headers = {{"Authorization", "s3"}}});
      },
      text);
  EXPECT_THAT(text, Not(HasSubstr("secret")));
  EXPECT_THAT(text, Not(HasSubstr("s3")));
}

TEST(Client, TrustsOnlyTheGivenCa) {
  const Certificates& ours = Ours();
  FakeServer server(Echo, {.certificate_pem = ours.server.certificate.Pem(),
                           .key_pem = ours.server.key.Pem(),
                           .client_ca_pem = ""});
  std::string text;
  Client trusting({.ca_pem = ours.ca.certificate.Pem()});
  EXPECT_EQ(trusting.Do({.url = server.Url() + "/x"}).body, "GET /x ");
  Client other({.ca_pem = ours.stranger.certificate.Pem()});
  EXPECT_EQ(KindOf([&] { other.Do({.url = server.Url()}); }, text), Error::Kind::kUnauthorized);
  EXPECT_THAT(text, HasSubstr("is not trusted"));
  Client careless({.skip_verify = true});
  EXPECT_EQ(careless.Do({.url = server.Url()}).status, 200);
  Client broken({.ca_pem = "no PEM"});
  EXPECT_EQ(KindOf([&] { broken.Do({.url = server.Url()}); }, text), Error::Kind::kInvalid);
}

TEST(Client, VerifiesTheGivenServerName) {
  const Certificates& ours = Ours();
  FakeServer server(
      [](const FakeRequest& request) { return FakeReply{.body = request.headers.at("host")}; },
      {.certificate_pem = ours.server.certificate.Pem(),
       .key_pem = ours.server.key.Pem(),
       .client_ca_pem = ""});
  Client named({.ca_pem = ours.ca.certificate.Pem(), .server_name = "named.test"});
  EXPECT_EQ(named.Do({.url = server.Url()}).body, "127.0.0.1:" + std::to_string(server.port()));
  Client misnamed({.ca_pem = ours.ca.certificate.Pem(), .server_name = "other.test"});
  std::string text;
  EXPECT_EQ(KindOf([&] { misnamed.Do({.url = server.Url()}); }, text), Error::Kind::kUnauthorized);
}

TEST(Client, PresentsItsClientCertificate) {
  const Certificates& ours = Ours();
  FakeServer server(Echo, {.certificate_pem = ours.server.certificate.Pem(),
                           .key_pem = ours.server.key.Pem(),
                           .client_ca_pem = ours.ca.certificate.Pem()});
  const std::string ca = ours.ca.certificate.Pem();
  Client known({.ca_pem = ca,
                .certificate_pem = ours.client.certificate.Pem(),
                .key_pem = ours.client.key.Pem()});
  EXPECT_EQ(known.Do({.url = server.Url()}).status, 200);
  Client nameless({.ca_pem = ca});
  EXPECT_THROW(nameless.Do({.url = server.Url()}), Error);
  Client garbled({.ca_pem = ca, .certificate_pem = "x", .key_pem = "y"});
  std::string text;
  EXPECT_EQ(KindOf([&] { garbled.Do({.url = server.Url()}); }, text), Error::Kind::kInvalid);
  Client stranger({.ca_pem = ca,
                   .certificate_pem = ours.stranger.certificate.Pem(),
                   .key_pem = ours.stranger.key.Pem()});
  EXPECT_EQ(KindOf([&] { stranger.Do({.url = server.Url()}); }, text), Error::Kind::kUnauthorized);
  EXPECT_THAT(text, HasSubstr("does not accept our client certificate"));
}

TEST(Client, StreamsPiecesUntilTheReaderHasEnough) {
  std::atomic<int> sent = 0;
  FakeServer server([&](const FakeRequest&) {
    return FakeReply{.stream = [&] { return ++sent > 1000 ? "" : "line\n"; }};
  });
  Client client;
  std::string seen;
  const Response response = client.Stream({.url = server.Url()}, [&](std::string_view data) {
    seen += data;
    return seen.size() < 10;
  });
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "");
  EXPECT_THAT(seen, testing::StartsWith("line\nline\n"));
}

TEST(Client, KeepsTheBodyOfAStreamWithAnErrorStatus) {
  FakeServer server([](const FakeRequest&) { return FakeReply{.status = 410, .body = "gone"}; });
  Client client;
  const Response response = client.Stream({.url = server.Url()}, [](std::string_view) {
    ADD_FAILURE();
    return true;
  });
  EXPECT_EQ(response.status, 410);
  EXPECT_EQ(response.body, "gone");
}

TEST(Client, ReadsNoMoreThanItsLimit) {
  FakeServer server([](const FakeRequest& request) {
    return FakeReply{.status = request.path == "/error" ? 503 : 200,
                     .stream = [] { return std::string(100'000, 'x'); }};  // without an end
  });
  Client client;
  std::string text;
  EXPECT_EQ(KindOf([&] { client.Do({.url = server.Url()}); }, text), Error::Kind::kInvalid);
  EXPECT_THAT(text, HasSubstr("larger than 32768 KiB from 127.0.0.1:"));
  EXPECT_EQ(KindOf([&] { client.Do({.url = server.Url(), .largest_body = 10'000}); }, text),
            Error::Kind::kInvalid);
  const Response error = client.Do({.url = server.Url() + "/error"});
  EXPECT_EQ(error.status, 503);
  EXPECT_EQ(error.body.size(), kLargestErrorBody);
}

TEST(Client, RefusesEndlessHeaders) {
  FakeServer server([](const FakeRequest&) {
    FakeReply reply;
    for (int i = 0; i < 30; ++i) {
      reply.headers["X-" + std::to_string(i)] = std::string(60'000, 'x');
    }
    return reply;
  });
  Client client;
  EXPECT_THROW(client.Do({.url = server.Url()}), Error);
}

TEST(Client, PropagatesExceptionsOfTheReader) {
  FakeServer server(Echo);
  Client client;
  EXPECT_THROW(client.Stream({.url = server.Url()},
                             [](std::string_view) -> bool { throw std::out_of_range("mine"); }),
               std::out_of_range);
}

// Holds an answer back until it is opened.
class Gate {
 public:
  void Open() {
    const std::scoped_lock lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void Wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
};

TEST(Client, StopsAtOnceWhenAsked) {
  Gate asked;
  Gate answer;
  FakeServer server([&](const FakeRequest& request) {
    asked.Open();
    answer.Wait();
    return Echo(request);
  });
  std::stop_source stop;
  std::jthread stopper([&] {
    asked.Wait();
    stop.request_stop();
  });
  Client client;
  EXPECT_THAT(base::InterruptionOf([&] {
                client.Do({.url = server.Url(), .timeout = {}, .stop = stop.get_token()});
              }),
              HasSubstr("interrupted while waiting for "));
  answer.Open();  // opened only now: a client that waits for the answer would hang
}

TEST(Client, TimesOut) {
  Gate answer;
  FakeServer server([&](const FakeRequest& request) {
    answer.Wait();
    return Echo(request);
  });
  Client client;
  std::string text;
  EXPECT_EQ(
      KindOf([&] { client.Do({.url = server.Url(), .timeout = std::chrono::milliseconds(30)}); },
             text),
      Error::Kind::kTimeout);
  EXPECT_EQ(text, "no answer in time from 127.0.0.1:" + std::to_string(server.port()));
  answer.Open();
}

TEST(Client, GivesUpOnAStreamThatHasGoneSilent) {
  Gate end;
  FakeServer server([&](const FakeRequest&) {
    return FakeReply{.stream = [&end, said = 0]() mutable -> std::string {
      if (++said <= 3) {
        return "line\n";
      }
      end.Wait();
      return "";
    }};
  });
  Client client;
  std::string text;
  std::string seen;
  const auto read = [&] {
    client.Stream(
        {.url = server.Url(), .timeout = {}, .idle_timeout = std::chrono::milliseconds(500)},
        [&](std::string_view data) {
          seen += data;
          return true;
        });
  };
  EXPECT_EQ(KindOf(read, text), Error::Kind::kTimeout);
  EXPECT_EQ(seen, "line\nline\nline\n");
  EXPECT_THAT(text, HasSubstr("no data for 500 ms from 127.0.0.1:"));
  end.Open();
}

TEST(Client, RefusesABodyAboveTheLimit) {
  FakeServer server([](const FakeRequest&) { return FakeReply{.body = std::string(5000, 'x')}; });
  Client client;
  EXPECT_EQ(client.Do({.url = server.Url(), .largest_body = 5000}).body.size(), 5000U);
  std::string text;
  EXPECT_EQ(KindOf([&] { client.Do({.url = server.Url(), .largest_body = 4999}); }, text),
            Error::Kind::kInvalid);
  EXPECT_THAT(text, HasSubstr("larger than 4 KiB"));
}

TEST(Client, UsesTheGivenProxy) {
  FakeServer proxy(
      [](const FakeRequest& request) { return FakeReply{.body = "by proxy " + request.path}; });
  Client client;
  EXPECT_THAT(client.Do({.url = "http://far.invalid/x", .proxy = proxy.Url()}).body,
              HasSubstr("by proxy"));
}

}  // namespace
}  // namespace http
