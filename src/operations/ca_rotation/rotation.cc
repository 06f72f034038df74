// SPDX-License-Identifier: Apache-2.0
#include "ca_rotation/rotation.h"

#include <fmt/core.h>

#include "base/error.h"
#include "ca_rotation/pair.h"
#include "components/table.h"
#include "config/paths.h"
#include "kubeconfigs/connect.h"
#include "kubelet/local_runtime.h"
#include "renewal/kubelet_certificate.h"
#include "static_pods/restart.h"

namespace ca_rotation {
namespace {

using Kind = Decision::Kind;

constexpr std::chrono::milliseconds kOneTry{5'000};

// Creates or downloads the new pair if it is missing on this node. Has no effect if the pair is not
// needed, or if a download has no certificate key.
Report BringPair(const Node& node, const Wanted& wanted, Report report) {
  if (report.decision.kind == Kind::kBegin) {
    Begin(node, report.situation);
  } else if (report.decision.kind == Kind::kNeedsPair && !wanted.certificate_key.empty()) {
    FetchPair(node, report.situation.record.value(), wanted.certificate_key);
  } else {
    return report;
  }
  return CollectReport(node, wanted.options);
}

// Uploads the new pair. Shows the certificate key only if it was generated.
void UploadNew(const Node& node, const std::string& certificate_key, Report& report) {
  const std::string key = UploadPair(node, certificate_key);
  if (certificate_key.empty()) {
    report.outcome->certificate_key = key;
    node.say("Using certificate key:");
    node.reporter.Message(key);
  }
}

// Returns whether Wanted::step is set and already done on this node. Throws base::Error(kConflict)
// if another step must precede it.
bool IsWantedDone(const Wanted& wanted, const Decision& decision) {
  if (!wanted.step) {
    return false;
  }
  const StepState state = StateOf(decision, *wanted.step);
  if (state == StepState::kLater) {
    throw base::Error(base::Error::Kind::kConflict,
                      fmt::format("step {} is not the next one on this node: step {} is",
                                  NameOf(*wanted.step), NameOf(decision.step)));
  }
  return state == StepState::kDone;
}

void DoStep(const Node& node, const RotationOptions& options, Report& report) {
  const Step step = report.decision.step;
  const std::string_view name = NameOf(step);
  if (const std::string left = LeftBehindText(report.situation); !left.empty()) {
    node.say(left);
  }
  node.say(fmt::format("{}, node {}: step {}", node.authority.long_name, node.name, name));
  RemoveJournals(node, step);
  report.outcome->step = RunStep(node, report.situation.record.value(), step, options);
  report.situation = CollectSituation(node, options);
  report.decision = {
      .kind = Kind::kStep, .step = step, .behind = NodesBehind(report.situation, step)};
  node.say(fmt::format("Step {} is done on this node", name));
  node.say(NextText(report.situation, step, report.decision.behind));
}

}  // namespace

Node OpenNode(const Opening& opening, Patience patience) {
  host::Host& host = opening.host;
  Node node{.host = host,
            .authority = opening.authority,
            .reporter = opening.reporter,
            .config = {},
            .name = {},
            .control_plane =
                host.files.Exists(components::ManifestPath(components::Component::kApiServer))};
  CheckRole(node);
  node.name = base::WithContext("this machine is not a node that kubeadm has made",
                                [&] { return renewal::FindKubeletClient(host.files).Node(); });
  host::fs::path kubeconfig = host::fs::path(config::kKubernetesDir) / config::kKubeletConf;
  if (node.control_plane) {
    kubeconfig = opening.kubeconfig;
    node.config =
        opening.load_config(patience == Patience::kOneTry ? kOneTry : node.RestartPatience());
  } else {
    node.config.cluster.certificates_dir = opening.certs_dir;
  }
  CheckAuthority(node);
  const auto limit = patience == Patience::kOneTry ? kOneTry : node.RestartPatience();
  node.new_client = [&host, kubeconfig, limit] {
    return kubeconfigs::ClientBy(host, kubeconfig, limit);
  };
  node.connect_runtime = [&host] {
    return static_pods::ConnectForRestarts(kubelet::LocalCriSocket(host), host,
                                           host.signals.Interrupt());
  };
  return node;
}

Report CollectReport(const Node& node, const RotationOptions& options) {
  Report report{.situation = CollectSituation(node, options), .decision = {}};
  report.decision = Decide(report.situation);
  return report;
}

Report Rotate(const Node& node, const Wanted& wanted) {
  Report report = CollectReport(node, wanted.options);
  if (report.decision.kind == Kind::kFinished) {
    RemoveSavedPairs(node);
    RemoveJournals(node, std::nullopt);
    report.outcome.emplace();
    return report;
  }
  if (IsWantedDone(wanted, report.decision)) {
    node.say(fmt::format("Step {} is done on this node already", NameOf(*wanted.step)));
    report.outcome.emplace();
    return report;
  }
  report = BringPair(node, wanted, std::move(report));
  report.outcome.emplace();
  if (wanted.upload_certs) {
    UploadNew(node, wanted.certificate_key, report);
  }
  if (const auto refusal = Refusal(report.situation, report.decision)) {
    throw base::Error(*refusal);
  }
  DoStep(node, wanted.options, report);
  return report;
}

}  // namespace ca_rotation
