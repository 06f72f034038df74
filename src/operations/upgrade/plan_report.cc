// SPDX-License-Identifier: Apache-2.0
#include "upgrade/plan_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "print/text_table.h"

namespace upgrade {
namespace {

using Rows = std::vector<std::vector<std::string>>;

constexpr const char* kRule =
    "_____________________________________________________________________\n\n";

const std::vector<std::string> kHead = {"COMPONENT", "NODE", "CURRENT", "TARGET"};

bool IsManual(const ComponentUpgrade& row) { return row.name == "kubelet"; }
bool IsKubeadm(const ComponentUpgrade& row) { return row.name == "kubeadm"; }

std::vector<std::string> RowOf(const ComponentUpgrade& row) {
  return {row.name, row.node, row.current, row.target};
}

// Returns the table of the components that the user upgrades manually. The table is printed even
// without rows, because programs that parse the output count its tables.
std::string ManualText(const PlannedUpgrade& upgrade) {
  Rows rows = {kHead};
  for (const ComponentUpgrade& row : upgrade.components) {
    if (IsManual(row)) {
      rows.push_back(RowOf(row));
    }
  }
  const char* heading =
      rows.size() == 1
          ? "There is nothing that you have to upgrade yourself:\n"
          : "Upgrade these yourself, node by node, once 'kubeadm upgrade apply' has upgraded the "
            "control plane:\n";
  return heading + print::TextTable(rows) + "\n";
}

std::string AppliedText(const PlannedUpgrade& upgrade) {
  Rows rows = {kHead};
  for (const ComponentUpgrade& row : upgrade.components) {
    if (!IsManual(row) && !IsKubeadm(row)) {
      rows.push_back(RowOf(row));
    }
  }
  return fmt::format("Upgrade to the latest {}:\n\n{}\n", upgrade.offer.description,
                     print::TextTable(rows));
}

std::string FlagOf(const upgrade::Unstable& needs) {
  if (needs.experimental) {
    return " --allow-experimental-upgrades";
  }
  return needs.release_candidates ? " --allow-release-candidate-upgrades" : "";
}

std::string CommandText(const PlannedUpgrade& upgrade) {
  const Offer& offer = upgrade.offer;
  std::string text = fmt::format(
      "You can now apply the upgrade by executing the following command:\n\n"
      "\tkubeadm upgrade apply {}{}\n\n",
      offer.version, FlagOf(offer.needs));
  const auto kubeadm = std::ranges::find_if(upgrade.components, IsKubeadm);
  if (kubeadm != upgrade.components.end() && kubeadm->current != kubeadm->target) {
    text += fmt::format("Before that, bring kubeadm itself from {} to {}.\n\n", kubeadm->current,
                        kubeadm->target);
  }
  return text;
}

std::string OrDash(const std::string& text) { return text.empty() ? "-" : text; }

std::string StatesText(const std::vector<ComponentState>& states) {
  Rows rows = {{"API GROUP", "CURRENT VERSION", "PREFERRED VERSION", "MANUAL UPGRADE REQUIRED"}};
  for (const ComponentState& state : states) {
    rows.push_back(
        {state.group, OrDash(state.current), state.preferred, state.manual ? "yes" : "no"});
  }
  return "\nConfigurations of components that the cluster stores, as this kubeadm reads them. "
         "Where "
         "the last\ncolumn says \"yes\", convert yours to the preferred version, or let kubeadm "
         "make "
         "it again, before\nyou upgrade.\n\n" +
         print::TextTable(rows) + kRule;
}

}  // namespace

std::string PlanText(const PlanView& view) {
  std::string text;
  for (const PlannedUpgrade& upgrade : view.upgrades) {
    text += ManualText(upgrade) + AppliedText(upgrade) + CommandText(upgrade) + kRule;
  }
  return text + StatesText(view.states);
}

json::Ordered PlanObject(const PlanView& view) {
  json::Ordered upgrades = json::Ordered::array();
  for (const PlannedUpgrade& upgrade : view.upgrades) {
    json::Ordered components = json::Ordered::array();
    for (const ComponentUpgrade& row : upgrade.components) {
      json::Ordered object = {
          {"name", row.name}, {"currentVersion", row.current}, {"newVersion", row.target}};
      if (!row.node.empty()) {
        object["nodeName"] = row.node;
      }
      components.push_back(std::move(object));
    }
    upgrades.push_back(
        {{"description", upgrade.offer.description}, {"components", std::move(components)}});
  }
  json::Ordered states = json::Ordered::array();
  for (const ComponentState& state : view.states) {
    states.push_back({{"group", state.group},
                      {"currentVersion", state.current},
                      {"preferredVersion", state.preferred},
                      {"manualUpgradeRequired", state.manual}});
  }
  return {{"kind", "UpgradePlan"},
          {"apiVersion", "output.kubeadm.k8s.io/v1alpha3"},
          {"availableUpgrades", std::move(upgrades)},
          {"configVersions", std::move(states)}};
}

}  // namespace upgrade
