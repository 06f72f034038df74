// SPDX-License-Identifier: Apache-2.0
#include "config/images.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/log.h"
#include "base/version.h"
#include "releases/releases.h"

namespace config {
namespace {

constexpr std::string_view kDefaultCiImageRepository = "gcr.io/k8s-staging-ci-images";

// Converts a version to an image tag: characters that a tag cannot contain become "_".
std::string TagOf(std::string version) {
  std::ranges::replace_if(
      version,
      [](char c) {
        const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
        return !word;
      },
      '_');
  return version;
}

// Returns the registry of Kubernetes' own images: imageRepository. For a CI build, returns the CI
// registry unless the user has chosen a registry.
std::string KubernetesRepository(const ClusterConfiguration& cluster) {
  const bool ci = !cluster.ci_kubernetes_version.empty();
  return ci && cluster.image_repository == kDefaultImageRepository
             ? std::string(kDefaultCiImageRepository)
             : cluster.image_repository;
}

std::string CoreDnsTag(const ClusterConfiguration& cluster) {
  return cluster.dns.image_tag.empty()
             ? std::string(releases::For(cluster.kubernetes_version).core_dns)
             : cluster.dns.image_tag;
}

std::string ReleaseEtcdTag(const std::string& kubernetes_version) {
  const releases::Release& release = releases::For(kubernetes_version);
  const auto version = base::Version::ParseGeneric(kubernetes_version);
  if (version && !releases::Covers(*version)) {
    base::LogInfo(1,
                  "could not find officially supported version of etcd for Kubernetes {}, "
                  "using the one for 1.{}",
                  kubernetes_version, release.minor);
  }
  return std::string(release.etcd);
}

}  // namespace

std::string ComponentImage(const ClusterConfiguration& cluster, const std::string& component) {
  return fmt::format("{}/{}:{}", KubernetesRepository(cluster), component,
                     TagOf(cluster.kubernetes_version));
}

std::string EtcdTag(const ClusterConfiguration& cluster) {
  const bool chosen = cluster.etcd.local && !cluster.etcd.local->image_tag.empty();
  return chosen ? cluster.etcd.local->image_tag : ReleaseEtcdTag(cluster.kubernetes_version);
}

std::string EtcdImage(const ClusterConfiguration& cluster) {
  const bool chosen = cluster.etcd.local && !cluster.etcd.local->image_repository.empty();
  return fmt::format("{}/etcd:{}",
                     chosen ? cluster.etcd.local->image_repository : cluster.image_repository,
                     EtcdTag(cluster));
}

std::string CoreDnsImage(const ClusterConfiguration& cluster) {
  const std::string& repository = cluster.dns.image_repository.empty()
                                      ? cluster.image_repository
                                      : cluster.dns.image_repository;
  // The default registry has CoreDNS in a separate directory; mirrors have it beside the other
  // images.
  const std::string_view directory = repository == kDefaultImageRepository ? "/coredns" : "";
  return fmt::format("{}{}/coredns:{}", repository, directory, CoreDnsTag(cluster));
}

std::string CoreDnsVersion(const ClusterConfiguration& cluster) {
  const std::string tag = CoreDnsTag(cluster);
  return tag.substr(tag.starts_with('v') ? 1 : 0);
}

std::string PauseImage(const ClusterConfiguration& cluster) {
  return fmt::format("{}/pause:{}", cluster.image_repository,
                     releases::For(cluster.kubernetes_version).pause);
}

std::vector<std::string> RequiredImages(const ClusterConfiguration& cluster) {
  std::vector<std::string> images;
  for (const char* component : {"kube-apiserver", "kube-controller-manager", "kube-scheduler"}) {
    images.push_back(ComponentImage(cluster, component));
  }
  if (!cluster.proxy.disabled) {
    images.push_back(ComponentImage(cluster, "kube-proxy"));
  }
  if (!cluster.dns.disabled) {
    images.push_back(CoreDnsImage(cluster));
  }
  images.push_back(PauseImage(cluster));
  if (cluster.etcd.local) {
    images.push_back(EtcdImage(cluster));
  }
  return images;
}

}  // namespace config
