// Whatever answers where a kubelet should: the dial ends in time, with a reason, having read
// little.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "approver/settle.h"
#include "http/server.h"

namespace approver {
namespace {

using testing::HasSubstr;

constexpr std::chrono::sys_seconds kNow{std::chrono::seconds(1'790'000'000)};
constexpr std::chrono::milliseconds kTimeout{300};
// Scheduling on a busy machine.
constexpr std::chrono::seconds kSlack{5};

// Impostor accepts one connection after the other and says `first`, then `again` for ever, with a
// pause before each.
class Impostor {
 public:
  struct Words {
    std::string first, again;
    int pause_ms = 0;
    bool hangs_up = false;
  };

  explicit Impostor(Words words) : words_(std::move(words)) {
    fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(bind(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(listen(fd_, 8), 0);
    socklen_t size = sizeof address;
    getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
  }
  ~Impostor() {
    thread_.request_stop();
    thread_.join();
    close(fd_);
  }
  Impostor(const Impostor&) = delete;
  Impostor& operator=(const Impostor&) = delete;
  int port() const { return port_; }
  std::size_t sent() const { return sent_; }

 private:
  bool Say(int client, const std::string& text) {
    const ssize_t count = send(client, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    sent_ += count > 0 ? static_cast<std::size_t>(count) : 0;
    return count >= 0 || errno == EAGAIN;
  }

  void Run(const std::stop_token& stop) {
    pollfd wanted{.fd = fd_, .events = POLLIN, .revents = 0};
    while (!stop.stop_requested()) {
      if (poll(&wanted, 1, 20) <= 0) {
        continue;
      }
      const int client = accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC);
      bool goes_on = Say(client, words_.first) && !words_.hangs_up;
      while (goes_on && !stop.stop_requested()) {
        pollfd reader{.fd = client, .events = POLLRDHUP, .revents = 0};
        goes_on = poll(&reader, 1, std::max(1, words_.pause_ms)) == 0 &&
                  (words_.again.empty() || Say(client, words_.again));
      }
      close(client);
    }
  }

  Words words_;
  int fd_ = -1;
  int port_ = 0;
  std::atomic<std::size_t> sent_ = 0;
  std::jthread thread_;
};

Dialled Dial(int port, const std::vector<pki::Certificate>& bundle) {
  const Node node{.name = "panda",
                  .addresses = {{"InternalIP", "127.0.0.1"}},
                  .kubelet_port = port,
                  .resource_version = {}};
  const auto begin = std::chrono::steady_clock::now();
  Dialled dialled = KubeletDialer{.bundle = bundle,
                                  .now = kNow,
                                  .timeout = kTimeout,
                                  .stop = {},
                                  .rules = {.loopback = true}}
                        .Dial(node);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, kTimeout + kSlack);
  return dialled;
}

TEST(HostileKubelet, CostsLittleAndVouchesForNothing) {
  // A record's header (RFC 8446 §5.1) and a ServerHello of 16 MiB that never ends (§4).
  const std::string hello("\x16\x03\x03\x40\x00\x02\xFF\xFF\xFF", 9);
  const std::string record = std::string("\x16\x03\x03\x40\x00", 5) + std::string(16'384, '\x02');
  struct Row {
    std::string name;
    Impostor::Words words;
  };
  for (const Row& row : std::initializer_list<Row>{
           {"silent", {}},
           {"hangs up", {.hangs_up = true}},
           {"plain text", {.first = "HTTP/1.1 400 Bad Request\r\n\r\n"}},
           {"redirect", {.first = "HTTP/1.1 302 Found\r\nLocation: https://127.0.0.1/\r\n\r\n"}},
           {"endless garbage", {.again = std::string(65'536, 'x')}},
           {"endless hello", {.first = hello, .again = record}},
           {"dribble", {.first = hello.substr(0, 5), .again = "\x02", .pause_ms = 10}},
           {"alert", {.first = std::string("\x15\x03\x03\x00\x02\x02\x28", 7)}},
           {"endless warnings", {.again = std::string("\x15\x03\x03\x00\x02\x01\x5A", 7)}},
           {"old TLS", {.first = std::string("\x15\x03\x01\x00\x02\x02\x46", 7), .hangs_up = true}},
       }) {
    const Impostor impostor(row.words);
    const Dialled dialled = Dial(impostor.port(), {});
    EXPECT_FALSE(dialled.certificate) << row.name;
    EXPECT_THAT(dialled.problem, HasSubstr("no TLS connection with 127.0.0.1:")) << row.name;
    EXPECT_LT(impostor.sent(), std::size_t{8} << 20U) << row.name;
  }
}

// Showing is a server's identity with so many names and so many further certificates.
class HostileCertificate : public testing::Test {
 protected:
  pki::CertificateSpec Spec(const std::string& name) const {
    return {.subject = {.common_name = name, .organizations = {}},
            .alt_names = {},
            .usages = {pki::ExtendedKeyUsage::kServerAuth},
            .not_before = kNow - std::chrono::hours(1),
            .not_after = kNow + std::chrono::hours(1)};
  }
  Dialled DialShowing(int names, int others) {
    pki::CertificateSpec spec = Spec("system:node:panda");
    spec.alt_names.ip_addresses = {"127.0.0.1"};
    for (int i = 1; i < names; ++i) {
      spec.alt_names.dns_names.push_back("n" + std::to_string(i));
    }
    const auto key = pki::PrivateKey::Generate(pki::Algorithm::kEcdsaP256);
    http::ServerIdentity identity{.certificate_pem = pki::Sign(spec, key.Public(), ca_).Pem(),
                                  .key_pem = key.Pem()};
    for (int i = 0; i < others; ++i) {
      identity.certificate_pem += ca_.certificate.Pem();
    }
    const http::Server server({.host = "127.0.0.1", .identity = [&] { return identity; }},
                              [](const http::ServerRequest&) { return http::ServerReply{}; });
    return Dial(server.port(), {ca_.certificate});
  }

  pki::PrivateKey ca_key_ = pki::PrivateKey::Generate(pki::Algorithm::kEcdsaP256);
  pki::KeyPair ca_{.certificate = pki::NewSelfSignedCa(Spec("ca"), ca_key_), .key = ca_key_};
};

TEST_F(HostileCertificate, OfManyNamesIsNotRead) {
  EXPECT_TRUE(DialShowing(256, 0).certificate);
  const Dialled dialled = DialShowing(257, 0);
  EXPECT_FALSE(dialled.certificate);
  EXPECT_THAT(dialled.problem, HasSubstr("more than 256 alternative names"));
}

TEST_F(HostileCertificate, WithAnEndlessChainIsNotRead) {
  EXPECT_TRUE(DialShowing(1, 20).certificate);
  EXPECT_FALSE(DialShowing(1, 3000).certificate);
}

}  // namespace
}  // namespace approver
