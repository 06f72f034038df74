#include "http/server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "http/client.h"
#include "http/dial.h"
#include "http/fake_server.h"
#include "pki/certificate.h"

namespace http {
namespace {

ServerReply Echo(const std::string& path) {
  return path == "/none" ? ServerReply{.status = 404, .body = "no\n"} : ServerReply{.body = path};
}

std::string UrlOf(const Server& server, const std::string& path) {
  return "http://127.0.0.1:" + std::to_string(server.port()) + path;
}

// Say sends bytes and returns all that comes back.
std::string Say(int port, std::string_view text) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
  EXPECT_EQ(connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(send(fd, text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
  std::string answer;
  char piece[512];
  for (ssize_t count = recv(fd, piece, sizeof piece, 0); count > 0;
       count = recv(fd, piece, sizeof piece, 0)) {
    answer.append(piece, static_cast<std::size_t>(count));
  }
  close(fd);
  return answer;
}

TEST(Server, AnswersByPath) {
  const Server server({.host = "127.0.0.1"}, Echo);
  Client client;
  const Response good = client.Do({.url = UrlOf(server, "/metrics?x=1")});
  EXPECT_EQ(good.status, 200);
  EXPECT_EQ(good.body, "/metrics");
  EXPECT_EQ(client.Do({.url = UrlOf(server, "/none")}).status, 404);
  EXPECT_EQ(client.Do({.method = "POST", .url = UrlOf(server, "/"), .body = "x"}).status, 405);
}

TEST(Server, ListensOnAllAddresses) {
  const Server server({}, Echo);
  EXPECT_EQ(Client().Do({.url = UrlOf(server, "/a")}).body, "/a");
}

TEST(Server, HangsUpOnNonsense) {
  const Server server({.host = "127.0.0.1"}, Echo);
  EXPECT_EQ(Say(server.port(), "\r\n\r\n"), "");
  EXPECT_EQ(Say(server.port(), std::string(20'000, 'x')).substr(0, 4), "");
  EXPECT_EQ(Client().Do({.url = UrlOf(server, "/a")}).body, "/a");
}

TEST(Server, SaysWhenItCannotListen) {
  const Server server({.host = "127.0.0.1"}, Echo);
  EXPECT_THROW(Server({.host = "127.0.0.1", .port = server.port()}, Echo), base::Error);
  EXPECT_THROW(Server({.host = "localhost"}, Echo), base::Error);
}

TEST(PeerCertificateOf, ShowsWhateverIsServed) {
  const auto key = pki::PrivateKey::Generate(pki::Algorithm::kEcdsaP256);
  const std::chrono::sys_seconds begin{std::chrono::seconds(1'700'000'000)};
  const auto certificate =
      pki::NewSelfSignedCa({.subject = {.common_name = "somebody", .organizations = {}},
                            .alt_names = {},
                            .usages = {},
                            .not_before = begin,
                            .not_after = begin + std::chrono::hours(1)},
                           key);
  FakeServer server(
      [](const FakeRequest&) { return FakeReply{}; },
      {.certificate_pem = certificate.Pem(), .key_pem = key.Pem(), .client_ca_pem = {}});
  const auto port = static_cast<std::uint16_t>(server.port());
  EXPECT_EQ(pki::Certificate::FromPem(PeerCertificateOf("127.0.0.1", port, {})), certificate);
  server.Stop();
  EXPECT_THROW(PeerCertificateOf("127.0.0.1", port, {}), base::Error);
}

TEST(PeerCertificateOf, PlainServersShowNone) {
  FakeServer server([](const FakeRequest&) { return FakeReply{}; });
  EXPECT_THROW(PeerCertificateOf("127.0.0.1", static_cast<std::uint16_t>(server.port()), {}),
               base::Error);
}

}  // namespace
}  // namespace http
