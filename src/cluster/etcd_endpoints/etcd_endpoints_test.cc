// SPDX-License-Identifier: Apache-2.0
#include "etcd_endpoints/etcd_endpoints.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "config/fake_facts.h"
#include "host/fake_host.h"
#include "kube/fake_server.h"

namespace etcd_endpoints {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

json::Value EtcdPod(const std::string& name, const std::string& urls) {
  json::Value pod = {{"metadata",
                      {{"name", name},
                       {"namespace", "kube-system"},
                       {"labels", {{"component", "etcd"}, {"tier", "control-plane"}}}}}};
  if (!urls.empty()) {
    pod["metadata"]["annotations"]["kubeadm.kubernetes.io/etcd.advertise-client-urls"] = urls;
  }
  return pod;
}

TEST(EtcdEndpointsIn, AreTheAnnotationsUrlsEachOnce) {
  EXPECT_THAT(
      EtcdEndpointsIn({EtcdPod("a", "https://10.0.0.1:2379"),
                       EtcdPod("b", "https://10.0.0.2:2379,https://[fd00::2]:2379"),
                       EtcdPod("c", "https://10.0.0.1:2379")}),
      ElementsAre("https://10.0.0.1:2379", "https://10.0.0.2:2379", "https://[fd00::2]:2379"));
  EXPECT_THAT(EtcdEndpointsIn({}), IsEmpty());
}

TEST(EtcdEndpointsIn, NameThePodsThatLackThem) {
  EXPECT_THAT(base::MessageOf([] {
                EtcdEndpointsIn(
                    {EtcdPod("a", "https://10.0.0.1:2379"), EtcdPod("b", ""), EtcdPod("c", "")});
              }),
              HasSubstr("is missing on Pods of kube-system: b, c"));
}

TEST(EtcdEndpoints, AreAskedOfTheCluster) {
  kube::FakeApiServer server;
  host::FakeClock clock;
  kube::Client client(server.NewTransport(), clock,
                      {.limit = std::chrono::milliseconds(0), .grace = {}});
  EXPECT_THAT(EtcdEndpoints(client), IsEmpty());
  server.Put(kube::resources::kPod, EtcdPod("etcd-a", "https://10.0.0.1:2379"));
  json::Value other = EtcdPod("other", "https://10.0.0.9:2379");
  other["metadata"]["labels"] = {{"component", "kube-apiserver"}, {"tier", "control-plane"}};
  server.Put(kube::resources::kPod, other);
  EXPECT_THAT(EtcdEndpoints(client), ElementsAre("https://10.0.0.1:2379"));
  server.Put(kube::resources::kPod, EtcdPod("etcd-b", ""));
  EXPECT_THAT(base::MessageOf([&] { EtcdEndpoints(client); }), HasSubstr("etcd-b"));
}

}  // namespace
}  // namespace etcd_endpoints
