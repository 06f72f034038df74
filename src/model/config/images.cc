#include "config/images.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/log.h"
#include "base/version.h"

namespace config {
namespace {

constexpr std::string_view kDefaultCiImageRepository = "gcr.io/k8s-staging-ci-images";

// EtcdRow is the etcd that a minor release of Kubernetes 1.x is tested with.
struct EtcdRow {
  int minor;
  std::string_view tag;
};
constexpr std::array<EtcdRow, 3> kEtcdTags{{{34, "3.6.8-0"}, {35, "3.6.8-0"}, {36, "3.6.8-0"}}};

// TagOf makes an image tag of a version: the characters that a tag cannot hold become "_".
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

// KubernetesRepository differs from imageRepository for CI builds only, and only while the user
// has not chosen a registry.
std::string KubernetesRepository(const ClusterConfiguration& cluster) {
  const bool ci = !cluster.ci_kubernetes_version.empty();
  return ci && cluster.image_repository == kDefaultImageRepository
             ? std::string(kDefaultCiImageRepository)
             : cluster.image_repository;
}

std::string EtcdTag(const std::string& kubernetes_version) {
  const auto version = base::Version::ParseGeneric(kubernetes_version);
  if (!version) {
    return std::string(kEtcdTags.back().tag);
  }
  const int minor = std::clamp(version->minor, kEtcdTags.front().minor, kEtcdTags.back().minor);
  if (minor != version->minor) {
    base::LogInfo(1,
                  "could not find officially supported version of etcd for Kubernetes {}, "
                  "using the one for 1.{}",
                  kubernetes_version, minor);
  }
  return std::string(std::ranges::find(kEtcdTags, minor, &EtcdRow::minor)->tag);
}

}  // namespace

std::string ComponentImage(const ClusterConfiguration& cluster, const std::string& component) {
  return fmt::format("{}/{}:{}", KubernetesRepository(cluster), component,
                     TagOf(cluster.kubernetes_version));
}

std::string EtcdImage(const ClusterConfiguration& cluster) {
  std::string repository = cluster.image_repository;
  std::string tag = EtcdTag(cluster.kubernetes_version);
  if (cluster.etcd.local) {
    const LocalEtcd& etcd = *cluster.etcd.local;
    repository = etcd.image_repository.empty() ? repository : etcd.image_repository;
    tag = etcd.image_tag.empty() ? tag : etcd.image_tag;
  }
  return fmt::format("{}/etcd:{}", repository, tag);
}

std::string CoreDnsImage(const ClusterConfiguration& cluster) {
  const std::string& repository = cluster.dns.image_repository.empty()
                                      ? cluster.image_repository
                                      : cluster.dns.image_repository;
  // The default registry keeps CoreDNS in a directory of its own; others mirror it flat.
  const std::string_view directory = repository == kDefaultImageRepository ? "/coredns" : "";
  const std::string tag =
      cluster.dns.image_tag.empty() ? std::string(kCoreDnsVersion) : cluster.dns.image_tag;
  return fmt::format("{}{}/coredns:{}", repository, directory, tag);
}

std::string PauseImage(const ClusterConfiguration& cluster) {
  return fmt::format("{}/pause:{}", cluster.image_repository, kPauseVersion);
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
