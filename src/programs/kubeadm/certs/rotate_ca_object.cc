// A rotation as an object, for programs.
#include "kubeadm/certs/rotate_ca_report.h"

namespace kubeadm {
namespace {

using ca_rotation::Decision;
using ca_rotation::Holder;
using ca_rotation::Situation;
using Kind = Decision::Kind;

std::string_view KindWord(Kind kind) {
  switch (kind) {
    case Kind::kBegin:
      return "begin";
    case Kind::kStep:
      return "step";
    case Kind::kNeedsPair:
      return "needsPair";
    case Kind::kWait:
      return "wait";
    case Kind::kTooEarly:
      return "tooEarly";
    case Kind::kFinished:
      return "finished";
    case Kind::kIdle:
      break;
  }
  return "idle";
}

}  // namespace

json::Ordered ReportObject(const Situation& situation, const Decision& decision,
                           const RotationOutcome* outcome) {
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
  for (const ca_rotation::NodeState& node : situation.nodes) {
    nodes.push_back({{"name", node.name},
                     {"controlPlane", node.control_plane},
                     {"done", node.done ? ca_rotation::NameOf(*node.done) : ""}});
  }
  json::Ordered report = {{"kind", "AuthorityRotation"},
                          {"apiVersion", "output.slipway/v1alpha1"},
                          {"authority", situation.authority->name},
                          {"node", situation.node},
                          {"dryRun", outcome == nullptr},
                          {"decision", KindWord(decision.kind)},
                          {"step", ca_rotation::NameOf(decision.step)},
                          {"reason", Refusal(situation, decision)},
                          {"behind", decision.behind},
                          {"files", std::move(files)},
                          {"nodes", std::move(nodes)}};
  if (outcome != nullptr) {
    report["restarted"] = outcome->step.restarted;
    report["backup"] = outcome->step.backup;
    report["certificateKey"] = outcome->certificate_key;
  }
  return report;
}

}  // namespace kubeadm
