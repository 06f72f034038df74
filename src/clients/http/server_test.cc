// SPDX-License-Identifier: Apache-2.0
#include "http/server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <mutex>
#include <stdexcept>

#include "base/error.h"
#include "host/clock.h"
#include "http/client.h"
#include "http/dial.h"
#include "http/fake_server.h"
#include "http/server_stream.h"
#include "pki/certificate.h"

namespace http {
namespace {

host::Clock& Clock() {
  static host::RealClock clock;
  return clock;
}

ServerReply Echo(const ServerRequest& request) {
  return request.path == "/none" ? ServerReply{.status = 404, .body = "no\n"}
                                 : ServerReply{.body = request.path};
}

ServerReply EchoToken(const ServerRequest& request) {
  return {.body = request.bearer_token.value_or("")};
}

std::string UrlOf(const Server& server, const std::string& path) {
  return "http://127.0.0.1:" + std::to_string(server.port()) + path;
}

int Connect(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
  EXPECT_EQ(connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  return fd;
}

// Sends bytes and returns the whole answer.
std::string Say(int port, std::string_view text) {
  const int fd = Connect(port);
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
  const Server server({.clock = Clock(), .host = "127.0.0.1"}, Echo);
  Client client;
  const Response good = client.Do({.url = UrlOf(server, "/metrics?x=1")});
  EXPECT_EQ(good.status, 200);
  EXPECT_EQ(good.body, "/metrics");
  EXPECT_EQ(client.Do({.url = UrlOf(server, "/none")}).status, 404);
  EXPECT_EQ(client.Do({.method = "POST", .url = UrlOf(server, "/"), .body = "x"}).status, 405);
}

ServerReply EchoBody(const ServerRequest& request) {
  return {.body = request.body.value_or("no body")};
}

TEST(Server, ReadsTheBodyOfAPost) {
  const Server server({.clock = Clock(), .host = "127.0.0.1", .largest_body = 100'000}, EchoBody);
  Client client;
  const std::string body(100'000, 'x');
  for (const std::string& sent : {std::string("x"), body}) {
    EXPECT_EQ(client.Do({.method = "POST", .url = UrlOf(server, "/"), .body = sent}).body, sent);
  }
  EXPECT_EQ(client.Do({.url = UrlOf(server, "/")}).body, "no body");
  EXPECT_EQ(client.Do({.method = "PUT", .url = UrlOf(server, "/"), .body = "x"}).status, 405);
}

TEST(Server, DisconnectsAClientWhoseBodyIsTooLarge) {
  const Server server({.clock = Clock(), .host = "127.0.0.1", .largest_body = 10}, EchoBody);
  EXPECT_EQ(Say(server.port(), "POST / HTTP/1.1\r\nContent-Length: 9999\r\n\r\n"), "");
}

TEST(Server, ReadsNoBodyOfAnotherFraming) {
  const Server server({.clock = Clock(), .host = "127.0.0.1", .largest_body = 10}, EchoBody);
  for (const char* head : {"Transfer-Encoding: chunked\r\n", "Content-Length: -1\r\n",
                           "Content-Length: 3\r\nContent-Length: 3\r\n", ""}) {
    const std::string answer =
        Say(server.port(), std::string("POST / HTTP/1.1\r\n") + head + "\r\nabc");
    EXPECT_TRUE(answer.ends_with("\r\n\r\n")) << answer;
  }
}

TEST(Server, ListensOnAllAddresses) {
  const Server server({.clock = Clock()}, Echo);
  EXPECT_EQ(Client().Do({.url = UrlOf(server, "/a")}).body, "/a");
}

// Makes this process's kernel look like one booted with ipv6.disable=1.
void TakeIpv6Away() {
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_socket, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET6, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAFNOSUPPORT),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{.len = std::size(code), .filter = code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    std::_Exit(77);
  }
}

TEST(Server, ListensOnAllAddressesWithoutIpv6InTheKernel) {
  const pid_t child = fork();
  if (child == 0) {
    TakeIpv6Away();
    const Server server({.clock = Clock()}, Echo);
    close(Connect(server.port()));
    std::_Exit(HasFailure() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  if (WEXITSTATUS(status) == 77) {
    GTEST_SKIP() << "this kernel takes no filters of system calls";
  }
  EXPECT_EQ(status, 0);
}

TEST(Server, DisconnectsAfterAMalformedRequest) {
  const Server server({.clock = Clock(), .host = "127.0.0.1"}, Echo);
  EXPECT_EQ(Say(server.port(), "\r\n\r\n"), "");
  EXPECT_EQ(Say(server.port(), std::string(20'000, 'x')).substr(0, 4), "");
  EXPECT_EQ(Client().Do({.url = UrlOf(server, "/a")}).body, "/a");
}

TEST(Server, ReportsThatItCannotListen) {
  const Server server({.clock = Clock(), .host = "127.0.0.1"}, Echo);
  EXPECT_THROW(Server({.clock = Clock(), .host = "127.0.0.1", .port = server.port()}, Echo),
               base::Error);
  EXPECT_THROW(Server({.clock = Clock(), .host = "nowhere"}, Echo), base::Error);
  EXPECT_NO_THROW(Server({.clock = Clock(), .host = "localhost"}, Echo));
  EXPECT_NO_THROW(Server({.clock = Clock(), .host = "[127.0.0.1]"}, Echo));
}

TEST(Server, ReadsTheBearerToken) {
  const Server server({.clock = Clock(), .host = "127.0.0.1"}, EchoToken);
  struct Row {
    std::string lines, token;
  };
  for (const Row& row : std::initializer_list<Row>{
           {"", ""},
           {"Authorization: Bearer abc\r\n", "abc"},
           {"authorization:bearer  a.b-c~d \r\n", "a.b-c~d"},
           {"X: y\r\nAUTHORIZATION: BEARER abc\r\n", "abc"},
           {"Authorization: Basic abc\r\n", ""},
           {"Authorization: Bearer\r\n", ""},
           {"Authorization: Bearer a\r\nAuthorization: Bearer b\r\n", ""},
           {"Proxy-Authorization: Bearer abc\r\n", ""},
       }) {
    const std::string answer =
        Say(server.port(), "GET / HTTP/1.1\r\n" + row.lines + "Host: a\r\n\r\n");
    EXPECT_EQ(answer.substr(answer.find("\r\n\r\n") + 4), row.token) << row.lines;
  }
}

TEST(Server, WritesTheReasonPhraseOfTheStatus) {
  for (const auto& [status, words] : std::initializer_list<std::pair<int, std::string>>{
           {401, "HTTP/1.1 401 Unauthorized\r\n"}, {403, "HTTP/1.1 403 Forbidden\r\n"}}) {
    const Server server(
        {.clock = Clock(), .host = "127.0.0.1"},
        [code = status](const ServerRequest&) { return ServerReply{.status = code, .body = {}}; });
    const std::string answer = Say(server.port(), "GET / HTTP/1.1\r\n\r\n");
    EXPECT_EQ(answer.substr(0, words.size()), words);
    EXPECT_EQ(answer.find("WWW-Authenticate: Bearer") != std::string::npos, status == 401);
  }
}

ServerIdentity IdentityCalled(const std::string& name) {
  const auto key = pki::PrivateKey::Generate(pki::Algorithm::kEcdsaP256);
  const std::chrono::sys_seconds begin{std::chrono::seconds(1'700'000'000)};
  const auto certificate =
      pki::NewSelfSignedCa({.subject = {.common_name = name, .organizations = {}},
                            .alt_names = {},
                            .usages = {},
                            .not_before = begin,
                            .not_after = begin + std::chrono::hours(1)},
                           key);
  return {.certificate_pem = certificate.Pem(), .key_pem = key.Pem()};
}

// Connections that send `text` and nothing else.
class Silent {
 public:
  Silent(int port, int count, const std::string& text = "") {
    for (int i = 0; i < count; ++i) {
      fds_.push_back(Connect(port));
      EXPECT_EQ(send(fds_.back(), text.data(), text.size(), MSG_NOSIGNAL),
                static_cast<ssize_t>(text.size()));
    }
  }
  ~Silent() {
    for (const int fd : fds_) {
      close(fd);
    }
  }
  Silent(const Silent&) = delete;
  Silent& operator=(const Silent&) = delete;
  // Waits until the server has closed `wanted` of them.
  void UntilClosed(std::size_t wanted) const {
    std::vector<pollfd> open;
    for (const int fd : fds_) {
      open.push_back({.fd = fd, .events = POLLIN, .revents = 0});
    }
    while (fds_.size() - open.size() < wanted) {
      ASSERT_GT(poll(open.data(), open.size(), 20'000), 0) << open.size() << " are open";
      std::erase_if(open, [](const pollfd& each) { return each.revents != 0; });
    }
  }
  const std::vector<int>& fds() const { return fds_; }

 private:
  std::vector<int> fds_;
};

TEST(Server, EvictsSilentConnections) {
  const Server server({.clock = Clock(), .host = "127.0.0.1"}, Echo);
  for (const std::string text : {"", "GET /", "GET / HTTP/1.1\r\nA: b\r\n"}) {
    const Silent silent(server.port(), 300, text);
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(Client().Do({.url = UrlOf(server, "/a")}).body, "/a");
    EXPECT_LT(std::chrono::steady_clock::now() - begin, kPatience) << text;
    silent.UntilClosed(260);  // those that have waited longest
  }
}

TEST(Server, EvictsSilentTlsConnections) {
  const ServerIdentity identity = IdentityCalled("tls");
  const Server server({.clock = Clock(), .host = "127.0.0.1", .identity = [&] { return identity; }},
                      Echo);
  const Silent silent(server.port(), 120);
  const Silent half(server.port(), 120, std::string("\x16\x03\x01\x02\x00\x01", 6));
  Client client(Tls{.skip_verify = true});
  const std::string url = "https://127.0.0.1:" + std::to_string(server.port()) + "/a";
  EXPECT_EQ(client.Do({.url = url, .timeout = std::chrono::seconds(4)}).body, "/a");
}

TEST(Server, DisconnectsASlowClient) {
  const Server server({.clock = Clock(), .host = "127.0.0.1"}, Echo);
  const Silent slow(server.port(), 1);
  const auto begin = std::chrono::steady_clock::now();
  pollfd wanted{.fd = slow.fds().front(), .events = POLLIN, .revents = 0};
  while (poll(&wanted, 1, 100) == 0) {
    send(wanted.fd, "x", 1, MSG_NOSIGNAL);
    ASSERT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
  }
  slow.UntilClosed(1);
}

TEST(Server, ProbesDoNotWaitForOtherRequests) {
  std::mutex mutex;
  std::condition_variable changed;
  bool open = false;
  const Server server({.clock = Clock(), .host = "127.0.0.1", .probes = {"/healthz"}},
                      [&](const ServerRequest& request) {
                        if (request.path != "/healthz") {
                          std::unique_lock lock(mutex);
                          changed.wait(lock, [&] { return open; });
                        }
                        return ServerReply{.body = request.path};
                      });
  const Silent stuck(server.port(), 60, "GET /metrics HTTP/1.1\r\n\r\n");
  stuck.UntilClosed(56);  // four requests per address may wait
  EXPECT_EQ(Client().Do({.url = UrlOf(server, "/healthz")}).body, "/healthz");
  const std::lock_guard lock(mutex);
  open = true;
  changed.notify_all();
}

TEST(Server, AcceptsAsManyRequestsOfOneAddressAsItsOptionsSay) {
  std::mutex mutex;
  std::condition_variable changed;
  bool open = false;
  const Server server({.clock = Clock(), .host = "127.0.0.1", .most_of_one = 6},
                      [&](const ServerRequest& request) {
                        std::unique_lock lock(mutex);
                        changed.wait(lock, [&] { return open; });
                        return ServerReply{.body = request.path};
                      });
  const Silent stuck(server.port(), 20, "GET /metrics HTTP/1.1\r\n\r\n");
  stuck.UntilClosed(14);
  const std::lock_guard lock(mutex);
  open = true;
  changed.notify_all();
}

TEST(Server, ContinuesAfterAHandlerThrows) {
  const Server server({.clock = Clock(), .host = "127.0.0.1"},
                      [](const ServerRequest& request) -> ServerReply {
                        if (request.path == "/bad") {
                          throw std::runtime_error("bad");
                        }
                        return {.body = "good"};
                      });
  EXPECT_EQ(Say(server.port(), "GET /bad HTTP/1.1\r\n\r\n"), "");
  EXPECT_EQ(Client().Do({.url = UrlOf(server, "/")}).body, "good");
}

std::string NameServedBy(const Server& server) {
  const auto port = static_cast<std::uint16_t>(server.port());
  return pki::Certificate::FromPem(PeerCertificateOf("127.0.0.1", port, {})).subject().common_name;
}

TEST(Server, SpeaksTls) {
  const ServerIdentity identity = IdentityCalled("tls");
  const Server server({.clock = Clock(), .host = "127.0.0.1", .identity = [&] { return identity; }},
                      EchoToken);
  Client client(Tls{.skip_verify = true});
  const std::string url = "https://127.0.0.1:" + std::to_string(server.port()) + "/";
  const std::string token(6000, 'x');  // more than one read
  EXPECT_EQ(client.Do({.url = url, .headers = {{"Authorization", "Bearer " + token}}}).body, token);
  EXPECT_EQ(Say(server.port(), "GET / HTTP/1.1\r\n\r\n").find("HTTP/1.1"), std::string::npos)
      << "nothing is answered in plain";
  EXPECT_EQ(client.Do({.url = url}).status, 200) << "and it goes on";
}

TEST(Server, ServesTheCurrentCertificate) {
  ServerIdentity identity = IdentityCalled("first");
  const Server server({.clock = Clock(), .host = "127.0.0.1", .identity = [&] { return identity; }},
                      Echo);
  EXPECT_EQ(NameServedBy(server), "first");
  const ServerIdentity second = IdentityCalled("second");
  identity.certificate_pem = second.certificate_pem;
  EXPECT_EQ(NameServedBy(server), "first") << "its key is not there yet";
  identity = second;
  EXPECT_EQ(NameServedBy(server), "second");
}

TEST(Server, ContinuesAfterLoadingItsIdentityThrows) {
  const ServerIdentity good = IdentityCalled("first");
  std::atomic<int> asked = 0;
  const Server server({.clock = Clock(),
                       .host = "127.0.0.1",
                       .identity =
                           [&] {
                             if (++asked > 1) {
                               throw std::runtime_error("no base::Error");
                             }
                             return good;
                           }},
                      Echo);
  EXPECT_EQ(NameServedBy(server), "first");
  EXPECT_EQ(NameServedBy(server), "first");
  EXPECT_EQ(asked, 3);
}

TEST(Server, DoesNotStartWithoutACertificate) {
  const ServerIdentity good = IdentityCalled("good");
  const std::string other_key = IdentityCalled("other").key_pem;
  for (const ServerIdentity& bad :
       {ServerIdentity{.certificate_pem = "", .key_pem = good.key_pem},
        ServerIdentity{.certificate_pem = good.certificate_pem, .key_pem = "x"},
        ServerIdentity{.certificate_pem = good.certificate_pem, .key_pem = other_key}}) {
    EXPECT_THROW(
        Server({.clock = Clock(), .host = "127.0.0.1", .identity = [&] { return bad; }}, Echo),
        base::Error);
  }
}

TEST(PeerCertificateOf, ReturnsTheServedCertificate) {
  const ServerIdentity identity = IdentityCalled("somebody");
  FakeServer server([](const FakeRequest&) { return FakeReply{}; },
                    {.certificate_pem = identity.certificate_pem,
                     .key_pem = identity.key_pem,
                     .client_ca_pem = {}});
  const auto port = static_cast<std::uint16_t>(server.port());
  EXPECT_EQ(pki::Certificate::FromPem(PeerCertificateOf("127.0.0.1", port, {})).Pem(),
            pki::Certificate::FromPem(identity.certificate_pem).Pem());
  server.Stop();
  EXPECT_THROW(PeerCertificateOf("127.0.0.1", port, {}), base::Error);
}

TEST(PeerCertificateOf, FailsForAServerWithoutTls) {
  FakeServer server([](const FakeRequest&) { return FakeReply{}; });
  EXPECT_THROW(PeerCertificateOf("127.0.0.1", static_cast<std::uint16_t>(server.port()), {}),
               base::Error);
}

}  // namespace
}  // namespace http
