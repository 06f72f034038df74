// SPDX-License-Identifier: Apache-2.0
// Which upgrades a cluster is offered (reference: upgrade-reset.md §2).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/version.h"
#include "config/kubernetes_version.h"
#include "upgrade/policy.h"
#include "upgrade/running.h"

namespace upgrade {

// OfferRequest is what the offers depend on besides the published versions.
struct OfferRequest {
  base::Version cluster;
  base::Version kubeadm;
  Unstable allowed = {};
  std::string wanted = {};  // a version that the user asks about; "": what is published
};

// Published are the versions that may be upgraded to, as text.
struct Published {
  std::optional<std::string> stable;    // nothing: not known, then kubeadm's own counts
  std::optional<std::string> patch;     // of the cluster's minor version
  std::optional<std::string> latest;    // asked for only when something unstable is allowed
  std::optional<std::string> previous;  // the latest of the minor version before that one
  std::vector<std::string> warnings = {};
};

// FindPublished looks labels up with `fetch`; after one that cannot be fetched no other is tried.
// With a wanted version nothing is fetched: every label means that version.
Published FindPublished(const OfferRequest& request, const config::Fetch& fetch);

// Offer is one upgrade. Its text is what follows "Upgrade to the latest …".
struct Offer {
  std::string description;  // "version in the v1.35 series", "stable version", …
  std::string version;      // as published, "v1.36.3"
  std::string kubeadm;      // the kubeadm to make it with
  Unstable needs = {};      // which flag of apply it takes
  bool operator==(const Offer& other) const {
    return description == other.description && version == other.version && kubeadm == other.kubeadm;
  }
};

// Offers is pure; in the order in which they are shown.
std::vector<Offer> Offers(const OfferRequest& request, const Published& published);

// SeriesName is "version in the v1.35 series".
std::string SeriesName(const base::Version& cluster);

// ComponentUpgrade is one row of an offer.
struct ComponentUpgrade {
  std::string name;     // "kubelet", "kube-apiserver", …, "CoreDNS", "kubeadm", "etcd"
  std::string node;     // "" where it belongs to no node
  std::string current;  // "" when it is not there
  std::string target;
  bool operator==(const ComponentUpgrade&) const = default;
};

enum class EtcdUpgrade { kNo, kYes };

// ComponentUpgrades are the rows of an offer, in the order in which they are shown. Kubelets are
// among them only when there is one to upgrade. `core_dns_tag` is dns.imageTag, "" where it is not
// set.
std::vector<ComponentUpgrade> ComponentUpgrades(const Offer& offer, const Running& running,
                                                const std::string& kubeadm, EtcdUpgrade etcd,
                                                const std::string& core_dns_tag = "");

}  // namespace upgrade
