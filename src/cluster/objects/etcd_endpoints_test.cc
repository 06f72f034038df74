// SPDX-License-Identifier: Apache-2.0
#include "objects/etcd_endpoints.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "host/fake_host.h"
#include "kube/fake_server.h"
#include "objects/fake_mirror_pod.h"

namespace objects {
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

json::Value MirrorPod(const std::string& node, const std::string& urls) {
  return objects::WithAnnotation(objects::FakeMirrorPod(components::Component::kEtcd, node),
                                 "kubeadm.kubernetes.io/etcd.advertise-client-urls", urls);
}

TEST(EtcdEndpointsIn, ListEachAnnotatedUrlOnce) {
  EXPECT_THAT(
      EtcdEndpointsIn({EtcdPod("a", "https://10.0.0.1:2379"),
                       EtcdPod("b", "https://10.0.0.2:2379,https://[fd00::2]:2379"),
                       EtcdPod("c", "https://10.0.0.1:2379")}),
      ElementsAre("https://10.0.0.1:2379", "https://10.0.0.2:2379", "https://[fd00::2]:2379"));
  EXPECT_THAT(EtcdEndpointsIn({}), IsEmpty());
}

TEST(EtcdEndpointsIn, ReportPodsWithoutTheAnnotation) {
  EXPECT_THAT(base::MessageOf([] {
                EtcdEndpointsIn(
                    {EtcdPod("a", "https://10.0.0.1:2379"), EtcdPod("b", ""), EtcdPod("c", "")});
              }),
              HasSubstr("is missing on Pods of kube-system: b, c"));
}

TEST(EtcdEndpoints, AreReadFromTheCluster) {
  kube::FakeApiServer server;
  host::FakeClock clock;
  kube::Client client(server.NewTransport(), clock,
                      {.limit = std::chrono::milliseconds(0), .grace = {}});
  EXPECT_THAT(EtcdEndpoints(client), IsEmpty());
  for (const char* node : {"a", "b"}) {
    server.Put(kube::resources::kNode, objects::FakeControlPlaneNode(node));
  }
  server.Put(kube::resources::kPod, MirrorPod("a", "https://10.0.0.1:2379"));
  EXPECT_THAT(EtcdEndpoints(client), ElementsAre("https://10.0.0.1:2379"));
  server.Put(kube::resources::kPod, objects::FakeMirrorPod(components::Component::kEtcd, "b"));
  EXPECT_THAT(base::MessageOf([&] { EtcdEndpoints(client); }), HasSubstr("etcd-b"));
}

TEST(EtcdEndpoints, IgnorePodsOfWorkers) {
  kube::FakeApiServer server;
  host::FakeClock clock;
  kube::Client client(server.NewTransport(), clock,
                      {.limit = std::chrono::milliseconds(0), .grace = {}});
  server.Put(kube::resources::kNode, objects::FakeControlPlaneNode("a"));
  server.Put(kube::resources::kNode, objects::FakeNode("worker"));
  server.Put(kube::resources::kPod, MirrorPod("a", "https://10.0.0.1:2379"));
  server.Put(kube::resources::kPod, MirrorPod("worker", "https://10.66.66.66:2379"));
  // EtcdEndpoints would wait for the annotation of this Pod if it did not ignore the Pod.
  server.Put(kube::resources::kPod, EtcdPod("etcd-x", ""));
  EXPECT_THAT(EtcdEndpoints(client), ElementsAre("https://10.0.0.1:2379"));
}

}  // namespace
}  // namespace objects
