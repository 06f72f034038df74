// SPDX-License-Identifier: Apache-2.0
// A rotation as an object, for programs.
#include <array>

#include "ca_rotation/report.h"
#include "json/value.h"

namespace ca_rotation {
namespace {

// The words have the order of Decision::Kind.
constexpr std::array<std::string_view, 7> kKindWords = {"begin",    "step",     "needsPair", "wait",
                                                        "tooEarly", "finished", "idle"};

}  // namespace

json::Ordered ObjectOf(const Report& report) {
  const auto& [situation, decision, outcome] = report;
  json::Ordered files = json::Ordered::array();
  for (const Holder& holder : situation.holders) {
    json::Ordered file = {{"path", holder.name}};
    if (holder.trusts) {
      file["trusts"] = *holder.trusts;
    }
    if (holder.signer) {
      file["signer"] = *holder.signer;
    }
    files.push_back(std::move(file));
  }
  json::Ordered nodes = json::Ordered::array();
  for (const NodeState& node : situation.nodes) {
    nodes.push_back({{"name", node.name},
                     {"controlPlane", node.control_plane},
                     {"done", node.done ? NameOf(*node.done) : ""},
                     {"leftBehind", node.left_behind}});
  }
  json::Ordered object = {{"kind", "AuthorityRotation"},
                          {"apiVersion", "output.slipway/v1alpha1"},
                          {"authority", situation.authority->name},
                          {"node", situation.node},
                          {"dryRun", !outcome},
                          {"decision", kKindWords.at(static_cast<std::size_t>(decision.kind))},
                          {"step", NameOf(decision.step)},
                          {"reason", Refusal(situation, decision).value_or("")},
                          {"behind", decision.behind},
                          {"files", std::move(files)},
                          {"nodes", std::move(nodes)}};
  if (outcome) {
    object["restarted"] = outcome->step.restarted;
    object["backup"] = outcome->step.backup;
    object["certificateKey"] = outcome->certificate_key;
  }
  return object;
}

}  // namespace ca_rotation
