// SPDX-License-Identifier: Apache-2.0
// Malicious servers in place of a kubelet: each dial ends in time, with a reason, and reads little
// data.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evidence/fake_kubelet.h"
#include "evidence/settle.h"
#include "host/clock.h"
#include "http/fake_impostor.h"
#include "http/server.h"

namespace evidence {
namespace {

using judgement::Dialled;
using judgement::Node;
using testing::HasSubstr;

constexpr std::chrono::sys_seconds kNow{std::chrono::seconds(1'790'000'000)};
constexpr std::chrono::milliseconds kTimeout{300};
// Allowance for scheduling on a busy machine.
constexpr std::chrono::seconds kSlack{5};

Dialled Dial(int port, const std::vector<pki::Certificate>& bundle) {
  const Node node{.name = "panda",
                  .addresses = {{"InternalIP", "127.0.0.1"}},
                  .kubelet_port = static_cast<std::uint16_t>(port),
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

TEST(HostileKubelet, CostsLittleAndAttestsNothing) {
  // A record's header (RFC 8446 §5.1), and the beginning of a ServerHello of 16 MiB (RFC 8446 §4)
  // that never ends.
  const std::string hello("\x16\x03\x03\x40\x00\x02\xFF\xFF\xFF", 9);
  std::string record("\x16\x03\x03\x40\x00", 5);
  record.resize(record.size() + 16'384, '\x02');
  struct Row {
    std::string name;
    http::Impostor::Words words;
  };
  for (const Row& row : std::initializer_list<Row>{
           {"silent", {}},
           {"hangs up", {.hangs_up = true}},
           {"plain text", {.first = "HTTP/1.1 400 Bad Request\r\n\r\n"}},
           {"redirect", {.first = "HTTP/1.1 302 Found\r\nLocation: https://127.0.0.1/\r\n\r\n"}},
           {"endless garbage", {.again = std::string(65'536, 'x')}},
           {"endless hello", {.first = hello, .again = record}},
           {"dribble",
            {.first = hello.substr(0, 5), .again = "\x02", .pause = std::chrono::milliseconds(10)}},
           {"alert", {.first = std::string("\x15\x03\x03\x00\x02\x02\x28", 7)}},
           {"endless warnings", {.again = std::string("\x15\x03\x03\x00\x02\x01\x5A", 7)}},
           {"old TLS", {.first = std::string("\x15\x03\x01\x00\x02\x02\x46", 7), .hangs_up = true}},
       }) {
    const http::Impostor impostor(row.words);
    const Dialled dialled = Dial(impostor.port(), {});
    EXPECT_THAT(dialled.error_or(""), HasSubstr("no TLS connection with 127.0.0.1:")) << row.name;
    EXPECT_LT(impostor.sent(), std::size_t{8} << 20U) << row.name;
  }
}

// Dials a server whose certificate has `names` names. Its chain contains `others` more
// certificates.
Dialled DialShowing(int names, int others) {
  const KubeletCa ca(kNow);
  pki::SubjectAltNames alt_names{.ip_addresses = {"127.0.0.1"}};
  for (int i = 1; i < names; ++i) {
    alt_names.dns_names.push_back("n" + std::to_string(i));
  }
  const http::FakeTls own = ca.Certify("system:node:panda", alt_names);
  http::ServerIdentity identity{.certificate_pem = own.certificate_pem, .key_pem = own.key_pem};
  for (int i = 0; i < others; ++i) {
    identity.certificate_pem += ca.certificate().Pem();
  }
  host::RealClock clock;
  const http::Server server(
      {.clock = clock, .host = "127.0.0.1", .identity = [&] { return identity; }},
      [](const http::ServerRequest&) { return http::ServerReply{}; });
  return Dial(server.port(), {ca.certificate()});
}

TEST(HostileCertificate, IsNotReadWhenItHasTooManyNames) {
  EXPECT_TRUE(DialShowing(256, 0));
  const Dialled dialled = DialShowing(257, 0);
  EXPECT_THAT(dialled.error_or(""), HasSubstr("more than 256 alternative names"));
}

TEST(HostileCertificate, IsNotReadWhenItsChainIsEndless) {
  EXPECT_TRUE(DialShowing(1, 20));
  EXPECT_FALSE(DialShowing(1, 3000));
}

}  // namespace
}  // namespace evidence
