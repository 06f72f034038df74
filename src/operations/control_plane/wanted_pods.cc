// SPDX-License-Identifier: Apache-2.0
#include "control_plane/wanted_pods.h"

#include <fmt/core.h>

#include "base/error.h"
#include "base/strings.h"
#include "base/version.h"
#include "config/images.h"
#include "control_plane/running.h"
#include "control_plane/soak.h"
#include "static_pods/static_pod.h"

namespace control_plane {
namespace {

using base::Error;
using components::Component;

std::optional<base::Version> VersionOf(const std::string& image) {
  return base::Version::Parse(ImageTag(image));
}

json::Value CurrentEtcd(const host::Files& files) {
  const auto pod = static_pods::ReadManifest(files, Component::kEtcd);
  if (!pod) {
    throw Error(Error::Kind::kNotFound,
                fmt::format("{} is missing, but the cluster's configuration has etcd on this node: "
                            "restore it from a backup below /etc/kubernetes/tmp",
                            components::ManifestPath(Component::kEtcd).string()));
  }
  return *pod;
}

// Returns the Pod of the new etcd. On a node that has joined, it keeps the list of members in the
// present manifest. etcd uses this list only at its first start, so a difference in the list must
// not restart etcd.
json::Value NewEtcd(const config::Init& config, const json::Value& current) {
  if (static_pods::CommandArg(current, "initial-cluster-state") == "existing") {
    return static_pods::JoiningEtcdPod(
        config, static_pods::CommandArg(current, "initial-cluster").value_or(""));
  }
  return static_pods::StaticPod(Component::kEtcd, config, {});
}

// Returns etcd's Pod with the present image tag. An image that is named by digest, without a tag,
// stays unchanged.
json::Value EtcdOfSameVersion(config::Init config, const json::Value& current) {
  const std::string image = static_pods::FirstImage(current).value_or("");
  const std::string tag = ImageTag(image);
  config.cluster.etcd.local->image_tag = base::ReplaceAll(tag, "+", "_");
  json::Value pod = NewEtcd(config, current);
  if (tag.empty()) {
    pod["spec"]["containers"][0]["image"] = image;
  }
  return pod;
}

std::optional<std::string> WhyEtcdStays(const config::Init& config, const json::Value& current) {
  if (const auto emulated = EmulatedVersion(config.cluster)) {
    return fmt::format("the control plane behaves as v{}.{} until 'kubeadm upgrade commit'",
                       emulated->major, emulated->minor);
  }
  const std::string here = static_pods::FirstImage(current).value_or("");
  const std::string wanted = config::EtcdImage(config.cluster);
  const auto from = VersionOf(here);
  const auto to = VersionOf(wanted);
  if (!to) {
    throw Error(Error::Kind::kInvalid, fmt::format("the image of etcd, {}, has no version that can "
                                                   "be compared",
                                                   base::Quoted(wanted)));
  }
  return from && *to < *from
             ? std::optional(fmt::format("{} is older than {}", ImageTag(wanted), ImageTag(here)))
             : std::nullopt;
}

}  // namespace

WantedPods FindWantedPods(const host::Host& host, const config::Init& config, EtcdPod etcd) {
  WantedPods wanted;
  if (config.cluster.etcd.local && etcd != EtcdPod::kLeave) {
    const json::Value current = CurrentEtcd(host.files);
    if (etcd == EtcdPod::kUpgrade) {
      wanted.etcd_stays = WhyEtcdStays(config, current);
    }
    if (!wanted.etcd_stays) {
      wanted.pods.push_back({.component = Component::kEtcd,
                             .pod = etcd == EtcdPod::kUpgrade
                                        ? NewEtcd(config, current)
                                        : EtcdOfSameVersion(config, current)});
    }
  }
  const static_pods::HostFacts facts = static_pods::CollectFacts(host, config.cluster);
  for (const Component component : components::kControlPlane) {
    wanted.pods.push_back(
        {.component = component, .pod = static_pods::StaticPod(component, config, facts)});
  }
  return wanted;
}

}  // namespace control_plane
