// SPDX-License-Identifier: Apache-2.0
// The upgrades that a cluster is offered (reference: upgrade-reset.md §2).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/version.h"
#include "config/kubernetes_version.h"
#include "control_plane/running.h"
#include "upgrade/policy.h"

namespace upgrade {

// The inputs of the offers except for the published versions.
struct OfferRequest {
  base::Version cluster;
  base::Version kubeadm;
  Unstable allowed = {};
  // The version that the user specified. "" to use the published versions.
  std::string wanted = {};
};

// The available versions, as text.
struct Published {
  // The newest stable version. std::nullopt if it is unknown; then kubeadm's own version is used.
  std::optional<std::string> stable;
  std::optional<std::string> patch;     // of the cluster's minor version
  std::optional<std::string> latest;    // looked up only if unstable versions are allowed
  std::optional<std::string> previous;  // the latest version of the minor version before `latest`
  std::vector<std::string> warnings = {};
};

// Resolves version labels with `fetch`. After the first failure, fetches no further label: each
// further label means the version of this kubeadm. If the user wants a specific version, every
// label means this version, and none is fetched.
Published FindPublished(const OfferRequest& request, const config::Fetch& fetch);

// One possible upgrade. The output describes it after "Upgrade to the latest …".
struct Offer {
  std::string description;  // "version in the v1.35 series", "stable version", …
  std::string version;      // as published, "v1.36.3"
  std::string kubeadm;      // the kubeadm to use
  // The unstable versions that `upgrade apply` must allow for this offer.
  Unstable needs = {};
  bool operator==(const Offer& other) const {
    return description == other.description && version == other.version && kubeadm == other.kubeadm;
  }
};

// Returns the offers in the order of output. Pure.
std::vector<Offer> Offers(const OfferRequest& request, const Published& published);

// Returns "version in the v1.35 series".
std::string SeriesName(const base::Version& cluster);

// One row of an offer.
struct ComponentUpgrade {
  std::string name;     // "kubelet", "kube-apiserver", …, "CoreDNS", "kubeadm", "etcd"
  std::string node;     // "" if it belongs to no node
  std::string current;  // "" if it is not installed
  std::string target;
  bool operator==(const ComponentUpgrade&) const = default;
};

enum class EtcdUpgrade { kNo, kYes };

// Returns the rows of an offer in the order of the output. Kubelets are included only if at least
// one kubelet needs an upgrade. `core_dns_tag` is dns.imageTag, "" if it is not set.
std::vector<ComponentUpgrade> ComponentUpgrades(const Offer& offer,
                                                const control_plane::Running& running,
                                                const std::string& kubeadm, EtcdUpgrade etcd,
                                                const std::string& core_dns_tag = "");

}  // namespace upgrade
