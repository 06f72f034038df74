// SPDX-License-Identifier: Apache-2.0
#include "evidence/cluster_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evidence/fake_objects.h"
#include "judgement/fake_world.h"
#include "kube/fake_server.h"

namespace evidence {
namespace {

using judgement::Known;
using judgement::Networks;
using judgement::Reserved;
using kube::resources::kConfigMap;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;

constexpr kube::Resource kServiceCidr{"networking.k8s.io", "v1", "servicecidrs", "ServiceCIDR",
                                      false};

Known<Reserved> Read(kube::FakeApiServer& server) {
  const auto transport = server.NewTransport();
  return ReadReserved(*transport, {}, {});
}

// Publishes these addresses of API servers in the EndpointSlice.
void Advertised(kube::FakeApiServer& server, const std::vector<std::string>& addresses) {
  server.Put(kube::resources::kEndpointSlice, ApiServersObject(addresses));
}

TEST(ReadReserved, ReadsReservedNamesAddressesAndNetworks) {
  kube::FakeApiServer server;
  server.Put(
      kConfigMap,
      ClusterConfigObject(
          "controlPlaneEndpoint: api.example.com:6443\n"
          "networking: {serviceSubnet: '10.96.0.0/12,fd00:1::/108', podSubnet: 10.244.0.0/16}\n"
          "apiServer: {certSANs: [10.0.0.100, vip.example.com]}\n"));
  server.Put(kServiceCidr,
             {{"metadata", {{"name", "more"}}}, {"spec", {{"cidrs", {"10.32.0.0/16"}}}}});
  Advertised(server, {});
  const Reserved reserved = Read(server).value();
  EXPECT_THAT(reserved.cidrs, ElementsAreArray(Networks({"10.96.0.0/12", "fd00:1::/108",
                                                         "10.244.0.0/16", "10.32.0.0/16"})));
  EXPECT_THAT(reserved.endpoints, ElementsAre("api.example.com", "10.0.0.100", "vip.example.com"));
}

TEST(ReadReserved, ReadsEndpointsOfAllForms) {
  for (const auto& [text, host] :
       std::initializer_list<std::pair<std::string, std::string>>{{"api", "api"},
                                                                  {"api:6443", "api"},
                                                                  {"10.0.0.1:6443", "10.0.0.1"},
                                                                  {"10.0.0.1", "10.0.0.1"},
                                                                  {"010.0.0.1:6443", "10.0.0.1"},
                                                                  {"'[fd00::1]:6443'", "fd00::1"},
                                                                  {"'[fd00::1]'", "fd00::1"},
                                                                  {"'fd00::1'", "fd00::1"}}) {
    kube::FakeApiServer server;
    server.Put(kConfigMap,
               ClusterConfigObject(
                   "networking: {serviceSubnet: 10.96.0.0/12}\ncontrolPlaneEndpoint: " + text));
    Advertised(server, {});
    EXPECT_THAT(Read(server).value().endpoints, ElementsAre(host)) << text;
  }
}

TEST(ReadReserved, ReadsTheAddressesOfApiServersFromServiceAndUrls) {
  kube::FakeApiServer server;
  server.Put(kConfigMap, ClusterConfigObject("networking: {serviceSubnet: 10.96.0.0/12}"));
  Advertised(server, {"10.0.0.1", "fd00:0::1"});
  const auto transport = server.NewTransport();
  const Known<Reserved> reserved = ReadReserved(
      *transport,
      {"https://10.0.0.2:6443", "https://[FD00::2]:6443", "https://api.example.com", "unix:///x"},
      {});
  EXPECT_THAT(reserved.value().endpoints,
              ElementsAre("10.0.0.1", "fd00::1", "10.0.0.2", "fd00::2", "api.example.com"));
}

TEST(ReadReserved, FailsWhileTheAddressesOfApiServersAreUnknown) {
  kube::FakeApiServer server;
  server.Put(kConfigMap, ClusterConfigObject("networking: {serviceSubnet: 10.96.0.0/12}"));
  EXPECT_THAT(Read(server).error_or(""), HasSubstr("EndpointSlice default/kubernetes"))
      << "it is not there";
  Advertised(server, {"10.0.0.1"});
  EXPECT_TRUE(Read(server));
  server.Inject(
      {.what = "GET /apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes",
       .status = 403,
       .reason = "Forbidden",
       .message = "no",
       .times = 1});
  EXPECT_THAT(Read(server).error_or(""), HasSubstr("is not known"));
}

TEST(ReadReserved, FailsIfTheNetworksOfTheClusterAreUnknown) {
  kube::FakeApiServer server;
  Advertised(server, {"10.0.0.1"});
  EXPECT_THAT(Read(server).error_or(""), HasSubstr("kube-system/kubeadm-config"))
      << "it is not there";
  for (const char* bad : {"", "{}", "networking: {}", "networking: {serviceSubnet: ''}",
                          "networking: {serviceSubnet: 10.96.0.0}", "a: [",
                          "networking: {serviceSubnet: '10.96.0.0/12,x'}",
                          "networking: {serviceSubnet: 10.96.0.0/12, podSubnet: 10.0.0.0/40}"}) {
    server.Put(kConfigMap, ClusterConfigObject(bad));
    EXPECT_THAT(Read(server).error_or(""), HasSubstr("is not known")) << bad;
  }
  server.Put(kConfigMap, ClusterConfigObject("networking: {serviceSubnet: 10.96.0.0/12}"));
  EXPECT_TRUE(Read(server));
  server.Inject({.what = "GET /apis/networking.k8s.io",
                 .status = 403,
                 .reason = "Forbidden",
                 .message = "no",
                 .times = 1});
  EXPECT_THAT(Read(server).error_or(""), HasSubstr("is not known"));
}

DialRules ReadRules(kube::FakeApiServer& server) {
  const auto transport = server.NewTransport();
  return ReadDialRules(*transport, {"https://10.0.0.1:6443"}, {});
}

TEST(ReadDialRules, HaveTheNetworksOfServices) {
  constexpr kube::Resource kNetwork{"config.openshift.io", "v1", "networks", "Network", false};
  kube::FakeApiServer server;
  EXPECT_THAT(ReadRules(server).networks, IsEmpty()) << "neither kind is served";
  server.Put(kServiceCidr,
             {{"metadata", {{"name", "kubernetes"}}}, {"spec", {{"cidrs", {"10.96.0.0/12"}}}}});
  server.Put(kNetwork, {{"metadata", {{"name", "cluster"}}},
                        {"status", {{"serviceNetwork", {"172.30.0.0/16", "fd02::/112"}}}}});
  const DialRules rules = ReadRules(server);
  EXPECT_THAT(rules.networks,
              ElementsAreArray(Networks({"10.96.0.0/12", "172.30.0.0/16", "fd02::/112"})));
  EXPECT_THAT(rules.servers, ElementsAre("10.0.0.1:6443"));
  EXPECT_EQ(rules.problem, std::nullopt);
}

TEST(ReadDialRules, ForbidsDiallingWhileTheServerDoesNotAnswer) {
  kube::FakeApiServer server;
  for (const auto& [status, reason, known] :
       std::initializer_list<std::tuple<int, std::string, bool>>{
           {403, "Forbidden", true}, {404, "NotFound", true}, {500, "InternalError", false}}) {
    server.Inject({.what = "GET /apis/networking.k8s.io",
                   .status = status,
                   .reason = reason,
                   .message = "no",
                   .times = 1});
    EXPECT_EQ(!ReadRules(server).problem, known) << status;
  }
  server.Put(kServiceCidr, {{"metadata", {{"name", "odd"}}}, {"spec", {{"cidrs", {"10.96"}}}}});
  EXPECT_THAT(ReadRules(server).problem, Optional(HasSubstr("is not a network")));
}

TEST(EgressIpsOf, ReturnsTheNodesOwnAddresses) {
  const json::Value list = json::Parse(R"({"items":[{"status":{"items":[
    {"node":"a","egressIP":"1.1.1.1"},{"node":"b","egressIP":"2.2.2.2"}]}},{}]})");
  EXPECT_THAT(EgressIpsOf(list, "a"), ElementsAre("1.1.1.1"));
}

}  // namespace
}  // namespace evidence
