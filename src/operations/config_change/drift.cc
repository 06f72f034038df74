// SPDX-License-Identifier: Apache-2.0
#include "config_change/drift.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/strings.h"
#include "base/utf8.h"
#include "base/wrap.h"
#include "json/value.h"

namespace config_change {
namespace {

constexpr std::size_t kShownLength = 160;

std::string Shown(const std::optional<json::Value>& value) {
  if (!value) {
    return "(not set)";
  }
  const std::string text =
      value->is_string() ? base::Quoted(value->get<std::string>()) : json::Compact(*value);
  return text.size() <= kShownLength ? text : text.substr(0, kShownLength) + "…";
}

std::string Who(const Difference& difference) {
  return base::Visible(difference.node.empty()
                           ? difference.component
                           : fmt::format("{} of {}", difference.component, difference.node));
}

std::string_view FateText(const Difference& difference) {
  if (difference.origin == Origin::kRun) {
    return "depends on the kubeadm that wrote it, or on its run: not an edit";
  }
  switch (difference.outcome) {
    case Outcome::kLost:
      return "lost: the next upgrade writes the wanted value";
    case Outcome::kWaits:
      return "kept: the component takes it at its next restart";
    case Outcome::kKept:
      return "kept: upgrades leave it alone";
    case Outcome::kBlocks:
      return difference.should
                 ? "no upgrade begins without it: restore it; 'kubeadm doctor' says more"
                 : "no upgrade begins with it: move it to another directory";
    case Outcome::kUnknown:
      break;
  }
  return "lost, unless that node's patches set it: see 'kubeadm drift' there";
}

std::string_view OutcomeName(Outcome outcome) {
  switch (outcome) {
    case Outcome::kLost:
      return "lost";
    case Outcome::kWaits:
      return "waits";
    case Outcome::kKept:
      return "kept";
    case Outcome::kBlocks:
      return "blocks";
    case Outcome::kUnknown:
      break;
  }
  return "unknown";
}

std::string Block(const Difference& difference) {
  std::string text = fmt::format("\n{}: {}\n  should be: {}\n", Who(difference),
                                 base::Visible(difference.field), Shown(difference.should));
  if (difference.disk) {
    text += fmt::format("  on disk:   {}\n", Shown(difference.disk));
  }
  if (difference.runs) {
    text += fmt::format("  runs with: {}\n", Shown(difference.runs));
  }
  return text + fmt::format("  {}\n", FateText(difference));
}

bool IsKept(const Difference& difference) {
  return difference.origin == Origin::kEdit && difference.outcome == Outcome::kKept;
}

std::string Headline(const Drift& drift) {
  const auto edits = std::ranges::count_if(drift.differences, IsEdit);
  if (edits == 0) {
    return std::ranges::any_of(drift.differences, IsKept)
               ? "The next upgrade keeps every manual change\n"
               : "No manual changes: everything is as the cluster's configuration defines it\n";
  }
  return fmt::format("{} {} not as the cluster's configuration gives {}\n", edits,
                     edits == 1 ? "field is" : "fields are", edits == 1 ? "it" : "them");
}

std::string List(std::string_view title, const std::vector<std::string>& lines) {
  std::string text = lines.empty() ? "" : fmt::format("\n{}:\n", title);
  for (const std::string& line : lines) {
    text += fmt::format("  {}\n", base::HangingIndent(line));
  }
  return text;
}

json::Ordered Side(const std::optional<json::Value>& value) {
  return value ? json::Ordered(*value) : json::Ordered();
}

}  // namespace

Drift DriftOf(const std::vector<Component>& components) {
  Drift drift;
  for (const Component& component : components) {
    std::ranges::move(Compare(component), std::back_inserter(drift.differences));
    drift.looked_at.push_back(component.node.empty()
                                  ? component.name
                                  : fmt::format("{} of {}", component.name, component.node));
  }
  return drift;
}

bool HasEdits(const Drift& drift) { return std::ranges::any_of(drift.differences, IsEdit); }

std::string Line(const Difference& difference) {
  const std::optional<json::Value>& in_force =
      difference.disk || difference.outcome == Outcome::kWaits ? difference.disk : difference.runs;
  const std::optional<json::Value>& wanted =
      difference.outcome == Outcome::kWaits ? difference.runs : difference.should;
  return fmt::format(
      "{}: {}: {}, {} {}", Who(difference), base::Visible(difference.field), Shown(in_force),
      difference.outcome == Outcome::kWaits ? "runs with" : "should be", Shown(wanted));
}

std::string TextOf(const Drift& drift) {
  std::string text = Headline(drift);
  for (const Difference& difference : drift.differences) {
    text += Block(difference);
  }
  text += List("Notes", drift.notes) + List("Could not see", drift.unseen);
  if (HasEdits(drift)) {
    text += "\nKeep changes, as far as possible, with 'kubeadm drift --adopt'\n";
  }
  return text;
}

json::Ordered ObjectOf(const Drift& drift) {
  json::Ordered list = json::Ordered::array();
  for (const Difference& difference : drift.differences) {
    list.push_back({{"component", difference.component},
                    {"node", difference.node},
                    {"field", difference.field},
                    {"should", Side(difference.should)},
                    {"disk", Side(difference.disk)},
                    {"runs", Side(difference.runs)},
                    {"nextUpgrade", OutcomeName(difference.outcome)},
                    {"edit", difference.origin == Origin::kEdit}});
  }
  return {{"kind", "Drift"},
          {"apiVersion", "output.slipway/v1alpha1"},
          {"edited", HasEdits(drift)},
          {"differences", std::move(list)},
          {"notes", drift.notes},
          {"lookedAt", drift.looked_at},
          {"couldNotSee", drift.unseen}};
}

}  // namespace config_change
