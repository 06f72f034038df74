// SPDX-License-Identifier: Apache-2.0
#include "config/images.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace config {
namespace {

using testing::ElementsAre;

ClusterConfiguration Cluster() {
  ClusterConfiguration cluster;
  cluster.kubernetes_version = "v1.36.3";
  cluster.image_repository = kDefaultImageRepository;
  cluster.etcd.local.emplace();
  return cluster;
}

TEST(Images, ListsTheImagesOfARelease) {
  EXPECT_THAT(
      RequiredImages(Cluster()),
      ElementsAre("registry.k8s.io/kube-apiserver:v1.36.3",
                  "registry.k8s.io/kube-controller-manager:v1.36.3",
                  "registry.k8s.io/kube-scheduler:v1.36.3", "registry.k8s.io/kube-proxy:v1.36.3",
                  "registry.k8s.io/coredns/coredns:v1.14.2", "registry.k8s.io/pause:3.10.2",
                  "registry.k8s.io/etcd:3.6.8-0"));
}

TEST(Images, OmitsImagesOfDisabledAddonsAndExternalEtcd) {
  ClusterConfiguration cluster = Cluster();
  cluster.proxy.disabled = true;
  cluster.dns.disabled = true;
  cluster.etcd = {.external = ExternalEtcd{}};
  EXPECT_THAT(
      RequiredImages(cluster),
      ElementsAre("registry.k8s.io/kube-apiserver:v1.36.3",
                  "registry.k8s.io/kube-controller-manager:v1.36.3",
                  "registry.k8s.io/kube-scheduler:v1.36.3", "registry.k8s.io/pause:3.10.2"));
}

TEST(Images, UseAFlatPathInAMirror) {
  ClusterConfiguration cluster = Cluster();
  cluster.image_repository = "reg.example.org:5000/k8s";
  EXPECT_EQ(CoreDnsImage(cluster), "reg.example.org:5000/k8s/coredns:v1.14.2");
  cluster.dns = {.image_repository = "dns.example.org", .image_tag = "v1.0"};
  EXPECT_EQ(CoreDnsImage(cluster), "dns.example.org/coredns:v1.0");
  cluster.etcd.local = {.image_repository = "etcd.example.org/x", .image_tag = "3.6.1-0"};
  EXPECT_EQ(EtcdImage(cluster), "etcd.example.org/x/etcd:3.6.1-0");
  EXPECT_EQ(PauseImage(cluster), "reg.example.org:5000/k8s/pause:3.10.2");
}

TEST(Images, UseTheCiRegistryForCiBuilds) {
  ClusterConfiguration cluster = Cluster();
  cluster.kubernetes_version = "v1.36.0-alpha.0.12+0123456789abcd";
  cluster.ci_kubernetes_version = "ci/v1.36.0-alpha.0.12+0123456789abcd";
  EXPECT_EQ(ComponentImage(cluster, "kube-proxy"),
            "gcr.io/k8s-staging-ci-images/kube-proxy:v1.36.0-alpha.0.12_0123456789abcd");
  EXPECT_EQ(CoreDnsImage(cluster), "registry.k8s.io/coredns/coredns:v1.14.2");
  cluster.image_repository = "reg.example.org";
  EXPECT_EQ(ComponentImage(cluster, "kube-proxy"),
            "reg.example.org/kube-proxy:v1.36.0-alpha.0.12_0123456789abcd");
}

TEST(Images, DependOnTheRelease) {
  ClusterConfiguration cluster = Cluster();
  cluster.kubernetes_version = "v1.34.4";
  EXPECT_EQ(EtcdImage(cluster), "registry.k8s.io/etcd:3.6.5-0");
  EXPECT_EQ(CoreDnsImage(cluster), "registry.k8s.io/coredns/coredns:v1.12.1");
  EXPECT_EQ(PauseImage(cluster), "registry.k8s.io/pause:3.10.1");
  EXPECT_EQ(CoreDnsVersion(cluster), "1.12.1");
}

}  // namespace
}  // namespace config
