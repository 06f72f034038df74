// SPDX-License-Identifier: Apache-2.0
#include "upgrade_path/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/strings.h"

namespace upgrade_path {
namespace {

using Weight = Finding::Weight;
using Findings = std::vector<Finding>;

constexpr std::string_view kOldApi = "kubeadm.k8s.io/v1beta3";

// Whether a hop goes to the minor version or beyond it: the first such hop is the one that breaks.
const Hop* HopTo(int minor, const std::vector<Hop>& hops) {
  const auto found =
      std::ranges::find_if(hops, [&](const Hop& hop) { return hop.version.minor >= minor; });
  return found == hops.end() ? nullptr : &*found;
}

Findings OfDropped(const releases::Dropped& row, const PathFacts& facts) {
  Findings findings;
  const auto add = [&](std::string text) {
    findings.push_back({.weight = Weight::kBreaks, .minor = row.minor, .text = std::move(text)});
  };
  for (const Setting& argument : facts.etcd_arguments) {
    if (releases::Matches(row.etcd_arguments, argument.name)) {
      add(
          fmt::format("{} has \"{}\", which etcd of v1.{} does not know: it would not start. Take "
                      "it out of ConfigMap \"kubeadm-config\"",
                      argument.where, argument.name, row.minor));
    }
  }
  for (const Setting& argument : facts.kubelet_arguments) {
    if (releases::Matches(row.kubelet_arguments, argument.name)) {
      add(
          fmt::format("{} has --{}, which kubelets since v1.{} do not know: they would not start. "
                      "Take it out on every node",
                      argument.where, argument.name, row.minor));
    }
  }
  for (const StoredObjects& objects : facts.objects) {
    const auto same = [&](const releases::ApiVersion& api) {
      return api.group == objects.api.group && api.version == objects.api.version;
    };
    if (std::ranges::any_of(row.stored_apis, same)) {
      add(
          fmt::format("there are objects \"{}\" of {}/{}, which v1.{} cannot read: delete them, or "
                      "store them in another version first",
                      objects.resource, objects.api.group, objects.api.version, row.minor));
    }
  }
  return findings;
}

// The first hop whose components refuse the gate.
std::optional<Finding> OfGate(const Setting& gate, const std::vector<Hop>& hops) {
  for (const Hop& hop : hops) {
    if (const auto trouble =
            releases::GateTrouble(hop.version.minor, gate.name, gate.value == "true")) {
      return Finding{.weight = Weight::kBreaks,
                     .minor = hop.version.minor,
                     .text = fmt::format("{} sets feature gate {}={}, and {}: what reads it would "
                                         "not start. Take it out",
                                         gate.where, gate.name, gate.value, *trouble)};
    }
  }
  return std::nullopt;
}

Findings OfRequested(const PathFacts& facts, const std::vector<Hop>& hops) {
  Findings findings;
  for (const RequestedApi& api : facts.requested) {
    if (HopTo(api.removed_minor, hops) != nullptr && api.removed_minor > facts.cluster.minor) {
      findings.push_back(
          {.weight = Weight::kNote,
           .minor = api.removed_minor,
           .text = fmt::format("somebody has asked this API server for {}, which v1.{} does not "
                               "serve any more: see that all clients use a newer version",
                               api.resource, api.removed_minor)});
    }
  }
  return findings;
}

Findings OfHidden(const PathFacts& facts, const Hop& first) {
  Findings findings;
  for (const HiddenVersion& hidden : facts.hidden) {
    findings.push_back(
        {.weight = Weight::kNote,
         .minor = first.version.minor,
         .text = fmt::format("objects of {} are stored in version {}, which its definition does "
                             "not serve: store them again before that version goes",
                             hidden.definition, hidden.version)});
  }
  return findings;
}

}  // namespace

std::vector<Finding> FindBreaks(const PathFacts& facts, const std::vector<Hop>& hops) {
  Findings findings;
  if (hops.empty()) {
    return findings;
  }
  if (facts.stored_api == kOldApi) {
    findings.push_back({.weight = Weight::kNote,
                        .minor = hops.front().version.minor,
                        .text = fmt::format("ConfigMap \"kubeadm-config\" is of {}; the first hop "
                                            "stores it as kubeadm.k8s.io/v1beta4",
                                            kOldApi)});
  }
  for (const releases::Dropped& row : releases::AllDropped()) {
    if (HopTo(row.minor, hops) != nullptr) {
      std::ranges::move(OfDropped(row, facts), std::back_inserter(findings));
    }
  }
  for (const Setting& gate : facts.gates) {
    if (auto finding = OfGate(gate, hops)) {
      findings.push_back(std::move(*finding));
    }
  }
  std::ranges::move(OfRequested(facts, hops), std::back_inserter(findings));
  std::ranges::move(OfHidden(facts, hops.front()), std::back_inserter(findings));
  std::ranges::stable_sort(findings, {}, &Finding::minor);
  return findings;
}

}  // namespace upgrade_path
