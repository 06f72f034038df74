// SPDX-License-Identifier: Apache-2.0
#include "components/table.h"

#include <gmock/gmock.h>

namespace components {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Names = std::vector<std::string_view>;

TEST(Components, HaveOneRowEach) {
  std::vector<std::string> names;
  for (const Component component : kComponents) {
    EXPECT_EQ(RowOf(component).component, component);
    names.emplace_back(Name(component));
  }
  EXPECT_THAT(names,
              ElementsAre("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"));
}

TEST(Components, NameTheirPods) {
  EXPECT_EQ(ManifestPath(Component::kApiServer), "/etc/kubernetes/manifests/kube-apiserver.yaml");
  EXPECT_EQ(PodLabels(Component::kEtcd), "component=etcd,tier=control-plane");
  EXPECT_EQ(PodName(Component::kScheduler, "alpha"), "kube-scheduler-alpha");
}

TEST(ComponentsUsing, ReturnsTheReadersOfTheCertificatesInOrder) {
  EXPECT_THAT(ComponentsUsing(Names{"scheduler.conf", "apiserver", "etcd-peer"}),
              ElementsAre(Component::kEtcd, Component::kApiServer, Component::kScheduler));
  EXPECT_THAT(ComponentsUsing(Names{"front-proxy-client", "apiserver-etcd-client"}),
              ElementsAre(Component::kApiServer));
  EXPECT_THAT(ComponentsUsing(Names{"controller-manager.conf"}),
              ElementsAre(Component::kControllerManager));
}

TEST(ComponentsUsing, ReturnsNoneForCertificatesOfUsersAndProbes) {
  EXPECT_THAT(ComponentsUsing(Names{"admin.conf", "super-admin.conf", "etcd-healthcheck-client"}),
              IsEmpty());
}

TEST(CertificatesOf, ReturnsTheCertificatesThatAComponentReads) {
  EXPECT_THAT(CertificatesOf(Component::kEtcd), ElementsAre("etcd-peer", "etcd-server"));
  EXPECT_THAT(CertificatesOf(Component::kApiServer),
              ElementsAre("apiserver", "apiserver-etcd-client", "apiserver-kubelet-client",
                          "front-proxy-client"));
  EXPECT_THAT(CertificatesOf(Component::kScheduler), ElementsAre("scheduler.conf"));
}

}  // namespace
}  // namespace components
