// SPDX-License-Identifier: Apache-2.0
#include "upgrade_path/report.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/strings.h"
#include "base/utf8.h"
#include "base/wrap.h"
#include "print/text_table.h"
#include "releases/releases.h"

namespace upgrade_path {
namespace {

using control_plane::NodeVersion;

std::string List(const std::vector<NodeVersion>& nodes) {
  std::vector<std::string> names;
  for (const NodeVersion& node : nodes) {
    names.push_back(base::Visible(fmt::format("{} ({})", node.node, node.version)));
  }
  return base::Join(names, ", ");
}

std::string HopsText(const PathPlan& plan) {
  std::vector<std::vector<std::string>> rows = {
      {"HOP", "CONTROL PLANE", "ETCD", "COREDNS", "THIS NODE'S KUBELET"}};
  for (const Hop& hop : plan.hops) {
    rows.push_back({fmt::format("{} of {}", rows.size(), plan.hops.size()), hop.version.TextWithV(),
                    hop.etcd, hop.core_dns,
                    hop.own_kubelet ? hop.own_kubelet->TextWithV() : "stays"});
  }
  return print::TextTable(rows);
}

std::string KubeletsText(const PathPlan& plan) {
  std::string text;
  for (const Hop& hop : plan.hops) {
    if (!hop.kubelets_first.empty()) {
      text += fmt::format("Before the hop to {} these kubelets must be at {} or newer: {}\n",
                          hop.version.TextWithV(), releases::OldestKubelet(hop.version).TextWithV(),
                          List(hop.kubelets_first));
    }
  }
  if (!plan.kubelets_behind.empty()) {
    text += fmt::format("After the last hop these kubelets are left to upgrade: {}\n",
                        List(plan.kubelets_behind));
  }
  return text.empty() ? text : "\n" + text;
}

std::string FindingsText(const PathPlan& plan) {
  std::string text;
  for (const checks::Finding& finding : plan.findings) {
    text += fmt::format("- {}{}\n", finding.severity == checks::Severity::kError ? "" : "(note) ",
                        base::HangingIndent(finding.what));
  }
  return text.empty() ? "\nNothing is known that would break on the way.\n"
                      : "\nWhat would break on the way:\n" + text;
}

json::Ordered NodesObject(const std::vector<NodeVersion>& nodes) {
  json::Ordered list = json::Ordered::array();
  for (const NodeVersion& node : nodes) {
    list.push_back({{"nodeName", node.node}, {"version", node.version}});
  }
  return list;
}

json::Ordered HopObject(const Hop& hop) {
  json::Ordered object = {
      {"version", hop.version.TextWithV()}, {"etcd", hop.etcd}, {"coreDNS", hop.core_dns}};
  if (hop.own_kubelet) {
    object["kubelet"] = hop.own_kubelet->TextWithV();
  }
  object["kubeletsFirst"] = NodesObject(hop.kubelets_first);
  return object;
}

}  // namespace

std::string TextOf(const PathPlan& plan) {
  if (plan.hops.empty()) {
    return plan.kubelet_only
               ? fmt::format(
                     "The control plane is at {}; the kubelet of this node is still to "
                     "follow, to {}\n",
                     plan.from.TextWithV(), plan.kubelet_only->TextWithV())
               : fmt::format("The control plane is at {} already: there is nothing to do\n",
                             plan.from.TextWithV());
  }
  return fmt::format("The path from {} to {}:\n\n", plan.from.TextWithV(),
                     plan.hops.back().version.TextWithV()) +
         HopsText(plan) + KubeletsText(plan) + FindingsText(plan);
}

std::string KubeletsLeft(const PathPlan& plan) {
  return plan.kubelets_behind.empty() ? "none" : List(plan.kubelets_behind);
}

json::Ordered ObjectOf(const PathPlan& plan) {
  json::Ordered hops = json::Ordered::array();
  for (const Hop& hop : plan.hops) {
    hops.push_back(HopObject(hop));
  }
  json::Ordered findings = json::Ordered::array();
  for (const checks::Finding& finding : plan.findings) {
    findings.push_back({{"minor", finding.subject},
                        {"breaks", finding.severity == checks::Severity::kError},
                        {"text", finding.what}});
  }
  return {{"kind", "UpgradePath"},
          {"apiVersion", "output.slipway/v1alpha1"},
          {"from", plan.from.TextWithV()},
          {"hops", std::move(hops)},
          {"kubeletsBehind", NodesObject(plan.kubelets_behind)},
          {"findings", std::move(findings)}};
}

}  // namespace upgrade_path
