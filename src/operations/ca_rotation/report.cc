// SPDX-License-Identifier: Apache-2.0
#include "ca_rotation/report.h"

#include <fmt/core.h>

#include "base/strings.h"
#include "certs/tree.h"
#include "json/rfc3339.h"
#include "print/text_table.h"

namespace ca_rotation {
namespace {

using Kind = Decision::Kind;

std::string CommandOf(const Situation& situation) {
  return fmt::format("kubeadm certs rotate-ca {}", situation.authority->name);
}

// Returns the user's word for an authority: "new", "old" or "present".
std::string WordFor(const Situation& situation, const std::string& pin) {
  const std::string fresh = situation.record ? situation.record->pin : "";
  if (fresh.empty()) {
    return pin == situation.new_pin ? "new" : "present";
  }
  return pin == fresh ? "new" : "old";
}

std::string WordsFor(const Situation& situation, const std::vector<std::string>& pins) {
  std::vector<std::string> words;
  for (const std::string& pin : pins) {
    words.push_back(WordFor(situation, pin));
  }
  return base::Join(words, ", ");
}

std::string_view Purpose(Step step) {
  switch (step) {
    case Step::kTrust:
      return "old and new are trusted";
    case Step::kReissue:
      return "everything is signed by the new one";
    case Step::kDrop:
      break;
  }
  return "the old one is no longer trusted";
}

std::string RestartWords(const Restarts& restarts) {
  std::vector<std::string> words;
  for (const components::Component component : restarts.components) {
    words.emplace_back(components::Name(component));
  }
  if (restarts.kubelet) {
    words.emplace_back("kubelet");
  }
  return words.empty() ? "nothing" : base::Join(words, ", ");
}

// Returns the restarts of the step. A worker has no static Pods to restart.
Restarts RestartsOf(const Situation& situation, Step step) {
  Restarts restarts = RowOf(*situation.authority, step).restarts;
  if (!situation.control_plane) {
    restarts.components.clear();
  }
  return restarts;
}

std::string NeedsPairText(const Situation& situation) {
  return fmt::format(
      "a rotation of the {0} has begun on another node, and its new key is not here. Run \"{1} "
      "--upload-certs\" there and then \"{1} --certificate-key KEY\" here with the key that it "
      "prints; or copy new.* from the directory rotate-ca/{2} of its certificates to the same "
      "place "
      "here (directory mode 0700, files 0600)",
      situation.authority->long_name, CommandOf(situation), situation.authority->name);
}

std::string WaitText(const Situation& situation, const Decision& decision) {
  const Step before = PreviousOf(decision.step);
  if (!situation.control_plane) {
    return fmt::format(
        "step {} has not begun on the control plane: run \"{}\" there first, when all nodes have "
        "done step {}",
        NameOf(decision.step), CommandOf(situation), NameOf(before));
  }
  return fmt::format(
      "step {} must wait: these nodes have not done step {}: {}; run \"{}\" on each of them. "
      "Remove a node that is gone for good with \"kubectl delete node NAME\". Exclude a node that "
      "may be compromised, so that it cannot delay the rotation, with --leave-behind NAME: it "
      "loses the cluster",
      NameOf(decision.step), NameOf(before), base::Join(decision.behind, ", "),
      CommandOf(situation));
}

std::string FinishedText(const Situation& situation, const Decision& decision) {
  if (!decision.behind.empty()) {
    return fmt::format("This node is done. Run \"{}\" on each node that has not done step drop: {}",
                       CommandOf(situation), base::Join(decision.behind, ", "));
  }
  return situation.control_plane
             ? fmt::format("The rotation is complete. To replace the {} once more: {} --again",
                           situation.authority->long_name, CommandOf(situation))
             : "This node is done.";
}

std::string NextStepText(const Situation& situation, const Decision& decision) {
  return fmt::format("Next on this node: step {} ({}); restarts: {}", NameOf(decision.step),
                     Purpose(decision.step), RestartWords(RestartsOf(situation, decision.step)));
}

std::string AdviceBeforeDrop(const Situation& situation) {
  if (situation.authority->row == certs::kCa) {
    return "Before the next step: restart your Pods that talk to the API server, because they read "
           "its CA only when they start. Also replace copies of admin.conf, such as "
           "~/.kube/config. ";
  }
  if (situation.authority->row == certs::kServiceAccount) {
    return fmt::format("Pods get new tokens within {} minutes. ", kTokenPatience.count());
  }
  return "";
}

}  // namespace

std::optional<std::string> Refusal(const Situation& situation, const Decision& decision) {
  switch (decision.kind) {
    case Kind::kNeedsPair:
      return NeedsPairText(situation);
    case Kind::kWait:
      return WaitText(situation, decision);
    case Kind::kTooEarly:
      return fmt::format(
          "Pods may use tokens of the old key until {}: run this again then. With --early it is "
          "dropped at once, and clients without a newer token are refused",
          json::FormatRfc3339(decision.until));
    case Kind::kIdle:
      return fmt::format(
          "no rotation of the {} has begun: run \"{}\" on a node of the control "
          "plane first",
          situation.authority->long_name, CommandOf(situation));
    case Kind::kBegin:
    case Kind::kStep:
    case Kind::kFinished:
      break;
  }
  return std::nullopt;
}

std::string LeftBehindText(const Situation& situation) {
  std::vector<std::string> names;
  for (const NodeState& node : situation.nodes) {
    if (node.left_behind) {
      names.push_back(node.name);
    }
  }
  return names.empty()
             ? ""
             : fmt::format(
                   "No step waits for these nodes (--leave-behind): {}. After step drop such a "
                   "node knows only the old authority, which the other nodes no longer trust. It "
                   "is out of the cluster until it is reset and joined again. Give the flag at "
                   "each run on the control plane until the rotation is complete",
                   base::Join(names, ", "));
}

std::string TextOf(const Report& report) {
  const Situation& situation = report.situation;
  const Decision& decision = report.decision;
  std::string text = fmt::format("Node {} ({}), {}\n", situation.node,
                                 situation.control_plane ? "control plane" : "worker",
                                 situation.authority->long_name);
  std::vector<std::vector<std::string>> rows = {{"FILE", "TRUSTS", "SIGNED BY"}};
  for (const Holder& holder : situation.holders) {
    rows.push_back({holder.name, holder.trusts ? WordsFor(situation, *holder.trusts) : "-",
                    holder.signer ? WordFor(situation, *holder.signer) : "-"});
  }
  text += print::TextTable(rows) + "\n";
  rows = {{"NODE", "DONE"}};
  for (const NodeState& node : situation.nodes) {
    const std::string done = node.done ? std::string(NameOf(*node.done)) : "-";
    rows.push_back({node.name, done + (node.left_behind ? ", left behind" : "")});
  }
  text += print::TextTable(rows) + "\n";
  if (const std::string left = LeftBehindText(situation); !left.empty()) {
    text += left + "\n";
  }
  if (decision.kind == Kind::kFinished) {
    return text + FinishedText(situation, decision) + "\n";
  }
  if (decision.kind != Kind::kIdle) {
    text += NextStepText(situation, decision) + "\n";
  }
  const auto refusal = Refusal(situation, decision);
  return refusal ? text + "Not now: " + *refusal + "\n" : text;
}

std::string NextText(const Situation& situation, Step done,
                     const std::vector<std::string>& behind) {
  const std::string command = CommandOf(situation);
  if (!situation.control_plane) {
    return done == Step::kDrop
               ? "This node is done."
               : fmt::format(
                     "Next: \"{}\" on the nodes that have not done step {}, then on the "
                     "control plane for the next step",
                     command, NameOf(done));
  }
  if (!behind.empty()) {
    return fmt::format("Next: \"{}\" on each of: {}", command, base::Join(behind, ", "));
  }
  switch (done) {
    case Step::kTrust:
      return fmt::format("All nodes trust the new one. Next: \"{}\" for step reissue", command);
    case Step::kReissue:
      return fmt::format(
          "Everything on the nodes is signed by the new one. {}Next: \"{}\" for "
          "step drop",
          AdviceBeforeDrop(situation), command);
    case Step::kDrop:
      break;
  }
  return "The rotation is complete. The old key is still in the directories named above: remove "
         "them "
         "when you are sure";
}

}  // namespace ca_rotation
