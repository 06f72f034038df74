// SPDX-License-Identifier: Apache-2.0
#include "upgrade_path/path.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/error.h"
#include "base/strings.h"
#include "config/version.h"
#include "releases/releases.h"
#include "upgrade_path/findings.h"

namespace upgrade_path {
namespace {

using base::Version;
using control_plane::NodeVersion;

base::Error Invalid(std::string text) {
  return base::Error(base::Error::Kind::kInvalid, std::move(text));
}

void RequireWay(const PathFacts& facts) {
  const Version& wanted = facts.wanted;
  const Version& cluster = facts.cluster;
  if (!releases::Covers(wanted)) {
    throw Invalid(fmt::format("there is no path to {}: this kubeadm brings control planes to {}",
                              wanted.TextWithV(), releases::SupportedRange()));
  }
  if (wanted < cluster) {
    throw Invalid(fmt::format(
        "there is no path back from {} to {}; 'kubeadm upgrade rollback' undoes the last "
        "upgrade of a node",
        cluster.TextWithV(), wanted.TextWithV()));
  }
  const Version oldest = releases::OldestSupported();
  if (cluster.minor + 1 < oldest.minor) {
    throw Invalid(fmt::format(
        "the path begins at v{}.{}, and the cluster is at {}: upgrade it to there with older "
        "releases of kubeadm",
        oldest.major, oldest.minor - 1, cluster.TextWithV()));
  }
}

// Returns the versions of the control plane on the path: the newest known patch of each minor
// version, then the target. If an upgrade was interrupted, the path first completes it to the
// version of that upgrade.
std::vector<Version> Versions(const PathFacts& facts) {
  std::vector<Version> versions;
  Version at = facts.cluster;
  if (facts.cut_off && !(*facts.cut_off < at) && !(facts.wanted < *facts.cut_off)) {
    versions.push_back(*facts.cut_off);
    at = *facts.cut_off;
  }
  for (const releases::Release& release : releases::All()) {
    if (release.minor > at.minor && release.minor < facts.wanted.minor) {
      versions.push_back(Version::Parse(release.version).value());
    }
  }
  if (at < facts.wanted) {
    versions.push_back(facts.wanted);
  }
  return versions;
}

// Returns the version for the kubelet after an upgrade of the control plane. A command can install
// exactly the control plane's version.
std::optional<Version> Follower(const PathFacts& facts, const Version& control_plane) {
  return facts.kubelet_command
             ? control_plane
             : FollowingKubelet(facts.own_kubelets.value_or(std::vector<Version>{}), control_plane);
}

// Returns the image tag after a hop, or Companion::left.
std::string TagAfter(const Companion& companion, std::string_view released) {
  if (!companion.left.empty()) {
    return companion.left;
  }
  return companion.pinned.empty() ? std::string(released) : companion.pinned;
}

// Returns etcd's tag after a hop. An etcd that is newer than the release's etcd keeps its tag.
std::string EtcdAfter(const Companion& etcd, std::string_view released, const std::string& before) {
  const std::string wanted = TagAfter(etcd, released);
  const auto from = Version::ParseGeneric(before);
  const auto to = Version::ParseGeneric(wanted);
  return from && to && *to < *from ? before : wanted;
}

std::optional<Version> KubeletOf(const PathFacts& facts, const std::string& node) {
  const auto found = std::ranges::find(facts.kubelets, node, &NodeVersion::node);
  return found == facts.kubelets.end() ? std::nullopt : Version::ParseGeneric(found->version);
}

// Returns the version to which this node's kubelet is upgraded. Returns std::nullopt if no version
// is available, or if the present version `now` is not older.
std::optional<Version> OwnKubelet(const PathFacts& facts, const Version& control_plane,
                                  const std::optional<Version>& now) {
  const std::optional<Version> next = Follower(facts, control_plane);
  return next && (!now || *now < *next) ? next : std::nullopt;
}

std::vector<Hop> MakeHops(const PathFacts& facts, std::optional<Version>& own) {
  std::vector<Hop> hops;
  std::string etcd = facts.etcd.runs;
  for (const Version& version : Versions(facts)) {
    const releases::Release& release = releases::For(version);
    Hop hop{.version = version,
            .etcd = EtcdAfter(facts.etcd, release.etcd, etcd),
            .core_dns = TagAfter(facts.core_dns, release.core_dns)};
    etcd = hop.etcd;
    hop.kubelets_first = KubeletsBehind(facts.kubelets, version);
    if (own && !(*own < releases::OldestKubelet(version))) {
      std::erase_if(hop.kubelets_first,
                    [&](const NodeVersion& kubelet) { return kubelet.node == facts.node; });
    }
    hop.own_kubelet = OwnKubelet(facts, version, own);
    own = hop.own_kubelet ? hop.own_kubelet : own;
    hops.push_back(std::move(hop));
  }
  return hops;
}

// Returns the policy's findings about the last hop. Only the last hop can have findings, because
// the other hops go to releases of the table. Kubelets that are too old are listed with each hop
// instead.
checks::Findings OfPolicy(const PathFacts& facts, const std::vector<Hop>& hops) {
  const Version& wanted = hops.back().version;
  const Version& before = hops.size() > 1 ? hops[hops.size() - 2].version : facts.cluster;
  checks::Findings findings = upgrade::JudgeVersion({.wanted = wanted,
                                                     .api_server = before,
                                                     .kubeadm = config::KubeadmVersion(),
                                                     .kubelets = std::vector<NodeVersion>{},
                                                     .allowed = facts.allowed});
  upgrade::RequireAllowed(findings, wanted.TextWithV(), upgrade::Force::kYes);
  for (checks::Finding& finding : findings) {
    finding.subject = HopName(wanted.minor);
  }
  return findings;
}

}  // namespace

std::optional<Version> FollowingKubelet(const std::vector<Version>& given,
                                        const Version& control_plane) {
  std::optional<Version> best;
  for (const Version& kubelet : given) {
    const bool fits = kubelet.minor == control_plane.minor && !(control_plane < kubelet);
    if (fits && (!best || *best < kubelet)) {
      best = kubelet;
    }
  }
  return best;
}

std::vector<NodeVersion> ServersBehind(const std::vector<NodeVersion>& servers,
                                       const Version& next) {
  std::vector<NodeVersion> behind;
  for (const NodeVersion& server : servers) {
    const auto version = Version::ParseGeneric(server.version);
    if (version && version->minor + 1 < next.minor) {
      behind.push_back(server);
    }
  }
  return behind;
}

std::vector<NodeVersion> KubeletsBehind(const std::vector<NodeVersion>& kubelets,
                                        const Version& control_plane) {
  std::vector<NodeVersion> behind;
  for (const NodeVersion& kubelet : kubelets) {
    const auto version = Version::ParseGeneric(kubelet.version);
    if (version && *version < releases::OldestKubelet(control_plane)) {
      behind.push_back(kubelet);
    }
  }
  return behind;
}

PathPlan PlanPath(const PathFacts& facts) {
  RequireWay(facts);
  PathPlan plan{.from = facts.cluster, .hops = {}, .kubelets_behind = {}, .findings = {}};
  std::optional<Version> own = KubeletOf(facts, facts.node);
  plan.hops = MakeHops(facts, own);
  if (plan.hops.empty()) {
    plan.kubelet_only = OwnKubelet(facts, facts.wanted, own);
    own = plan.kubelet_only ? plan.kubelet_only : own;
  }
  for (const NodeVersion& kubelet : facts.kubelets) {
    const auto version = kubelet.node == facts.node ? own : Version::ParseGeneric(kubelet.version);
    if (version && *version < facts.wanted) {
      plan.kubelets_behind.push_back({.node = kubelet.node, .version = version->TextWithV()});
    }
  }
  plan.findings = FindBreaks(facts, plan.hops);
  if (!plan.hops.empty()) {
    checks::Append(plan.findings, OfPolicy(facts, plan.hops));
  }
  return plan;
}

}  // namespace upgrade_path
