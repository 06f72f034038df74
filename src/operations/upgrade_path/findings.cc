// SPDX-License-Identifier: Apache-2.0
#include "upgrade_path/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "checks/check.h"
#include "releases/releases.h"
#include "upgrade/core_dns_checks.h"
#include "upgrade_path/etcd_step.h"
#include "upgrade_path/gather.h"
#include "upgrade_path/kubelet_step.h"
#include "upgrade_path/patched.h"

namespace upgrade_path {
namespace {

using checks::Finding;
using checks::Findings;
using checks::Severity;
using Hops = std::vector<Hop>;

constexpr std::string_view kOldApi = "kubeadm.k8s.io/v1beta3";

// Returns the first hop to the minor version or to a later one; null without such a hop.
const Hop* HopTo(int minor, const Hops& hops) {
  const auto found =
      std::ranges::find_if(hops, [&](const Hop& hop) { return hop.version.minor >= minor; });
  return found == hops.end() ? nullptr : &*found;
}

Finding Breaks(int minor, std::string text) {
  return {.subject = HopName(minor), .what = std::move(text)};
}

// Returns whether this node's kubelet is upgraded to the minor version or beyond it.
bool FollowsTo(int minor, const Hops& hops) {
  return std::ranges::any_of(
      hops, [&](const Hop& hop) { return hop.own_kubelet && hop.own_kubelet->minor >= minor; });
}

// Returns an error if the path upgrades this node's kubelet to that minor version, else a note.
Finding OfKubelet(int minor, const Hops& hops, std::string text) {
  return {.severity = FollowsTo(minor, hops) ? Severity::kError : Severity::kNote,
          .subject = HopName(minor),
          .what = std::move(text)};
}

Findings OfKubeletArguments(const releases::Dropped& row, const PathFacts& facts,
                            const Hops& hops) {
  const char* when = FollowsTo(row.minor, hops) ? "" : " before its kubelet is upgraded";
  Findings findings;
  for (const Setting& argument : facts.kubelet_arguments) {
    if (releases::Matches(row.kubelet_arguments, argument.name)) {
      findings.push_back(OfKubelet(
          row.minor, hops,
          fmt::format("{} has --{}, which kubelets since v1.{} do not know: they would not start. "
                      "Remove it on every node{}",
                      argument.where, argument.name, row.minor, when)));
    }
  }
  return findings;
}

// Returns a finding if this node's API server is older than the cluster's newest one. The path has
// no hop to a version that another API server already has.
Findings OfOwnServer(const PathFacts& facts, const Hops& /*hops*/) {
  const auto own = std::ranges::find(facts.servers, facts.node, &control_plane::NodeVersion::node);
  const auto version =
      own == facts.servers.end() ? std::nullopt : base::Version::ParseGeneric(own->version);
  if (!version || !(*version < facts.cluster) || facts.cut_off) {
    return {};
  }
  return {Breaks(facts.cluster.minor,
                 fmt::format("the API server of this node is of {}, and the newest of the cluster "
                             "of {}: complete an upgrade that was interrupted on the other node, "
                             "then upgrade this node by 'kubeadm upgrade node'",
                             version->TextWithV(), facts.cluster.TextWithV()))};
}

// Returns an error for each stray manifest: no hop begins while a component has two Pods.
Findings OfStrays(const PathFacts& facts, const Hops& /*hops*/) {
  Findings findings;
  for (const components::Stray& stray : facts.strays) {
    findings.push_back(Breaks(facts.cluster.minor, components::StrayText(stray)));
  }
  return findings;
}

Findings OfObjects(const releases::Dropped& row, const PathFacts& facts) {
  Findings findings;
  for (const StoredObjects& objects : facts.objects) {
    if (std::ranges::contains(row.stored_apis, objects.api)) {
      findings.push_back(Breaks(
          row.minor,
          fmt::format("there are objects \"{}\" of {}/{}, which v1.{} cannot read: delete them, or "
                      "store them in another version first",
                      objects.resource, objects.api.group, objects.api.version, row.minor)));
    }
  }
  return findings;
}

// Returns {group, version} of the runtime-config "group/version" or "group/version/resource".
std::optional<std::pair<std::string, std::string>> VersionOf(std::string_view pair) {
  const std::vector<std::string> parts =
      base::Split(base::Trim(pair.substr(0, pair.find('='))), '/');
  return parts.size() < 2 ? std::nullopt : std::optional(std::pair(parts[0], parts[1]));
}

// Returns why the release's API server refuses one element of an argument's list; std::nullopt if
// it accepts the element. With an unknown element the API server does not start, even if the
// element is disabled.
std::optional<std::string> TroubleOf(const releases::Dropped& row, std::string_view argument,
                                     std::string_view element) {
  const auto api = argument == "runtime-config" ? VersionOf(element) : std::nullopt;
  if (api &&
      std::ranges::contains(row.unknown_apis, releases::ApiVersion{api->first, api->second})) {
    return fmt::format("has no {}/{}", api->first, api->second);
  }
  if (argument.ends_with("able-admission-plugins") &&
      std::ranges::contains(row.admission_plugins, element)) {
    return "has no such plugin";
  }
  return std::nullopt;
}

Findings OfApiServerArguments(const releases::Dropped& row, const PathFacts& facts) {
  Findings findings;
  for (const Setting& argument : facts.api_server_arguments) {
    for (const std::string& part : base::Split(argument.value, ',')) {
      const std::string_view element = base::Trim(part);
      if (const auto trouble = TroubleOf(row, argument.name, element)) {
        findings.push_back(Breaks(
            row.minor, fmt::format("{} has {} \"{}\", and kube-apiserver of v1.{} {}: it would not "
                                   "start. Take it out of {}",
                                   argument.where, argument.name, element, row.minor, *trouble,
                                   argument.edit)));
      }
    }
  }
  return findings;
}

Findings OfGodebug(const releases::Dropped& row, const PathFacts& facts, const Hops& hops) {
  const auto refused = [&](const Setting& setting) {
    return std::ranges::any_of(row.godebug_values, [&](const releases::GodebugValue& value) {
      return value.name == setting.name && value.value == setting.value;
    });
  };
  Findings findings;
  for (const Setting& setting : facts.control_plane_godebug) {
    if (refused(setting)) {
      findings.push_back(Breaks(
          row.minor,
          fmt::format("{} has GODEBUG {}={}, with which programs of v1.{} do not start (their Go "
                      "has no such setting any more). Take it out of {}",
                      setting.where, setting.name, setting.value, row.minor, setting.edit)));
    }
  }
  for (const Setting& setting : facts.kubelet_godebug) {
    if (refused(setting)) {
      findings.push_back(OfKubelet(
          row.minor, hops,
          fmt::format("{} has GODEBUG {}={}, with which kubelets since v1.{} do not start (their "
                      "Go has dropped it). Remove it on every node before its kubelet is upgraded",
                      setting.where, setting.name, setting.value, row.minor)));
    }
  }
  return findings;
}

Findings OfIdRanges(const releases::Dropped& row, const PathFacts& facts, const Hops& hops) {
  constexpr std::uint64_t kEnd = 4294967295;  // 2^32 - 1 is not a valid ID
  Findings findings;
  for (const IdRange& range : facts.id_ranges) {
    if (row.checks_id_range && range.start + range.count > kEnd) {
      findings.push_back(OfKubelet(
          row.minor, hops,
          fmt::format("{} gives user kubelet {} IDs from {} on, beyond the last one, {}: kubelets "
                      "since v1.{} do not start with that. Drain the node, and make the range "
                      "smaller by one Pod's share (65536, userNamespaces.idsPerPod), in both "
                      "/etc/subuid and /etc/subgid",
                      range.where, range.count, range.start, kEnd - 1, row.minor)));
    }
  }
  return findings;
}

Findings OfDropped(const PathFacts& facts, const Hops& hops) {
  Findings findings;
  for (const releases::Dropped& row : releases::AllDropped()) {
    if (HopTo(row.minor, hops) != nullptr) {
      checks::Append(findings, OfApiServerArguments(row, facts));
      checks::Append(findings, OfKubeletArguments(row, facts, hops));
      checks::Append(findings, OfObjects(row, facts));
      checks::Append(findings, OfGodebug(row, facts, hops));
      checks::Append(findings, OfIdRanges(row, facts, hops));
    }
  }
  return findings;
}

// Returns the major and minor version of etcd after the hop. If etcd's tag is not a version, uses
// the etcd of the hop's release.
base::Version EtcdOf(const Hop& hop) {
  const auto chosen = base::Version::ParseGeneric(hop.etcd);
  const auto version =
      chosen ? chosen : base::Version::ParseGeneric(releases::For(hop.version).etcd);
  return {.major = version->major, .minor = version->minor};
}

// Returns the first hop after which the running etcd is at least as new as the etcd of the release
// `minor`; null without such a hop.
const Hop* HopToEtcdOf(int minor, const Hops& hops) {
  const base::Version dropping =
      EtcdOf({.version = {.major = hops.front().version.major, .minor = minor}});
  const auto found =
      std::ranges::find_if(hops, [&](const Hop& hop) { return EtcdOf(hop) >= dropping; });
  return found == hops.end() ? nullptr : &*found;
}

// Judges etcd's arguments by etcd's own version, because the configuration may set another tag.
Findings OfEtcdArguments(const PathFacts& facts, const Hops& hops) {
  Findings findings;
  if (!facts.etcd.left.empty()) {
    return findings;
  }
  for (const releases::Dropped& row : releases::AllDropped()) {
    const Hop* hop = HopToEtcdOf(row.minor, hops);
    for (const Setting& argument : facts.etcd_arguments) {
      if (hop != nullptr && releases::Matches(row.etcd_arguments, argument.name)) {
        findings.push_back(Breaks(
            hop->version.minor,
            fmt::format("{} has \"{}\", which etcd {} of the hop to {} does not know: it would not "
                        "start. Remove it from ConfigMap \"kubeadm-config\"",
                        argument.where, argument.name, hop->etcd, hop->version.TextWithV())));
      }
    }
  }
  return findings;
}

// Returns a finding about the first hop, because this hop already renews the certificates.
Findings OfKubeletKeys(const PathFacts& facts, const Hops& hops) {
  const auto hazard = FindKubeletKeyHazard(facts.renewed_keys, facts.kubelets);
  return hazard ? Findings{Breaks(hops.front().version.minor, *hazard)} : Findings{};
}

// Judges hops that skip a minor version of etcd: the new etcd could not read the old data.
Findings OfEtcdJumps(const PathFacts& facts, const Hops& hops) {
  Findings findings;
  std::string before = facts.etcd.runs;
  for (const Hop& hop : hops) {
    const auto from = base::Version::ParseGeneric(before);
    const auto to = base::Version::ParseGeneric(hop.etcd);
    if (from && to && (to->major != from->major || to->minor > from->minor + 1)) {
      findings.push_back(
          Breaks(hop.version.minor,
                 fmt::format("etcd would go from {} to {} with the hop to {}: it takes one minor "
                             "version at a time. Choose one in between (etcd.local.imageTag) and "
                             "upgrade to it first",
                             before, hop.etcd, hop.version.TextWithV())));
    }
    before = hop.etcd;
  }
  return findings;
}

// Returns a note for each hop that requires a newer etcd than the members have before the hop.
Findings OfEtcdSteps(const PathFacts& facts, const Hops& hops) {
  Findings findings;
  std::vector<control_plane::NodeVersion> members = facts.etcd_members;
  for (const Hop& hop : hops) {
    if (!facts.etcd.left.empty()) {
      break;
    }
    if (auto hazard = FindEtcdStepHazard(members, hop.etcd)) {
      findings.push_back({.severity = Severity::kNote,
                          .subject = HopName(hop.version.minor),
                          .what = std::move(*hazard)});
    }
    for (control_plane::NodeVersion& member : members) {
      member.version = hop.etcd;
    }
  }
  return findings;
}

// Returns an empty list for an unreadable Corefile or version: JudgeMigration reports it.
Findings ReadablePlugins(const upgrade::CoreDnsChange& change,
                         const std::optional<std::string>& corefile) {
  try {
    return upgrade::JudgePlugins(change, corefile);
  } catch (const base::Error&) {
    return {};
  }
}

Findings OfCoreDns(const PathFacts& facts, const Hops& hops) {
  if (!facts.core_dns.left.empty()) {
    return {};
  }
  const Hop& last = hops.back();
  const upgrade::CoreDnsChange change{
      .from =
          facts.core_dns.runs.empty()
              ? std::nullopt
              : std::optional(facts.core_dns.runs.substr(facts.core_dns.runs[0] == 'v' ? 1 : 0)),
      .to = last.core_dns.substr(last.core_dns.starts_with('v') ? 1 : 0)};
  Findings all;
  const auto add = [&](const char* id, Findings findings) {
    for (Finding& finding : findings) {
      finding.id = id;
      finding.subject = HopName(last.version.minor);
      if (checks::IsIgnored(id, facts.ignored_checks)) {
        finding.severity = Severity::kNote;
      }
    }
    checks::Append(all, std::move(findings));
  };
  add("CoreDNSUnsupportedPlugins", ReadablePlugins(change, facts.corefile));
  add("CoreDNSMigration", upgrade::JudgeMigration(change, facts.corefile));
  return all;
}

// Returns a finding about the first hop whose components refuse the gate.
Findings OfGate(const Setting& gate, const Hops& hops) {
  for (const Hop& hop : hops) {
    if (const auto trouble =
            releases::GateTrouble(hop.version.minor, gate.name, gate.value == "true")) {
      return {Breaks(hop.version.minor,
                     fmt::format("{} sets feature gate {}={}, and {}: a component would not start. "
                                 "Remove it",
                                 gate.where, gate.name, gate.value, *trouble))};
    }
  }
  return {};
}

// Returns the findings about a feature gate of kubelets. A kubelet accepts the gates of its own
// version. The path may upgrade this node's kubelet; the user upgrades the other kubelets after the
// last hop.
Findings OfKubeletGate(const Setting& gate, const Hops& hops) {
  const auto trouble_of = [&](const base::Version& kubelet) {
    return releases::GateTrouble(kubelet.minor, gate.name, gate.value == "true");
  };
  for (const Hop& hop : hops) {
    if (const auto trouble = hop.own_kubelet ? trouble_of(*hop.own_kubelet) : std::nullopt) {
      return {Breaks(hop.version.minor,
                     fmt::format("{} sets feature gate {}={}, and {}: the kubelet would not start. "
                                 "Remove it",
                                 gate.where, gate.name, gate.value, *trouble))};
    }
  }
  if (const auto trouble = trouble_of(hops.back().version)) {
    return {{.severity = Severity::kNote,
             .subject = HopName(hops.back().version.minor),
             .what = fmt::format("{} sets feature gate {}={}, and {}: remove it before a "
                                 "kubelet is upgraded, because it would not start",
                                 gate.where, gate.name, gate.value, *trouble)}};
  }
  return {};
}

Findings OfGates(const PathFacts& facts, const Hops& hops) {
  Findings findings;
  for (const Setting& gate : facts.gates) {
    checks::Append(findings, OfGate(gate, hops));
  }
  for (const Setting& gate : facts.kubelet_gates) {
    checks::Append(findings, OfKubeletGate(gate, hops));
  }
  return findings;
}

Findings OfRequested(const PathFacts& facts, const Hops& hops) {
  Findings findings;
  for (const RequestedApi& api : facts.requested) {
    if (HopTo(api.removed_minor, hops) != nullptr && api.removed_minor > facts.cluster.minor) {
      findings.push_back({.severity = Severity::kNote,
                          .subject = HopName(api.removed_minor),
                          .what = fmt::format(
                              "a client has requested {} from this API server, and v1.{} no longer "
                              "serves it: check that all clients use a newer version",
                              api.resource, api.removed_minor)});
    }
  }
  return findings;
}

Findings OfHidden(const PathFacts& facts, const Hops& hops) {
  Findings findings;
  for (const HiddenVersion& hidden : facts.hidden) {
    findings.push_back(
        {.severity = Severity::kNote,
         .subject = HopName(hops.front().version.minor),
         .what = fmt::format("objects of {} are stored in version {}, which its definition does "
                             "not serve: store them again before that version goes",
                             hidden.definition, hidden.version)});
  }
  return findings;
}

Findings OfStoredApi(const PathFacts& facts, const Hops& hops) {
  if (facts.stored_api != kOldApi) {
    return {};
  }
  return {{.severity = Severity::kNote,
           .subject = HopName(hops.front().version.minor),
           .what = fmt::format("ConfigMap \"kubeadm-config\" is of {}; the first hop stores it as "
                               "kubeadm.k8s.io/v1beta4",
                               kOldApi)}};
}

Findings OfUnseen(const PathFacts& facts, const Hops& hops) {
  Findings findings;
  for (const std::string& unseen : facts.unseen) {
    findings.push_back(Breaks(hops.front().version.minor,
                              fmt::format("it is unknown what the path would break here, because "
                                          "this could not be examined: {}",
                                          unseen)));
  }
  return findings;
}

struct Rule {
  const char* id;
  unsigned when;
  Findings (*judge)(const PathFacts& facts, const Hops& hops);
};
constexpr unsigned kBeforeAnyHop = checks::kBeforePath | checks::kBeforeUpgrade;
// The first kWithoutHops rules also run for a path without hops.
constexpr Rule kRules[] = {{"own-server-behind", checks::kBeforePath, OfOwnServer},
                           {"manifest-stray", checks::kBeforePath, OfStrays},
                           {"stored-api-old", checks::kBeforePath, OfStoredApi},
                           {"not-looked-at", checks::kBeforePath, OfUnseen},
                           {"dropped", kBeforeAnyHop, OfDropped},
                           {"etcd-arguments", kBeforeAnyHop, OfEtcdArguments},
                           {"etcd-jump", checks::kBeforePath, OfEtcdJumps},
                           {"etcd-step", checks::kBeforePath, OfEtcdSteps},
                           {"feature-gates", kBeforeAnyHop, OfGates},
                           {"kubelet-keys", checks::kBeforePath, OfKubeletKeys},
                           {"coredns", checks::kBeforePath, OfCoreDns},
                           {"api-requested", checks::kBeforePath, OfRequested},
                           {"version-hidden", checks::kBeforePath, OfHidden}};
constexpr std::size_t kWithoutHops = 2;

Findings JudgeBefore(checks::When when, const PathFacts& facts, const Hops& hops) {
  std::vector<checks::Check> checks;
  for (const Rule& rule :
       std::span(kRules).first(hops.empty() ? kWithoutHops : std::size(kRules))) {
    checks.push_back(
        {.id = rule.id,
         .when = rule.when,
         .judge = [&, judge = rule.judge](const std::stop_token&) { return judge(facts, hops); }});
  }
  return checks::Judge(checks::Select(std::move(checks), when));
}

int MinorOf(const Finding& finding) {
  return base::Version::ParseGeneric(finding.subject).value().minor;
}

}  // namespace

std::string HopName(int minor) { return fmt::format("v1.{}", minor); }

Findings FindBreaks(const PathFacts& facts, const Hops& hops) {
  Findings findings = JudgeBefore(checks::kBeforePath, facts, hops);
  std::ranges::stable_sort(findings, {}, MinorOf);
  return findings;
}

Findings CheckSettings(const SettingsRequest& request) {
  const config::ClusterConfiguration& cluster = request.config.cluster;
  if (!releases::Covers(request.wanted)) {
    return {};
  }
  PathFacts facts;
  CollectSettings(cluster, request.host.files, facts);
  CollectPatched({request.host, request.config, request.patches, request.wanted}, facts);
  if (!cluster.etcd.local || request.etcd == EtcdHop::kKept) {
    facts.etcd_arguments.clear();
  }
  const bool pinned = cluster.etcd.local && !cluster.etcd.local->image_tag.empty();
  return JudgeBefore(checks::kBeforeUpgrade, facts,
                     {{.version = request.wanted,
                       .etcd = pinned ? cluster.etcd.local->image_tag
                                      : std::string(releases::For(request.wanted).etcd)}});
}

}  // namespace upgrade_path
