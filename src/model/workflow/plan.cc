// SPDX-License-Identifier: Apache-2.0
#include "workflow/plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/strings.h"

namespace workflow {
namespace {

using base::Error;

// A phase of the flattened tree; a group precedes its children.
struct Node {
  std::string path;
  std::string name;  // as Step::name
  const AnyPhase* phase;
  std::vector<const AnyPhase*> groups;  // that contain the phase, the outermost first
};

void Flatten(const std::vector<AnyPhase>& phases, const Node* group, std::vector<Node>& nodes) {
  for (const AnyPhase& phase : phases) {
    Node node{.path = phase.name, .name = phase.name, .phase = &phase, .groups = {}};
    if (group != nullptr) {
      node.path = group->path + "/" + phase.name;
      node.name = IsOne(*group->phase) ? group->name : node.path;
      node.groups = group->groups;
      node.groups.push_back(group->phase);
    }
    nodes.push_back(node);
    Flatten(phase.children, &node, nodes);
  }
}

std::vector<Node> Flatten(const std::vector<AnyPhase>& phases) {
  std::vector<Node> nodes;
  Flatten(phases, nullptr, nodes);
  return nodes;
}

bool MakesAny(const AnyPhase& phase, const std::vector<std::string>& artifacts) {
  return std::ranges::any_of(phase.makes, [&](const std::string& artifact) {
    return std::ranges::find(artifacts, artifact) != artifacts.end();
  });
}

// Moves each phase that awaits artifacts behind the last phase that makes one of these artifacts.
// Phases that are moved behind the same phase keep their order.
std::vector<Node> InTheirPlaces(std::vector<Node> nodes) {
  for (auto node = nodes.end(); node != nodes.begin();) {
    --node;
    const auto maker =
        std::find_if(nodes.rbegin(), std::reverse_iterator(node + 1),
                     [&](auto& later) { return MakesAny(*later.phase, node->phase->awaits); });
    std::rotate(node, node + 1, maker.base());
  }
  return nodes;
}

// Returns true for the phase `group` and everything below it.
bool IsWithin(const std::string& path, const std::string& group) {
  return path == group || path.starts_with(group + "/");
}

bool IsWithinAny(const std::string& path, const std::vector<std::string>& groups) {
  return std::ranges::any_of(groups,
                             [&](const std::string& group) { return IsWithin(path, group); });
}

void CheckName(const std::vector<Node>& nodes, const std::string& name) {
  const bool known = std::ranges::any_of(nodes, [&](const Node& node) {
    return (node.path == name && node.name == name) ||
           (node.phase->all && node.path + "/all" == name);
  });
  if (!known) {
    throw Error(Error::Kind::kUsage, "invalid phase name: " + name);
  }
}

void CheckDependencies(const std::vector<Node>& selected) {
  std::set<std::string> before;
  std::string lines;
  for (const Node& node : selected) {
    std::vector<std::string> missing;
    std::ranges::copy_if(node.phase->depends_on, std::back_inserter(missing),
                         [&](const std::string& path) { return !before.contains(path); });
    if (!missing.empty()) {
      lines += fmt::format("\n\tphase {} needs [{}] to run before it", base::Quoted(node.path),
                           base::Join(missing, " "));
    }
    before.insert(node.path);
  }
  if (!lines.empty()) {
    throw Error(Error::Kind::kUsage, "unresolved dependencies:" + lines);
  }
}

// Returns the needs of the phase and its groups, and its awaited artifacts.
std::vector<std::string> NeedsOf(const Node& node) {
  std::vector<std::string> needs = node.phase->needs;
  needs.insert(needs.end(), node.phase->awaits.begin(), node.phase->awaits.end());
  for (const AnyPhase* group : node.groups) {
    needs.insert(needs.end(), group->needs.begin(), group->needs.end());
  }
  return needs;
}

// Returns the paths of the earlier phases that make an artifact which this phase needs. Leaves out
// the groups that contain this phase. Ignores later phases, so that no cycle can arise.
std::vector<std::string> MakersFor(const std::vector<Node>& nodes, std::size_t at) {
  const std::vector<std::string> needs = NeedsOf(nodes[at]);
  std::vector<std::string> makers;
  for (const Node& candidate : std::span(nodes).first(at)) {
    if (MakesAny(*candidate.phase, needs) && !IsWithin(nodes[at].path, candidate.path)) {
      makers.push_back(candidate.path);
    }
  }
  return makers;
}

// Computes the waits of each phase, in the list's order: steps by their indexes.
class WaitList {
 public:
  explicit WaitList(const std::vector<Node>& nodes) : nodes_(nodes) {}

  // Returns the steps for which the next phase waits: the groups that contain it, the makers of its
  // needs, and all phases below these makers.
  const std::set<std::size_t>& Next() {
    const std::size_t at = stands_for_.size();
    const std::vector<std::string> makers = MakersFor(nodes_, at);
    waits_.clear();
    for (std::size_t i = 0; i < at; ++i) {
      if (IsWithin(nodes_[at].path, nodes_[i].path) || IsWithinAny(nodes_[i].path, makers)) {
        waits_.insert(stands_for_[i].begin(), stands_for_[i].end());
      }
    }
    stands_for_.emplace_back();
    return waits_;
  }

  // Call IsStep or IsSkipped after each call of Next, to report what became of its phase. Call
  // neither if the phase is not selected, or is a group without an action. Other phases wait for
  // such a group only through its children.
  void IsStep(std::size_t index) { stands_for_.back() = {index}; }
  // Phases that need the skipped phase wait for the steps for which the skipped phase would have
  // waited. This keeps the order of the other phases.
  void IsSkipped() { stands_for_.back() = waits_; }

 private:
  const std::vector<Node>& nodes_;
  std::set<std::size_t> waits_;                    // the result of the last call of Next
  std::vector<std::set<std::size_t>> stands_for_;  // by phase: the steps to wait for
};

std::vector<std::function<bool(const AnyData&)>> Conditions(const Node& node) {
  std::vector<std::function<bool(const AnyData&)>> conditions;
  std::vector<const AnyPhase*> phases = node.groups;
  phases.push_back(node.phase);
  for (const AnyPhase* phase : phases) {
    if (phase->when) {
      conditions.push_back(phase->when);
    }
  }
  return conditions;
}

void FindTwins(const std::vector<AnyPhase>& siblings, const std::string& group,
               std::vector<std::string>& flaws) {
  std::set<std::string> names;
  const auto add = [&](const std::string& name) {
    if (!names.insert(name).second) {
      flaws.push_back(fmt::format("{}{} is given twice", group, name));
    }
  };
  for (const AnyPhase& phase : siblings) {
    std::ranges::for_each(phase.aliases, add);
    add(phase.name);
    FindTwins(phase.children, group + phase.name + "/", flaws);
  }
}

// Adds "<what> <name>" for every name that is not in `known`.
void FindUnknown(const std::vector<std::string>& names, const std::set<std::string>& known,
                 const std::string& what, std::vector<std::string>& flaws) {
  for (const std::string& name : names) {
    if (!known.contains(name)) {
      flaws.push_back(fmt::format("{} {}", what, name));
    }
  }
}

}  // namespace

bool IsOne(const AnyPhase& phase) { return std::ranges::all_of(phase.children, &AnyPhase::hidden); }

Plan MakePlan(const std::vector<AnyPhase>& phases, const Selection& selection) {
  const std::vector<Node> listed = Flatten(phases);
  const std::vector<Node> nodes = selection.comes_up ? InTheirPlaces(listed) : listed;
  if (!selection.only.empty()) {
    CheckName(nodes, selection.only);
  }
  for (const std::string& name : selection.skip) {
    CheckName(nodes, name);
  }
  Plan plan;
  std::vector<Node> selected;
  WaitList order(nodes);
  for (const Node& node : nodes) {
    const std::set<std::size_t>& waits = order.Next();
    if (!selection.only.empty() && !IsWithin(node.path, selection.only)) {
      continue;
    }
    if (IsWithinAny(node.path, selection.skip)) {
      plan.skipped.push_back(node.path);
      order.IsSkipped();
      continue;
    }
    selected.push_back(node);
    if (node.phase->run) {
      order.IsStep(plan.steps.size());
      plan.steps.push_back({.path = node.path,
                            .name = node.name,
                            .waits_for = {waits.begin(), waits.end()},
                            .when = Conditions(node),
                            .run = node.phase->run});
    }
  }
  CheckDependencies(selected);
  return plan;
}

std::vector<std::string> Flaws(const std::vector<AnyPhase>& phases) {
  std::vector<std::string> flaws;
  FindTwins(phases, "", flaws);
  std::set<std::string> made;
  std::set<std::string> seen;
  for (const Node& node : InTheirPlaces(Flatten(phases))) {
    const AnyPhase& phase = *node.phase;
    FindUnknown(phase.needs, made,
                node.path +
                    " needs an artifact that no earlier phase "
                    "makes:",
                flaws);
    FindUnknown(phase.awaits, made, node.path + " awaits what no phase makes:", flaws);
    FindUnknown(phase.depends_on, seen,
                node.path + " depends on a phase that is not an earlier one:", flaws);
    if (!phase.awaits.empty() && !phase.children.empty()) {
      flaws.push_back(node.path + " would come behind its children");
    }
    if (!phase.run && phase.children.empty()) {
      flaws.push_back(node.path + " does nothing");
    }
    made.insert(phase.makes.begin(), phase.makes.end());
    seen.insert(node.path);
  }
  return flaws;
}

}  // namespace workflow
