// SPDX-License-Identifier: Apache-2.0
#include "upgrade/offers.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/strings.h"
#include "components/table.h"
#include "config/images.h"
#include "config/paths.h"
#include "releases/releases.h"

namespace upgrade {
namespace {

using base::Version;

// Resolves version labels. After the first failure, returns this kubeadm's version instead: on a
// machine without Internet access, each attempt would fail in the same way after a wait.
class Labels {
 public:
  Labels(const OfferRequest& request, const config::Fetch& fetch)
      : request_(request), fetch_(fetch) {}

  std::string Resolve(const std::string& label) {
    if (!request_.wanted.empty()) {
      return request_.wanted;
    }
    if (offline_) {
      return request_.kubeadm.TextWithV();
    }
    return config::ResolveVersion(
               label, [this](const std::string& url) { return Try(url); }, request_.kubeadm)
        .version;
  }

 private:
  std::string Try(const std::string& url) {
    try {
      return fetch_(url);
    } catch (const base::Error&) {
      offline_ = true;
      throw;
    }
  }

  const OfferRequest& request_;
  const config::Fetch& fetch_;
  bool offline_ = false;
};

// Returns the text if it is a version; otherwise warns.
std::optional<std::string> Checked(const std::string& text, const std::string& description,
                                   std::vector<std::string>& warnings) {
  if (Version::Parse(text)) {
    return text;
  }
  warnings.push_back(fmt::format("{} is not a version: {}", base::Quoted(text), description));
  return std::nullopt;
}

Version Parsed(const std::string& text) { return Version::Parse(text).value(); }

// Returns the kubeadm for a patch release: this kubeadm, unless it is older than the release.
std::string KubeadmForPatch(const OfferRequest& request, const std::string& patch) {
  return request.kubeadm < Parsed(patch) ? patch : request.kubeadm.TextWithV();
}

Unstable NeedsOf(const std::string& version) {
  const std::string pre = Parsed(version).pre_release;
  if (pre.empty()) {
    return {};
  }
  return pre.starts_with("rc") ? Unstable{.release_candidates = true}
                               : Unstable{.experimental = true};
}

Offer MakeOffer(std::string description, const std::string& version, std::string kubeadm) {
  return {.description = std::move(description),
          .version = version,
          .kubeadm = std::move(kubeadm),
          .needs = NeedsOf(version)};
}

bool IsAllowed(const Unstable& unstable) {
  return unstable.experimental || unstable.release_candidates;
}

// The first alpha of a minor version is published long before it has new features.
bool IsEmptyAlpha(const Version& version) { return version.pre_release == "alpha.0"; }

void AddUnstable(const OfferRequest& request, const Published& published,
                 std::vector<Offer>& offers) {
  if (!IsAllowed(request.allowed) || !published.latest || !published.previous) {
    return;
  }
  const Version previous = Parsed(*published.previous);
  if (request.allowed.release_candidates && previous.pre_release.starts_with("rc") &&
      request.cluster < previous) {
    offers.push_back(
        MakeOffer("release candidate version", *published.previous, *published.previous));
  }
  const std::string& experimental =
      IsEmptyAlpha(Parsed(*published.latest)) ? *published.previous : *published.latest;
  if (request.allowed.experimental && request.cluster < Parsed(experimental)) {
    offers.push_back(MakeOffer("experimental version", experimental, experimental));
  }
}

// Returns whether a kubelet's row is shown: if kubelets differ from each other or from the offer.
bool KubeletsMatter(const std::vector<control_plane::NodeVersion>& kubelets,
                    const std::string& target) {
  return std::ranges::any_of(kubelets, [&](const control_plane::NodeVersion& kubelet) {
    return kubelet.version != target || kubelet.version != kubelets.front().version;
  });
}

void AddNodes(const std::string& name, const std::vector<control_plane::NodeVersion>& nodes,
              const std::string& target, std::vector<ComponentUpgrade>& rows) {
  for (const control_plane::NodeVersion& node : nodes) {
    rows.push_back({.name = name, .node = node.node, .current = node.version, .target = target});
  }
}

std::vector<control_plane::NodeVersion> PodsOf(const control_plane::Running& running,
                                               std::string_view component) {
  const auto found = running.static_pods.find(component);
  return found == running.static_pods.end() ? std::vector<control_plane::NodeVersion>{}
                                            : found->second;
}

// Returns the etcd version of a Kubernetes version. Ignores the tag in the cluster's configuration.
std::string EtcdTarget(const std::string& version) {
  config::ClusterConfiguration cluster;
  cluster.kubernetes_version = version;
  return control_plane::ImageTag(config::EtcdImage(cluster));
}

}  // namespace

std::string SeriesName(const Version& cluster) {
  return fmt::format("version in the v{}.{} series", cluster.major, cluster.minor);
}

Published FindPublished(const OfferRequest& request, const config::Fetch& fetch) {
  Published published;
  std::vector<std::string>& warnings = published.warnings;
  Labels labels(request, fetch);
  published.stable = Checked(labels.Resolve("stable"), "stable version", warnings);
  if (!published.stable) {
    warnings.push_back(fmt::format("this kubeadm's version, {}, is used as the stable one",
                                   request.kubeadm.TextWithV()));
  }
  published.patch = Checked(
      labels.Resolve(fmt::format("stable-{}.{}", request.cluster.major, request.cluster.minor)),
      SeriesName(request.cluster), warnings);
  if (IsAllowed(request.allowed)) {
    published.latest = Checked(labels.Resolve("latest"), "experimental version", warnings);
  }
  if (published.latest) {
    const Version latest = Parsed(*published.latest);
    published.previous =
        Checked(labels.Resolve(fmt::format("latest-{}.{}", latest.major, latest.minor - 1)),
                "previous version", warnings);
  }
  return published;
}

std::vector<Offer> Offers(const OfferRequest& request, const Published& published) {
  std::vector<Offer> offers;
  const std::string stable = published.stable.value_or(request.kubeadm.TextWithV());
  bool newer_minor = true;
  if (published.patch) {
    const Version patch = Parsed(*published.patch);
    newer_minor = patch < Parsed(stable);
    if (request.cluster < patch) {
      offers.push_back(MakeOffer(SeriesName(request.cluster), *published.patch,
                                 KubeadmForPatch(request, *published.patch)));
    }
  }
  if (newer_minor && request.cluster < Parsed(stable)) {
    offers.push_back(MakeOffer("stable version", stable, stable));
  }
  AddUnstable(request, published, offers);
  return offers;
}

std::vector<ComponentUpgrade> ComponentUpgrades(const Offer& offer,
                                                const control_plane::Running& running,
                                                const std::string& kubeadm, EtcdUpgrade etcd,
                                                const std::string& core_dns_tag) {
  std::vector<ComponentUpgrade> rows;
  if (KubeletsMatter(running.kubelets, offer.version)) {
    AddNodes("kubelet", running.kubelets, offer.version, rows);
  }
  for (const components::Component component : components::kControlPlane) {
    const std::string_view name = components::Name(component);
    AddNodes(std::string(name), PodsOf(running, name), offer.version, rows);
  }
  rows.push_back({.name = "kube-proxy",
                  .node = "",
                  .current = running.cluster.Text(),
                  .target = offer.version});
  rows.push_back({.name = "CoreDNS",
                  .node = "",
                  .current = running.core_dns.value_or(""),
                  .target = core_dns_tag.empty()
                                ? std::string(releases::For(offer.version).core_dns)
                                : core_dns_tag});
  rows.push_back({.name = "kubeadm", .node = "", .current = kubeadm, .target = offer.kubeadm});
  if (etcd == EtcdUpgrade::kYes) {
    AddNodes("etcd", PodsOf(running, config::kEtcd), EtcdTarget(offer.version), rows);
  }
  return rows;
}

}  // namespace upgrade
