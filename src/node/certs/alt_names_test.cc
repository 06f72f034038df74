// SPDX-License-Identifier: Apache-2.0
#include "certs/alt_names.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "certs/fake_context.h"

namespace certs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

pki::SubjectAltNames NamesOf(std::string_view spec, const config::Init& config) {
  return AltNamesOf(FindSpec(spec), config);
}

TEST(AltNamesTest, IncludeServiceAndAddressOfTheApiServer) {
  const auto names = NamesOf("apiserver", FakeContext::DefaultConfig());
  EXPECT_THAT(names.dns_names,
              ElementsAre("cp-one", "kubernetes", "kubernetes.default", "kubernetes.default.svc",
                          "kubernetes.default.svc.cluster.local"));
  EXPECT_THAT(names.ip_addresses, ElementsAre("10.96.0.1", "10.20.30.40"));
}

TEST(AltNamesTest, IncludeTheEndpointAsNameOrAddress) {
  config::Init config = FakeContext::DefaultConfig();
  struct Case {
    const char* endpoint;
    const char* dns;
    const char* ip;
  };
  for (const Case& c : {Case{"lb.example.org:8443", "lb.example.org", nullptr},
                        Case{"lb.example.org", "lb.example.org", nullptr},
                        Case{"203.0.113.5", nullptr, "203.0.113.5"},
                        Case{"[fd00:0::5]:6443", nullptr, "fd00::5"}}) {
    config.cluster.control_plane_endpoint = c.endpoint;
    const auto names = NamesOf("apiserver", config);
    if (c.dns != nullptr) {
      EXPECT_THAT(names.dns_names, testing::Contains(c.dns)) << c.endpoint;
      EXPECT_EQ(names.ip_addresses.size(), 2U) << c.endpoint;
    } else {
      EXPECT_THAT(names.ip_addresses, ElementsAre("10.96.0.1", "10.20.30.40", c.ip));
      EXPECT_EQ(names.dns_names.size(), 5U) << c.endpoint;
    }
  }
}

TEST(AltNamesTest, LowerCaseSortAndDeduplicateExtraNames) {
  config::Init config = FakeContext::DefaultConfig();
  config.cluster.api_server.cert_sans = {"*.Wild.example.org", "UPPER.example.org", "10.1.2.3",
                                         "fd00:0::7",          "upper.example.org", "kubernetes",
                                         "10.20.30.40",        "::ffff:10.1.2.3"};
  const auto names = NamesOf("apiserver", config);
  EXPECT_THAT(names.dns_names,
              ElementsAre("*.wild.example.org", "cp-one", "kubernetes", "kubernetes.default",
                          "kubernetes.default.svc", "kubernetes.default.svc.cluster.local",
                          "upper.example.org"));
  EXPECT_THAT(names.ip_addresses, ElementsAre("10.96.0.1", "10.20.30.40", "10.1.2.3", "fd00::7"));
}

TEST(AltNamesTest, DropsInvalidNamesWithAWarning) {
  config::Init config = FakeContext::DefaultConfig();
  config.cluster.api_server.cert_sans = {"under_score", "a.*.example.org", "good.example.org"};
  testing::internal::CaptureStderr();
  const auto names = NamesOf("apiserver", config);
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_EQ(names.dns_names.size(), 6U);
  EXPECT_THAT(log, HasSubstr("apiServer.certSANs: \"under_score\""));
  EXPECT_THAT(log, HasSubstr("a.*.example.org"));
}

TEST(AltNamesTest, UseTheFirstServiceNetworkOfDualStack) {
  config::Init config = FakeContext::DefaultConfig();
  config.cluster.networking.service_subnet = "fd00:96::/112,10.96.0.0/16";
  config.init.local_api_endpoint.advertise_address = "fd00:10::40";
  EXPECT_THAT(NamesOf("apiserver", config).ip_addresses, ElementsAre("fd00:96::1", "fd00:10::40"));
}

TEST(AltNamesTest, IncludeNodeAndLocalhostForEtcd) {
  config::Init config = FakeContext::DefaultConfig();
  config.cluster.etcd.local->server_cert_sans = {"etcd.example.org", "10.7.7.7"};
  config.cluster.etcd.local->peer_cert_sans = {"peer.example.org", "::1"};
  const auto server = NamesOf("etcd-server", config);
  EXPECT_THAT(server.dns_names, ElementsAre("cp-one", "etcd.example.org", "localhost"));
  EXPECT_THAT(server.ip_addresses, ElementsAre("10.20.30.40", "127.0.0.1", "::1", "10.7.7.7"));
  const auto peer = NamesOf("etcd-peer", config);
  EXPECT_THAT(peer.dns_names, ElementsAre("cp-one", "localhost", "peer.example.org"));
  EXPECT_THAT(peer.ip_addresses, ElementsAre("10.20.30.40", "127.0.0.1", "::1"));
}

TEST(AltNamesTest, AreTheCommonNameForCasAndEmptyForClients) {
  const config::Init config = FakeContext::DefaultConfig();
  for (const CertSpec& spec : Tree()) {
    const auto names = AltNamesOf(spec, config);
    if (spec.is_ca()) {
      EXPECT_THAT(names.dns_names, ElementsAre(std::string(spec.common_name)));
      EXPECT_THAT(names.ip_addresses, IsEmpty());
    } else if (spec.names == NameRule::kNone) {
      EXPECT_TRUE(names.empty()) << spec.name;
    }
  }
}

TEST(AltNamesTest, RefusesUnusableValuesAndNamesTheField) {
  struct Case {
    const char* mention;
    void (*spoil)(config::Init&);
  };
  for (const Case& c :
       {Case{"networking.serviceSubnet",
             [](config::Init& i) { i.cluster.networking.service_subnet = "x"; }},
        Case{"localAPIEndpoint.advertiseAddress: \"\" is not an IP address",
             [](config::Init& i) { i.init.local_api_endpoint.advertise_address = ""; }},
        Case{"controlPlaneEndpoint: \"Api.Example.Org\" is neither an IP address nor a DNS name",
             [](config::Init& i) { i.cluster.control_plane_endpoint = "Api.Example.Org:8443"; }}}) {
    config::Init config = FakeContext::DefaultConfig();
    c.spoil(config);
    EXPECT_THAT(base::MessageOf([&] { NamesOf("apiserver", config); }), HasSubstr(c.mention));
  }
}

}  // namespace
}  // namespace certs
