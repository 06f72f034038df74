// SPDX-License-Identifier: Apache-2.0
#include "evidence/settle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evidence/fake_kubelet.h"
#include "judgement/fake_world.h"

namespace evidence {
namespace {

using judgement::Detail;
using judgement::Dialled;
using judgement::Facts;
using judgement::FakeWorld;
using judgement::Node;
using judgement::ParsedRequest;
using judgement::Verdict;
using testing::HasSubstr;

// Serves a certificate for `names`, signed by a CA that the dialer knows.
class KubeletDialerTest : public testing::Test {
 protected:
  static constexpr std::chrono::sys_seconds kNow{std::chrono::seconds(1'790'000'000)};

  int Serve(const pki::SubjectAltNames& names) {
    server_ = std::make_unique<http::FakeServer>(
        [](const http::FakeRequest&) { return http::FakeReply{}; },
        ca_.Certify("system:node:panda", names));
    return server_->port();
  }
  Dialled Dial(const std::string& address, int port) const {
    const Node node{.name = "panda",
                    .addresses = {{"Hostname", "panda"}, {"InternalIP", address}},
                    .kubelet_port = port == 0 ? std::nullopt : std::optional<std::uint16_t>(port),
                    .resource_version = {}};
    return KubeletDialer{
        .bundle = {ca_.certificate()}, .now = kNow, .stop = {}, .rules = {.loopback = true}}
        .Dial(node);
  }

  KubeletCa ca_{kNow};
  std::unique_ptr<http::FakeServer> server_;
};

TEST_F(KubeletDialerTest, ReturnsTheServedCertificate) {
  const Dialled dialled =
      Dial("127.0.0.1", Serve({.dns_names = {"panda"}, .ip_addresses = {"127.0.0.1"}}));
  ASSERT_TRUE(dialled) << dialled.error();
  EXPECT_EQ(dialled->common_name, "system:node:panda");
}

TEST_F(KubeletDialerTest, DialsAddressesOnly) {
  const int port = Serve({.dns_names = {"localhost"}, .ip_addresses = {"127.0.0.1"}});
  for (const char* name : {"localhost", "127.1", "127.0.0.1 ", "", "127.0.0.1:1", "2130706433"}) {
    const Dialled dialled = Dial(name, port);
    EXPECT_THAT(dialled.error_or(""), HasSubstr("no internal IP address")) << name;
  }
}

TEST_F(KubeletDialerTest, DoesNotDialWhereTheRulesForbidIt) {
  const int port = Serve({.dns_names = {}, .ip_addresses = {"127.0.0.1"}});
  ASSERT_TRUE(Dial("127.0.0.1", port));
  const Node node{.name = "panda",
                  .addresses = {{"InternalIP", "127.0.0.1"}},
                  .kubelet_port = static_cast<std::uint16_t>(port)};
  const Dialled dialled =
      KubeletDialer{.bundle = {ca_.certificate()}, .now = kNow, .stop = {}, .rules = {}}.Dial(node);
  EXPECT_THAT(dialled.error_or(""), HasSubstr("it is a loopback address"));
}

TEST_F(KubeletDialerTest, RefusesACertificateForAnotherAddress) {
  const Dialled dialled =
      Dial("127.0.0.1", Serve({.dns_names = {"panda"}, .ip_addresses = {"127.0.0.2"}}));
  EXPECT_THAT(dialled.error_or(""), HasSubstr("not valid for 127.0.0.1"));
}

TEST_F(KubeletDialerTest, RefusesACertificateThatTheBundleHasNotSigned) {
  const int port = Serve({.dns_names = {}, .ip_addresses = {"127.0.0.1"}});
  ca_ = KubeletCa(kNow);
  EXPECT_THAT(Dial("127.0.0.1", port).error_or(""), HasSubstr("not trusted"));
}

TEST_F(KubeletDialerTest, ReportsAMissingPortOrTlsConnection) {
  EXPECT_THAT(Dial("127.0.0.1", 0).error_or(""), HasSubstr("port"));
  const int port = Serve({.dns_names = {}, .ip_addresses = {"127.0.0.1"}});
  server_->Stop();
  EXPECT_THAT(Dial("127.0.0.1", port).error_or(""), HasSubstr("no TLS connection"));
}

TEST(Settle, LooksUpEachFactOnce) {
  FakeWorld world = FakeWorld::Serving();
  const ParsedRequest request = pki::ReadRequest(pki::FakeRequestPem(world.request));
  Facts facts;
  facts.csr = &world.csr;
  facts.request = &request;
  facts.has_ca = true;
  std::vector<std::string> asked;
  const Verdict verdict = Settle(facts, {}, Detail::kDecision,
                                 {.dial =
                                      [&](const std::string& node) {
                                        asked.push_back("dial " + node);
                                        return Dialled(std::unexpected("x"));
                                      },
                                  .network =
                                      [&] {
                                        asked.emplace_back("network");
                                        return std::string();
                                      },
                                  .host_subnet = {},
                                  .egress_ips = {}});
  EXPECT_EQ(verdict.reason, judgement::Reason::kServingExhausted);
  EXPECT_THAT(asked, testing::ElementsAre("dial panda", "network"));
}

}  // namespace
}  // namespace evidence
