// SPDX-License-Identifier: Apache-2.0
#include "static_pods/rootless.h"

#include <gmock/gmock.h>

#include "config/fake_facts.h"
#include "host/fake_host.h"
#include "json/value.h"

namespace static_pods {
namespace {

using components::Component;

using testing::Contains;
using testing::HasSubstr;

const static_pods::RootlessIds kIds{.etcd = {1, 11},
                                    .api_server = {2, 12},
                                    .controller_manager = {3, 13},
                                    .scheduler = {4, 14},
                                    .sa_key_readers = 15};

json::Value EmptyPod() {
  return {{"spec",
           {{"containers", json::Value::array({json::Value::object()})},
            {"securityContext", {{"seccompProfile", {{"type", "RuntimeDefault"}}}}}}}};
}

TEST(RunAs, GivesEachComponentOnlyTheRightsThatItNeeds) {
  struct Case {
    Component component;
    std::string pod, container;
  };
  for (const Case& c : std::initializer_list<Case>{
           {Component::kEtcd,
            R"({"runAsGroup":11,"runAsUser":1,"seccompProfile":{"type":"RuntimeDefault"}})",
            R"({"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}})"},
           {Component::kApiServer,
            R"({"runAsGroup":12,"runAsUser":2,"seccompProfile":{"type":"RuntimeDefault"},)"
            R"("supplementalGroups":[15]})",
            R"({"capabilities":{"add":["NET_BIND_SERVICE"],"drop":["ALL"]}})"},
           {Component::kControllerManager,
            R"({"runAsGroup":13,"runAsUser":3,"seccompProfile":{"type":"RuntimeDefault"},)"
            R"("supplementalGroups":[15]})",
            R"({"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}})"},
           {Component::kScheduler,
            R"({"runAsGroup":14,"runAsUser":4,"seccompProfile":{"type":"RuntimeDefault"}})",
            R"({"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}})"}}) {
    json::Value pod = EmptyPod();
    RunAs(pod, c.component, kIds);
    EXPECT_EQ(pod["spec"]["securityContext"].dump(), c.pod) << Name(c.component);
    EXPECT_EQ(pod["spec"]["containers"][0]["securityContext"].dump(), c.container)
        << Name(c.component);
  }
}

TEST(Ownership, CoversTheFilesThatTheComponentReads) {
  config::ClusterConfiguration cluster{.certificates_dir = "/pki"};
  cluster.etcd.local = config::LocalEtcd{.data_dir = "/data"};
  EXPECT_EQ(OwnershipFor(Component::kEtcd, cluster, kIds, {}),
            (std::vector<Ownership>{{"/pki/etcd/server.key", 1, 11, 0600},
                                    {"/pki/etcd/peer.key", 1, 11, 0600},
                                    {"/data", 1, 11, 0}}));
  EXPECT_EQ(OwnershipFor(Component::kApiServer, cluster, kIds, {}).size(), 6U);
  EXPECT_THAT(OwnershipFor(Component::kApiServer, cluster, kIds, {}),
              Contains(Ownership{"/pki/sa.key", 0, 15, 0640}));
  EXPECT_EQ(OwnershipFor(Component::kControllerManager, cluster, kIds, {.external_ca = true}),
            (std::vector<Ownership>{{"/etc/kubernetes/controller-manager.conf", 3, 13, 0600},
                                    {"/pki/sa.key", 0, 15, 0640}}));
  EXPECT_EQ(OwnershipFor(Component::kScheduler, cluster, kIds, {}),
            (std::vector<Ownership>{{"/etc/kubernetes/scheduler.conf", 4, 14, 0600}}));
  cluster.etcd = {.external = config::ExternalEtcd{}};
  EXPECT_EQ(OwnershipFor(Component::kApiServer, cluster, kIds, {}).size(), 5U);
}

TEST(Ownership, SetsModes) {
  host::FakeHost fake;
  fake.files.Write("/a", "x", {.mode = 0600});
  const auto before = *fake.files.Stat("/a");
  ApplyOwnership(fake.files, {{"/a", before.uid, before.gid, 0640}});
  EXPECT_EQ(fake.files.Stat("/a")->mode, 0640U);
}

TEST(Rootless, IsAFeatureGate) {
  EXPECT_FALSE(IsRootless({}));
  EXPECT_FALSE(IsRootless({.feature_gates = {{"RootlessControlPlane", false}}}));
  EXPECT_TRUE(IsRootless({.feature_gates = {{"RootlessControlPlane", true}}}));
}

}  // namespace
}  // namespace static_pods
